"""Updates of assets start runs, each once for each DAG (C2, C5)."""

import tracemalloc
from collections.abc import Sequence
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.component.world import PatientExecutor, World
from tradewind.model.asset import AllAssets, AnyAsset, AssetAliasRef, AssetExpression, AssetKey, AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.exchange import Exchange
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType, TriggeredBy
from tradewind.model.timetable import AssetOrTime, AssetTriggered, CronTrigger
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.delete import delete_dag, delete_run
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.operations.register_assets import forget_assets
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.secrets.encryption import Encryption
from tradewind.storage.interface.shared_stores import NewAssetEvent
from tradewind.storage.schema import asset_delivery, dag_version

A = AssetRef("a", "s3://a")
B = AssetRef("b", "s3://b")
C = AssetRef("c", "s3://c")


def consumer(world: World, condition: AssetExpression, dag_id: str = "report", **options: object) -> None:
    """A DAG that waits for assets, and one that declares them."""
    world.dag(Task("source", outlets=(A, B, C)), dag_id="producer")
    world.publish(Dag(dag_id, tasks=(Task("work"),), timetable=AssetTriggered(), assets=condition, **options))  # type: ignore[arg-type]


def update(world: World, *assets: AssetRef, aliases: Sequence[str] = ()) -> list[int]:
    """In one transaction."""
    with world.database.begin() as tx:
        keys = {(record.name, record.uri): record.key for record in tx.assets.named([str(a.name) for a in assets], [])}
        events = [
            NewAssetEvent(asset_key=keys[str(each.name), str(each.uri)], aliases=tuple(aliases)) for each in assets
        ]
        if aliases:
            tx.assets.attach([(alias, event.asset_key) for alias in aliases for event in events])
        return add_asset_events(tx, events, world.clock.now())


def runs(world: World, dag_id: str = "report") -> list[Run]:
    return world.runs(dag_id)


def consumed(world: World, dag_id: str = "report") -> list[list[int]]:
    """The updates of each run, in the order of the runs."""
    keys = [run.key for run in sorted(runs(world, dag_id), key=lambda run: run.key)]
    with world.database.begin() as tx:
        return [[event for _, event in tx.deliveries.consumed([key])] for key in keys]


def test_an_update_makes_a_run_of_each_dag_that_waits_for_it(any_world: World) -> None:
    """C2, C5."""
    consumer(any_world, A)
    any_world.publish(Dag("other", tasks=(Task("work"),), timetable=AssetTriggered(), assets=A))
    any_world.scheduler()
    any_world.settle()

    (event,) = update(any_world, A)
    any_world.settle()

    (run,) = runs(any_world)
    assert (run.run_type, run.triggered_by, run.state) == (
        RunType.ASSET_TRIGGERED,
        TriggeredBy.ASSET,
        RunState.SUCCESS,
    )
    assert run.run_id.startswith("asset_triggered__2026-01-01T00:00:00+00:00_")
    assert (run.logical_date, run.data_interval, run.run_after) == (None, None, any_world.clock.now())
    assert consumed(any_world) == consumed(any_world, "other") == [[event]]
    any_world.settle()
    assert len(runs(any_world)) == 1


def test_updates_that_come_together_make_a_run_each(any_world: World) -> None:
    """C2: the number of runs does not depend on how fast the scheduler is."""
    consumer(any_world, AnyAsset((A, B)))
    any_world.scheduler()
    any_world.settle()

    events = update(any_world, A, B, A)
    any_world.settle()

    assert consumed(any_world) == [[event] for event in events]


def test_updates_that_come_together_make_one_run_if_asked_for(any_world: World) -> None:
    consumer(any_world, A)
    any_world.scheduler(batch_asset_events=True)
    any_world.settle()

    events = update(any_world, A, A, A)
    any_world.settle()

    assert consumed(any_world) == [events]


def test_what_updates_cost_does_not_grow_with_who_waits_for_them(any_world: World) -> None:
    """C2: those that come together are one row for each DAG that takes all; who wants each gets each."""
    consumer(any_world, A, max_active_runs=50)
    consumer(any_world, AllAssets((A, B)), dag_id="both")
    any_world.scheduler()
    any_world.settle()

    events = update(any_world, *[A] * 20)
    any_world.settle()

    assert consumed(any_world) == [[event] for event in events]
    with any_world.database.begin() as tx:
        assert [(each.dag_id, each.number) for each in tx.deliveries.waiting()] == [("both", 20)]
        rows = sa.select(sa.func.count()).where(asset_delivery.c.dag_id == "both")
        assert tx.connection.execute(rows).scalar_one() == 1
    last = update(any_world, B)
    any_world.settle()
    assert consumed(any_world, "both") == [[*events, *last]]


