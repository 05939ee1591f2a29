"""Assets: declared by DAGs, updated by tasks, asked for by others (C2, D3)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from tests.component.world import PatientExecutor, World
from tradewind.errors import InvalidRequest, UnknownAsset
from tradewind.model.asset import AllAssets, AnyAsset, AssetAliasRef, AssetRef
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import AttemptResult, OutletEvent
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import UNMAPPED, AttemptKey, TaskKey
from tradewind.model.task import Succeeded
from tradewind.model.task_answers import AssetAliasResult, AssetResult, InactiveAssetResult
from tradewind.operations.delete import delete_dag
from tradewind.operations.record_asset_events import AssetUpdate, record_asset_events
from tradewind.operations.register_assets import forget_assets
from tradewind.operations.settle_attempts import settle_attempts
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.secrets.encryption import Encryption

ORDERS = AssetRef("orders", "s3://orders", extra={"owner": "sales"})
MOVED = AssetRef("orders", "s3://moved")
STOCK = AssetRef("stock", "s3://stock", group="g")


@contextmanager
def asking(world: World, task_id: str = "load", run_id: str = "r1") -> Iterator[StoredRuntime]:
    """A running task of the DAG sales."""
    asker = Asker(TaskKey(world.run(run_id).key, task_id, UNMAPPED), "sales", run_id)
    with world.database.begin() as tx:
        yield StoredRuntime(tx, asker, now=world.clock.now(), structures=world.structures, secrets=Encryption())


def active(world: World) -> list[tuple[str, str]]:
    with world.database.begin() as tx:
        names = ("orders", "stock", "found", "other")
        return [(each.name, each.uri) for each in tx.assets.named(names, ()) if each.is_active]


def update(world: World, *events: OutletEvent, task_id: str = "load") -> list[AssetUpdate]:
    """A task of run r1 says these things at its end."""
    asker = Asker(TaskKey(world.run("r1").key, task_id, UNMAPPED), "sales", "r1")
    with world.database.begin() as tx:
        return record_asset_events(tx, [AssetUpdate(asker, event) for event in events], world.clock.now())


def events_of(world: World, **which: Any) -> list[Any]:
    with asking(world) as runtime:
        return runtime.get_asset_events(**which)


def test_assets_of_schedule_inlets_and_outlets_are_known(any_world: World) -> None:
    any_world.dag(
        Task("load", inlets=(ORDERS,), outlets=(AssetRef("other", "other"), AssetAliasRef("alias"))),
        assets=AllAssets((ORDERS, AnyAsset((STOCK, AssetRef(name="elsewhere"))))),
    )

    any_world.trigger()
    with asking(any_world) as runtime:
        assert runtime.get_asset(name="orders") == AssetResult(
            name="orders", uri="s3://orders", extra={"owner": "sales"}
        )
        assert runtime.get_asset(uri="s3://stock") == AssetResult(name="stock", uri="s3://stock", group="g")
        assert runtime.get_asset(name="elsewhere") is None
        assert runtime.get_assets_by_alias("alias") == []
        assert runtime.get_inactive_assets() == []


def test_asset_takes_the_group_and_extra_of_its_last_declaration(world: World) -> None:
    world.dag(Task("load", outlets=(ORDERS,)))

    world.dag(Task("load", outlets=(AssetRef("orders", "s3://orders", group="new"),)))

    with world.database.begin() as tx:
        found = tx.assets.find(name="orders")
    assert found is not None
    assert (found.group, found.extra) == ("new", None)


def test_asset_whose_uri_is_changed_by_its_only_dag_is_active_under_the_new_one(any_world: World) -> None:
    any_world.dag(Task("load", outlets=(ORDERS,)))

    any_world.dag(Task("load", outlets=(MOVED,)))

    assert active(any_world) == [("orders", "s3://moved")]


def test_of_two_assets_with_one_name_the_first_stays_active_until_it_is_gone(world: World) -> None:
    world.dag(Task("load", outlets=(ORDERS,)), dag_id="first")
    world.dag(Task("load", outlets=(MOVED, STOCK)))
    world.trigger()
    assert active(world) == [("orders", "s3://orders"), ("stock", "s3://stock")]
    with asking(world) as runtime:
        assert runtime.get_inactive_assets() == [InactiveAssetResult(name="orders", uri="s3://moved")]

    with world.database.begin() as tx:
        delete_dag(tx, "first")

    assert active(world) == [("orders", "s3://moved"), ("stock", "s3://stock")]
    with asking(world) as runtime:
        assert runtime.get_inactive_assets() == []


def test_asset_that_no_dag_declares_any_more_is_inactive_and_keeps_its_events(world: World) -> None:
    world.dag(Task("load", outlets=(ORDERS,)))
    world.trigger()
    update(world, OutletEvent(name="orders", uri="s3://orders"))

    with world.database.begin() as tx:
        forget_assets(tx, ["sales"])
        forget_assets(tx, [])

    assert active(world) == []
    assert len(events_of(world, name="orders")) == 1
    world.publish(Dag("sales", tasks=(Task("load", outlets=(ORDERS,)), Task("other"))))
    assert active(world) == [("orders", "s3://orders")]


def test_update_is_found_by_those_who_ask(any_world: World) -> None:
    any_world.dag(Task("load", outlets=(ORDERS,)))
    any_world.trigger()

    assert update(any_world, OutletEvent(name="orders", uri="s3://orders", extra={"rows": 5})) == []
    assert update(any_world) == []

    (event,) = events_of(any_world, name="orders")
    assert event.asset == AssetResult(name="orders", uri="s3://orders", extra={"owner": "sales"})
    assert event.extra == {"rows": 5}
    assert event.timestamp == any_world.clock.now()
    assert (event.source_dag_id, event.source_task_id, event.source_run_id, event.source_map_index) == (
        "sales",
        "load",
        "r1",
        -1,
    )


def test_update_of_each_partition_is_an_event_of_its_own(world: World) -> None:
    world.dag(Task("load", outlets=(ORDERS,)))
    world.trigger()

    update(world, OutletEvent(name="orders", uri="s3://orders", partition_keys=("a", "b")))

    assert [event.partition_key for event in events_of(world, uri="s3://orders")] == ["a", "b"]


def test_asset_found_through_aliases_is_known_and_active_from_then_on(any_world: World) -> None:
    any_world.dag(Task("load", outlets=(AssetAliasRef("x"), AssetAliasRef("y"))))
    any_world.trigger()
    found = OutletEvent(name="found", uri="s3://found", asset_extra={"a": 1}, extra={"rows": 5}, alias="x")

    update(
        any_world,
        found,
        OutletEvent(name="found", uri="s3://found", extra={"rows": 5}, alias="y"),
        OutletEvent(name="found", uri="s3://found", extra={"rows": 6}, alias="y"),
    )

    assert active(any_world) == [("found", "s3://found")]
    with asking(any_world) as runtime:
        assert runtime.get_assets_by_alias("x") == [AssetResult(name="found", uri="s3://found", extra={"a": 1})]
        assert [event.extra for event in runtime.get_asset_events(alias_name="x")] == [{"rows": 5}]
        both, single = runtime.get_asset_events(alias_name="y")
    assert both.source_aliases == (AssetAliasResult("x"), AssetAliasResult("y"))
    assert single.source_aliases == (AssetAliasResult("y"),)


def test_outlet_that_only_refers_to_an_asset_updates_the_active_one(world: World) -> None:
    world.dag(Task("load", outlets=(ORDERS,)))
    world.trigger()

    unknown = update(
        world,
        OutletEvent(name="orders", uri=None),
        OutletEvent(name=None, uri="s3://orders"),
        OutletEvent(name="nobody's", uri=None),
    )

    assert [each.event.name for each in unknown] == ["nobody's"]
    assert len(events_of(world, name="orders")) == 2
    assert events_of(world, name="nobody's") == []


def test_events_are_asked_for_by_time(world: World) -> None:
    world.dag(Task("load", outlets=(ORDERS,)))
    world.trigger()
    start = world.clock.now()
    for number in range(3):
        update(world, OutletEvent(name="orders", uri="s3://orders", extra={"number": number}))
        world.clock.advance(60)

    def numbers(**which: Any) -> list[Any]:
        return [event.extra["number"] for event in events_of(world, name="orders", **which)]

    assert numbers(after=start + timedelta(minutes=1)) == [1, 2]
    assert numbers(after="2026-01-01T00:01:00", before="2026-01-01T00:01:00Z") == [1]
    assert numbers(ascending=False, limit=2) == [2, 1]
    with pytest.raises(InvalidRequest, match="'yesterday' is no instant"):
        numbers(after="yesterday")


def test_values_about_an_asset_belong_to_the_active_one(any_world: World) -> None:
    any_world.dag(Task("load", outlets=(ORDERS,)))
    any_world.trigger()

    with asking(any_world) as runtime:
        runtime.set_asset_state("cursor", {"page": 2}, name="orders")
        assert runtime.get_asset_state("cursor", uri="s3://orders") == {"page": 2}
        assert runtime.get_asset_state("other", uri="s3://orders") is None
        runtime.delete_asset_state("cursor", name="orders")
        assert runtime.get_asset_state("cursor", name="orders") is None
        runtime.set_asset_state("cursor", 1, name="orders")
        runtime.clear_asset_state(name="orders")
        assert runtime.get_asset_state("cursor", name="orders") is None
        with pytest.raises(UnknownAsset, match="no active asset of the name 'nobody'"):
            runtime.set_asset_state("cursor", 1, name="nobody")


def test_updates_are_stored_with_the_end_of_their_attempt_and_only_in_time(world: World) -> None:
    world.dag(Task("load", outlets=(ORDERS,)))
    run_key = world.trigger()
    now = world.clock.now()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    event = OutletEvent(name="orders", uri="s3://orders")
    (attempt,) = executor.work
    late = AttemptKey(run_key, "load", UNMAPPED, attempt.attempt - 1)
    results = [AttemptResult(report=Succeeded(each, now), outlet_events=(event,)) for each in (late, attempt, attempt)]
    for result in results:
        with world.database.begin() as tx:
            settle_attempts(tx, [result], now, world.structures, cipher=Encryption())

    assert len(events_of(world, name="orders")) == 1
