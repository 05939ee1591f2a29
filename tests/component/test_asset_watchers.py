"""What watchers of assets saw is stored once, by whoever they belong to, and shown (C2, E5, E6)."""

from typing import Any

import pytest

from tests.component.world import World
from tradewind.model.asset import AllAssets, AnyAsset, AssetRef, WatcherRef
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import JobKey
from tradewind.model.watcher import WatchedEvent, WatcherKey, message_hash, watcher_identity
from tradewind.operations import run_watchers
from tradewind.operations.declare_watchers import without_watcher_arguments
from tradewind.operations.delete import delete_dag
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.rotate_keys import rotate_keys
from tradewind.operations.run_watchers import claim_watchers, find_unwanted_watchers, store_watched
from tradewind.secrets.encryption import Encryption, new_key
from tradewind.storage.interface.shared_stores import AssetEventChoice

BELL = WatcherRef("bell", "bells.Bell", {"path": "/bell", "token": "hush"})
ORDERS = AssetRef("orders", "db://orders", watchers=(BELL,))
STOCK = AssetRef("stock", "db://stock", watchers=(BELL, WatcherRef("drum", "bells.Drum", {})))
JOB, OTHER = JobKey(7), JobKey(8)


@pytest.fixture
def world(any_world: World) -> World:
    """`sales` waits for orders and stock, which share a watcher."""
    any_world.dag(Task("load"), dag_id="sales", assets=AllAssets((ORDERS, STOCK)))
    return any_world


def claim(world: World, job: JobKey = JOB) -> dict[str, WatcherKey]:
    """The watchers that this triggerer gets, by their classes."""
    with world.database.begin() as tx:
        found = claim_watchers(tx, job, 10)
    return {work.watcher.class_path: work.watcher.key for work in found}


def store(world: World, *events: WatchedEvent, job: JobKey = JOB) -> dict[WatcherKey, int]:
    with world.database.begin() as tx:
        return store_watched(tx, job, events, world.clock.now())


def stored(world: World) -> list[tuple[str, Any]]:
    """The events of assets, with what came along."""
    with world.database.begin() as tx:
        return [(each.asset.name, each.event.extra) for each in tx.asset_events.choose(AssetEventChoice())]


def extra(payload: object) -> dict[str, object]:
    return {"from_trigger": True, "payload": payload}


def test_an_event_of_a_watcher_is_one_of_each_of_its_assets(world: World) -> None:
    keys = claim(world)

    counted = store(world, WatchedEvent(keys["bells.Bell"], 1, {"n": 1}), WatchedEvent(keys["bells.Drum"], 1, "boom"))

    assert counted == dict.fromkeys(keys.values(), 1)
    assert sorted(stored(world), key=str) == [
        ("orders", extra({"n": 1})),
        ("stock", extra("boom")),
        ("stock", extra({"n": 1})),
    ]


def test_what_is_told_again_or_out_of_turn_is_stored_once(world: World) -> None:
    """E6, E7: an answer that was lost, and two lives of one runner."""
    drum = claim(world)["bells.Drum"]
    events = [WatchedEvent(drum, number, number) for number in (1, 2)]

    assert store(world, *events) == {drum: 2}
    assert store(world, *events) == {drum: 2}
    assert store(world, WatchedEvent(drum, 9, "out of turn"), WatchedEvent(drum, 3, 3)) == {drum: 3}
    assert stored(world) == [("stock", extra(number)) for number in (1, 2, 3)]