def test_an_update_that_is_committed_after_a_later_one_is_not_lost(any_world: World) -> None:
    """C2: its key is lower than one that runs have consumed already."""
    if any_world.database.dialect_name == "sqlite":
        pytest.skip("one writes at a time")
    consumer(any_world, AllAssets((A, B)))
    any_world.scheduler()
    any_world.settle()
    with any_world.database.begin() as slow:
        (a,) = slow.assets.named(["a"], [])
        (early,) = add_asset_events(slow, [NewAssetEvent(asset_key=a.key)], any_world.clock.now())
        late = update(any_world, A, B)
        any_world.settle()
        assert consumed(any_world) == [late]

    (more,) = update(any_world, B)
    any_world.settle()

    assert early < min(late)
    assert consumed(any_world) == [late, [early, more]]


def test_an_update_is_for_who_waited_when_it_came(any_world: World) -> None:
    """C2: also where no scheduler was there to hand it out."""
    consumer(any_world, A)
    (before,) = update(any_world, A)
    consumer(any_world, A, dag_id="newcomer")
    any_world.scheduler()

    any_world.settle()

    assert consumed(any_world) == [[before]]
    assert consumed(any_world, "newcomer") == []


def test_a_dag_that_needs_several_assets_waits_for_all_of_them(any_world: World) -> None:
    """C2."""
    consumer(any_world, AllAssets((A, AnyAsset((B, C)))))
    any_world.scheduler()
    any_world.settle()

    first = update(any_world, A)
    any_world.settle()
    second = update(any_world, A)
    any_world.settle()
    assert runs(any_world) == []
    third = update(any_world, C)
    any_world.settle()

    assert consumed(any_world) == [[*first, *second, *third]]
    update(any_world, B)
    any_world.settle()
    assert len(runs(any_world)) == 1


def test_updates_while_a_dag_is_paused_are_kept(any_world: World) -> None:
    """C2: Airflow loses them."""
    consumer(any_world, A)
    any_world.scheduler()
    any_world.pause("report")
    any_world.settle()

    events = update(any_world, A, A)
    any_world.settle()
    assert runs(any_world) == []
    any_world.pause("report", is_paused=False)
    any_world.settle()

    assert consumed(any_world) == [[event] for event in events]


def test_max_active_runs_holds_and_what_waits_comes_later(any_world: World) -> None:
    """B4, C2."""
    consumer(any_world, A, max_active_runs=1)
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()

    events = update(any_world, A, A, A)
    any_world.settle()
    for number in range(1, 4):
        assert [run.state for run in runs(any_world)] == [RunState.SUCCESS] * (number - 1) + [RunState.RUNNING]
        executor.end()
        any_world.settle()

    assert consumed(any_world) == [[event] for event in events]


def test_a_run_that_is_deleted_makes_room_and_its_updates_stay_consumed(world: World) -> None:
    consumer(world, A, max_active_runs=1)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    events = update(world, A, A)
    world.settle()
    (run,) = runs(world)
    world.mark_run(RunState.FAILED, "report", run.run_id)

    with world.database.begin() as tx:
        delete_run(tx, "report", run.run_id, world.structures, world.clock.now())
    world.settle()

    assert consumed(world) == [[events[1]]]


@pytest.mark.parametrize("leaf", [AssetRef(name="a"), AssetRef(uri="s3://a")])
def test_an_asset_is_waited_for_by_its_name_or_its_uri_alone(any_world: World, leaf: AssetRef) -> None:
    consumer(any_world, leaf)
    any_world.scheduler()
    any_world.settle()

    update(any_world, B)
    (event,) = update(any_world, A)
    any_world.settle()

    assert consumed(any_world) == [[event]]


def test_an_alias_stands_for_what_tasks_put_into_it(any_world: World) -> None:
    """C2."""
    consumer(any_world, AssetAliasRef("alias"))
    any_world.scheduler()
    any_world.settle()

    update(any_world, A)
    (event,) = update(any_world, B, aliases=["alias", "other"])
    update(any_world, B)
    any_world.settle()

    assert consumed(any_world) == [[event]]


def test_a_changed_schedule_forgets_what_it_no_longer_waits_for_and_consumes_nothing_again(any_world: World) -> None:
    """C2."""
    consumer(any_world, A)
    any_world.scheduler()
    any_world.settle()
    (before,) = update(any_world, A)
    any_world.settle()
    consumer(any_world, AllAssets((A, B)))
    update(any_world, A)
    any_world.settle()

    consumer(any_world, AllAssets((B, C)))
    consumer(any_world, A)
    any_world.settle()
    assert consumed(any_world) == [[before]]
    (after,) = update(any_world, A)
    any_world.settle()

    assert consumed(any_world) == [[before], [after]]


def test_a_dag_that_no_file_has_hears_nothing_and_a_deleted_one_leaves_nothing(any_world: World) -> None:
    consumer(any_world, A)
    any_world.scheduler()
    any_world.settle()
    update(any_world, A)
    with any_world.database.begin() as tx:
        forget_assets(tx, ["report"])
    any_world.settle()
    update(any_world, A)
    any_world.settle()

    assert len(runs(any_world)) == 1
    with any_world.database.begin() as tx:
        delete_dag(tx, "report")
        assert tx.deliveries.waiting() == []
        assert tx.dag_changes.pending(10) == []


def test_several_schedulers_make_one_run_of_each_update(any_world: World) -> None:
    """A2, C2."""
    consumer(any_world, A)
    for _ in range(3):
        any_world.scheduler()
    any_world.settle()

    events = [key for _ in range(5) for key in update(any_world, A)]
    any_world.settle()

    assert consumed(any_world) == [[event] for event in events]


def test_fifty_thousand_updates_are_consumed_by_one_statement(world: World) -> None:
    """C2: whatever waits, the scheduler reads none of it."""
    consumer(world, AllAssets((A, B)))
    world.scheduler()
    world.settle()
    with world.database.begin() as tx:
        (a,) = (record.key for record in tx.assets.named(["a"], []))
        add_asset_events(tx, [NewAssetEvent(asset_key=AssetKey(a))] * 50_000, world.clock.now())

    update(world, B)
    tracemalloc.start()
    world.settle()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    (events,) = consumed(world)
    assert len(events) == 50_001
    assert peak < 3_000_000


def test_a_task_of_a_run_for_many_updates_asks_for_them_in_pages(any_world: World) -> None:
    """C2: who does not look at them is told of none; a few are told at once."""
    consumer(any_world, AllAssets((A, B)))
    with any_world.database.engine.begin() as connection:
        connection.execute(sa.update(dag_version).values(bundle_name="files", path="report.py"))
    executor = PatientExecutor(any_world.clock, starts=False)
    any_world.scheduler(executor)
    few = [*update(any_world, *[A] * 99), *update(any_world, B)]
    any_world.settle()
    many = [*update(any_world, *[A] * 1_200), *update(any_world, B)]
    any_world.settle()
    beginner = Beginner(any_world.structures, hostname="here", pid=1)
    worker = StoredEngine(any_world.database, any_world.clock, beginner, Encryption(), longest_delay_s=60)
    worker.begin_life(None)

    first, second = (worker.exchange(Exchange(begins=[item])).orders[0] for item in sorted(executor.work.values()))

    told, untold = first.assignment.dag_run, second.assignment.dag_run
    assert ([event.id for event in told.consumed_asset_events], told.has_too_many_asset_events) == (few, False)
    assert (untold.consumed_asset_events, untold.has_too_many_asset_events) == ((), True)
    with any_world.database.begin() as tx:
        runtime = StoredRuntime(
            tx, second.asker, now=any_world.clock.now(), structures=any_world.structures, secrets=Encryption()
        )
        page = runtime.get_consumed_asset_events(limit=5_000)
        rest = runtime.get_consumed_asset_events(after=many[999])
        assert runtime.get_consumed_asset_events(after=many[-1]) == []
    assert len(page) == 1_000
    assert [event.id for event in (*page, *rest)] == many


def test_an_update_dated_ahead_of_the_schedulers_clock_does_not_delay_its_run(world: World) -> None:
    consumer(world, A)
    world.scheduler()
    world.settle()
    with world.database.begin() as tx:
        (a,) = (record.key for record in tx.assets.named(["a"], []))
        add_asset_events(tx, [NewAssetEvent(asset_key=a)], world.clock.now() + timedelta(hours=1))

    world.settle()

    assert [run.state for run in runs(world)] == [RunState.SUCCESS]


def test_assets_or_time_means_runs_of_both_kinds(any_world: World) -> None:
    """C3."""
    any_world.dag(Task("source", outlets=(A,)), dag_id="producer")
    any_world.publish(
        Dag(
            "report",
            tasks=(Task("work"),),
            timetable=AssetOrTime(CronTrigger("0 * * * *")),
            assets=A,
            start_at=any_world.clock.now(),
        )
    )
    any_world.scheduler()
    any_world.settle()
    any_world.pass_time(60)
    update(any_world, A)
    any_world.settle()
    any_world.pass_time(3600)

    assert sorted(run.run_type for run in runs(any_world)) == [
        RunType.ASSET_TRIGGERED,
        RunType.SCHEDULED,
        RunType.SCHEDULED,
    ]