def test_a_message_that_its_source_hands_out_again_is_stored_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E6, E7: whoever was to tell the source that it is done died in between. One without a name may come twice."""
    monkeypatch.setattr(run_watchers, "MESSAGES_KEPT", 2)
    monkeypatch.setattr(run_watchers, "_FORGOTTEN_EVERY", 3)
    keys = claim(world)
    drum, bell = keys["bells.Drum"], keys["bells.Bell"]
    first = [WatchedEvent(drum, 1, "one", "id1"), WatchedEvent(drum, 2, "two", "id2"), WatchedEvent(bell, 1, 1, "id2")]

    assert store(world, *first) == {drum: 2, bell: 1}
    with world.database.begin() as tx:
        tx.watchers.release(JOB)
    claim(world, OTHER)
    again = [
        WatchedEvent(drum, 3, "two", "id2"),
        WatchedEvent(drum, 4, "two", "id3"),
        WatchedEvent(drum, 5, "two", "id3"),
    ]
    assert store(world, *again, WatchedEvent(drum, 6, "two"), WatchedEvent(drum, 7, "two"), job=OTHER) == {drum: 7}

    assert [payload["payload"] for name, payload in stored(world) if name == "stock" and payload["payload"] != 1] == [
        "one",
        "two",
        "two",
        "two",
        "two",
    ]
    # Those of long ago are not kept: of the drum, up to its fifth event.
    with world.database.begin() as tx:
        known = {(drum, message_hash(name)) for name in ("id1", "id2", "id3")} | {(bell, message_hash("id2"))}
        assert tx.watchers.messages.known(known) == {(bell, message_hash("id2"))}


def test_who_lost_a_watcher_stores_nothing_of_it(world: World) -> None:
    """E6: one that was taken for dead, and is back."""
    drum = claim(world)["bells.Drum"]
    with world.database.begin() as tx:
        tx.watchers.release(JOB)
    assert drum in claim(world, OTHER).values()

    assert store(world, WatchedEvent(drum, 1, "late")) == {}
    assert store(world, WatchedEvent(drum, 1, "new"), job=OTHER) == {drum: 1}
    assert stored(world) == [("stock", extra("new"))]


def test_nobody_runs_what_no_dag_waits_for(world: World) -> None:
    keys = claim(world)
    running: dict[WatcherKey, str | None] = dict.fromkeys(keys.values())
    now = world.clock.now()

    with world.database.begin() as tx:
        assert find_unwanted_watchers(tx, JOB, running) == set()
        pause_dag(tx, "sales", now, is_paused=True)
        assert find_unwanted_watchers(tx, JOB, running) == set(running)
        assert claim_watchers(tx, JOB, 10) == []
        pause_dag(tx, "sales", now, is_paused=False)
        assert {work.watcher.key for work in claim_watchers(tx, OTHER, 10)} == set(running)
        delete_dag(tx, "sales")
        assert find_unwanted_watchers(tx, OTHER, running) == set(running)
        assert tx.watchers.sealed() == []


def test_a_dag_that_changes_its_watchers_has_others(world: World) -> None:
    claim(world)
    drum = WatcherRef("drum", "bells.Drum", {"louder": True})
    world.dag(Task("load"), dag_id="sales", assets=AssetRef("stock", "db://stock", watchers=(drum,)))

    with world.database.begin() as tx:
        (work,) = claim_watchers(tx, OTHER, 10)
        assert (work.watcher.kwargs, [asset.name for asset in work.assets]) == ('{"louder": true}', ["stock"])


def test_what_watchers_are_given_is_kept_once_and_under_the_newest_key(world: World) -> None:
    """E5."""
    cipher = Encryption([new_key()])
    with world.database.begin() as tx:
        assert rotate_keys(tx, cipher, world.clock.now()).triggers == 2
        assert all(each.is_encrypted and "hush" not in each.kwargs for each in tx.watchers.sealed())

    dag = Dag(dag_id="sales", tasks=(Task("load", outlets=(ORDERS,)),), assets=AnyAsset((STOCK, ORDERS)))
    hidden = without_watcher_arguments(dag)
    assert "hush" in repr(dag)
    assert "hush" not in repr(hidden)
    assert without_watcher_arguments(Dag(dag_id="plain", tasks=(Task("a"),))).tasks == (Task("a"),)


def test_equal_triggers_of_one_bundle_are_one_watcher() -> None:
    one = watcher_identity("a.B", {"x": 1, "y": 2}, "files")

    assert one == watcher_identity("a.B", {"y": 2, "x": 1}, "files")
    assert len({one, watcher_identity("a.B", {"x": 1, "y": 2}, "git"), watcher_identity("a.B", {}, "files")}) == 3
