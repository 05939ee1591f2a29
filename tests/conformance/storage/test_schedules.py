"""The stores of what starts runs besides the clock: deliveries of updates, DAGs to look at, slots (C2, C4)."""

from datetime import datetime

import pytest
import sqlalchemy as sa

from tests.conformance.storage.test_assets import add
from tests.conformance.storage.worlds import NOW, World, minutes
from tests.databases import DatabaseKind
from tradewind.model.asset import AssetKey
from tradewind.model.ids import RunKey
from tradewind.model.slot import NewSlot, SlotEnd
from tradewind.model.slot_policy import EventWindow, SlotState
from tradewind.model.timetable import DataInterval, RunInfo
from tradewind.storage.dag_changes import LOOK_AHEAD
from tradewind.storage.database import Database
from tradewind.storage.interface.schedule_stores import Delivery, Listener, Waiting
from tradewind.storage.interface.shared_stores import NewAssetEvent, UnseenEvent
from tradewind.storage.transaction import SqlTransaction

RUN = RunKey(1)


def delivered(tx: SqlTransaction, dag_id: str, asset: AssetKey, at: datetime, partition: str | None = None) -> int:
    (event,) = tx.asset_events.add([NewAssetEvent(asset_key=asset, partition_key=partition)], at)
    tx.deliveries.deliver([Delivery(dag_id, event, asset, at, partition)])
    return event


def test_listeners_are_found_by_what_they_wait_for(store: Database) -> None:
    with store.begin() as tx:
        assert not tx.deliveries.is_anybody_listening()
        first, second = Listener("d1", "asset", "7"), Listener("d1", "name", "orders")
        third = Listener("d2", "alias", "orders")
        tx.deliveries.listen(["d1", "d2"], [first, second, third])
        tx.deliveries.listen(["d1", "d2"], [first, second, third])

        assert tx.deliveries.heard_by(["d1", "d3"]) == {first, second}
        assert tx.deliveries.is_anybody_listening()
        assert tx.deliveries.listeners(["orders", "x", "ö"]) == [second, third]
        assert tx.deliveries.listeners([]) == []
        assert tx.deliveries.listening(["d1", "d3"]) == {"d1"}
        tx.deliveries.listen(["d1"], [])
        assert tx.deliveries.listeners(["orders", "7"]) == [third]


def test_aliases_stand_for_assets_active_or_not(store: Database) -> None:
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b", is_active=False)
        tx.assets.attach([("x", a), ("x", b), ("y", b)])

        assert tx.assets.attached_to(["x", "y", "z", "ö"]) == {"x": {a, b}, "y": {b}}
        assert tx.assets.attached_to([]) == {}


def test_the_versions_of_dags_are_read_together(world: World, store: Database) -> None:
    world.run("one")
    version_key = world.find("one").version_key

    with store.begin() as tx:
        assert tx.deliveries.versions(["sales", "unknown"]) == {"sales": version_key}


def test_new_updates_are_handed_out_once(store: Database) -> None:
    """C2."""
    with store.begin() as tx:
        a = add(tx, "a")
        tx.asset_events.add([NewAssetEvent(asset_key=a)], NOW)
        assert not tx.asset_events.is_any_new()
        event = NewAssetEvent(asset_key=a, extra={"x": 1}, partition_key="p", aliases=("alias",))
        first, second, third = tx.asset_events.add([event] * 3, NOW, is_awaited=True)
        tx.dag_changes.tell()

    assert tx.has_recorded_changes
    with store.begin() as tx:
        assert tx.asset_events.is_any_new()
        assert tx.asset_events.new(2) == [UnseenEvent(key, a, NOW, "p", ("alias",)) for key in (first, second)]
        tx.asset_events.hand_out([first, second], first)
        assert [each.event_key for each in tx.asset_events.new(9)] == [third]
        tx.asset_events.hand_out([third], 0)
        assert tx.asset_events.new(9) == []
        assert not tx.asset_events.is_any_new()


def test_a_row_stands_for_all_updates_of_a_batch(store: Database) -> None:
    """C2."""
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b")
        events = [
            tx.asset_events.add([NewAssetEvent(asset_key=a)], NOW + minutes(n), is_awaited=True)[0] for n in range(3)
        ]
        tx.asset_events.hand_out(events, events[0])
        batch = Delivery("d", events[0], a, NOW + minutes(2), batch_key=events[0], number=3, first_at=NOW)
        tx.deliveries.deliver([batch, batch._replace(dag_id="other")])
        alone = delivered(tx, "d", b, NOW + minutes(1))
        assert tx.deliveries.waiting("d") == [Waiting("d", a, NOW, 3), Waiting("d", b, NOW + minutes(1), 1)]
        assert tx.deliveries.newest_at("d") == NOW + minutes(2)

        assert tx.deliveries.take("d", RUN) == 2

        heard = [(RUN, events[0]), (RUN, events[1]), (RUN, alone), (RUN, events[2])]
        assert tx.deliveries.consumed([RUN]) == heard
        assert [each.event_key for each in tx.asset_events.consumed_by([RUN])[RUN]] == [key for _, key in heard]
        pages = [tx.asset_events.consumed_after("d", RUN, after, 2) for after in (0, events[1])]
        assert [[each.event_key for each in page] for page in pages] == [events[:2], [events[2], alone]]
        assert (tx.deliveries.consumed_more([RUN], 3), tx.deliveries.consumed_more([RUN], 4)) == ({RUN}, set())
        assert [(each.dag_id, each.number) for each in tx.deliveries.waiting()] == [("other", 3)]


def test_a_backfill_lets_a_run_have_past_updates_beside_who_consumed_them(store: Database) -> None:
    """C2, C6."""
    with store.begin() as tx:
        a, b, c = add(tx, "a"), add(tx, "b"), add(tx, "c")
        first = delivered(tx, "d", a, NOW)
        second = delivered(tx, "d", b, NOW + minutes(1))
        delivered(tx, "d", c, NOW + minutes(1))
        delivered(tx, "d", a, NOW + minutes(2))
        tx.deliveries.take("d", RUN, event=first)
        waiting = tx.deliveries.waiting("d")
        window = EventWindow(NOW, NOW + minutes(1))

        assert tx.asset_events.instants([a, b], window, 9) == [(NOW, a), (NOW + minutes(1), b)]
        assert tx.asset_events.instants([a, b], window, 1) == [(NOW, a)]
        assert tx.asset_events.instants([], window, 9) == []
        tx.deliveries.take_past("d", RunKey(2), [a, b], window, "backfill 1")
        tx.deliveries.take_past("d", RunKey(3), [a, b], window, "backfill 2")

        expected = [(RUN, first), (RunKey(2), first), (RunKey(3), first), (RunKey(2), second), (RunKey(3), second)]
        assert sorted(tx.deliveries.consumed([RUN, RunKey(2), RunKey(3)])) == sorted(expected)
        assert tx.deliveries.waiting("d") == waiting


def test_a_run_consumes_what_is_pending_for_its_dag_once(store: Database) -> None:
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b")
        first = delivered(tx, "d", a, NOW)
        second = delivered(tx, "d", a, NOW + minutes(1))
        third = delivered(tx, "d", b, NOW + minutes(2))
        other = delivered(tx, "other", a, NOW)

        assert tx.deliveries.oldest([("d", a), ("d", b), ("other", b)]) == {("d", a): first, ("d", b): third}
        assert tx.deliveries.oldest([]) == {}
        assert tx.deliveries.newest_at("d") == NOW + minutes(2)
        assert tx.deliveries.newest_at("d", event=second) == NOW + minutes(1)
        assert tx.deliveries.waiting("d") == [Waiting("d", a, NOW, 2), Waiting("d", b, NOW + minutes(2), 1)]
        assert tx.deliveries.take("d", RUN, event=second) == 1
        assert tx.deliveries.take("d", RunKey(2), event=second) == 0
        assert tx.deliveries.take("d", RunKey(2)) == 2
        assert tx.deliveries.take("d", RunKey(3)) == 0

        assert tx.deliveries.consumed([RUN, RunKey(2)]) == [(RunKey(2), first), (RUN, second), (RunKey(2), third)]
        assert tx.deliveries.consumed([RUN, RunKey(2)], limit=1) == [(RunKey(2), first)]
        consumed = tx.asset_events.consumed_by([RUN, RunKey(9)])
        assert [event.event_key for event in consumed.pop(RUN)] == [second]
        assert consumed == {}
        assert tx.deliveries.dags_with_pending() == ["other"]
        assert tx.deliveries.oldest([("other", a)]) == {("other", a): other}


def test_a_window_bounds_what_counts(store: Database) -> None:
    """C4."""
    with store.begin() as tx:
        a = add(tx, "a")
        early = delivered(tx, "d", a, NOW)
        late = delivered(tx, "d", a, NOW + minutes(9), "p")

        for window, event in (
            (EventWindow(after=NOW), early),
            (EventWindow(after=NOW + minutes(1)), late),
            (EventWindow(before=NOW + minutes(8)), early),
            (EventWindow(partition_key="p"), late),
            (EventWindow(partition_key="q"), None),
        ):
            assert tx.slots.updated_in("d", [a], [window]) == [set() if event is None else {a}]
        assert tx.deliveries.newest_at("d", window=EventWindow(before=NOW)) == NOW
        assert tx.deliveries.take("d", RUN, window=EventWindow(before=NOW)) == 1
        assert tx.deliveries.consumed([RUN]) == [(RUN, early)]


def test_many_windows_are_asked_about_at_once(store: Database) -> None:
    """C4."""
    with store.begin() as tx:
        a, b, c = add(tx, "a"), add(tx, "b"), add(tx, "c")
        delivered(tx, "d", a, NOW)
        delivered(tx, "d", b, NOW + minutes(9), "p")
        delivered(tx, "other", c, NOW)
        windows = [
            EventWindow(),
            EventWindow(NOW, NOW + minutes(1)),
            EventWindow(after=NOW + minutes(1)),
            EventWindow(partition_key="p"),
            EventWindow(NOW + minutes(1), NOW + minutes(2)),
        ]

        assert tx.slots.updated_in("d", [a, b, c], windows) == [{a, b}, {a}, {b}, {b}, set()]
        assert tx.slots.updated_in("d", [], windows[:1]) == [set()]
        assert tx.slots.updated_in("d", [a], []) == []


def test_past_updates_are_found_whoever_consumed_them(store: Database) -> None:
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b")
        delivered(tx, "d", a, NOW, "p")
        tx.deliveries.take("d", RUN)

        assert tx.asset_events.updated([a, b], EventWindow(NOW, NOW)) == {a}
        assert tx.asset_events.updated([a, b], EventWindow(partition_key="p")) == {a}
        assert tx.asset_events.updated([a, b], EventWindow(partition_key="q")) == set()
        assert tx.asset_events.updated([a], EventWindow(after=NOW + minutes(1))) == set()
        assert tx.asset_events.updated([b], EventWindow()) == set()


def test_pending_updates_are_forgotten_on_demand(store: Database) -> None:
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b")
        for dag_id in ("d", "e"):
            delivered(tx, dag_id, a, NOW)
            delivered(tx, dag_id, b, NOW + minutes(5))
        tx.deliveries.take("e", RUN)

        assert tx.deliveries.drop("d", a, before=NOW) == 0
        assert tx.deliveries.drop(asset_key=a) == 1
        assert tx.deliveries.waiting(asset_key=b) == [Waiting("d", b, NOW + minutes(5), 1)]
        tx.deliveries.keep_only("d", [b])
        assert len(tx.deliveries.waiting()) == 1
        tx.deliveries.keep_only("d", [])
        assert tx.deliveries.waiting() == []
        assert len(tx.deliveries.consumed([RUN])) == 2


def test_runs_of_many_dags_consume_in_one_statement_what_each_has(store: Database) -> None:
    """C2."""
    with store.begin() as tx:
        a = add(tx, "a")
        for dag_id in ("d", "e", "f"):
            delivered(tx, dag_id, a, NOW)
        second = delivered(tx, "e", a, NOW + minutes(1))
        third = delivered(tx, "d", a, NOW + minutes(2))

        chosen = [("d", None), ("e", second), ("none", None), ("f", third)]
        assert tx.deliveries.newest_of_each(chosen) == {"d": NOW + minutes(2), "e": NOW + minutes(1)}
        assert tx.deliveries.newest_of_each([]) == {}
        taken = [("d", RUN, None), ("e", RunKey(2), second), ("none", RunKey(3), None), ("f", RunKey(4), third)]
        assert tx.deliveries.take_each(taken) == 3
        assert tx.deliveries.take_each(taken) == 0
        assert tx.deliveries.take_each([]) == 0
        assert len(tx.deliveries.consumed([RUN])) == 2
        assert tx.deliveries.consumed([RunKey(2)]) == [(RunKey(2), second)]
        assert {each.dag_id: each.number for each in tx.deliveries.waiting()} == {"e": 1, "f": 1}


def test_what_a_run_consumed_is_read_in_pages(store: Database) -> None:
    """C2."""
    with store.begin() as tx:
        a = add(tx, "a")
        before = delivered(tx, "d", a, NOW)
        tx.deliveries.take("d", RunKey(2))
        events = [delivered(tx, "d", a, NOW) for _ in range(3)]
        delivered(tx, "other", a, NOW)
        tx.deliveries.take("d", RUN)
        tx.deliveries.take("other", RunKey(3))

        def page(after: int, limit: int, run_key: RunKey = RUN) -> list[int]:
            return [each.event_key for each in tx.asset_events.consumed_after("d", run_key, after, limit)]

        assert page(0, 2) == events[:2]
        assert page(events[1], 2) == events[2:]
        assert page(events[2], 2) == []
        assert page(0, 2, RunKey(2)) == [before]
        assert tx.deliveries.consumed_more([RUN, RunKey(2), RunKey(3), RunKey(9)], 0) == {RUN, RunKey(2), RunKey(3)}
        assert tx.deliveries.consumed_more([RUN, RunKey(2)], 2) == {RUN}
        assert tx.deliveries.consumed_more([RUN, RunKey(2)], 3) == set()


def test_what_a_run_consumed_in_many_batches_is_read_in_a_few_statements(store: Database) -> None:
    """(C2, B9) Where updates trickle in while a DAG cannot have a run, each few of them are a batch."""
    said: list[str] = []
    with store.begin() as tx:
        a = add(tx, "a")
        events = tx.asset_events.add([NewAssetEvent(asset_key=a)] * 60, NOW)
        alone, batched = events[::20], [key for key in events if key not in events[::20]]
        tx.deliveries.deliver([Delivery("d", key, a, NOW) for key in alone])
        # Of two that are next to one another, the keys lie in one another's range.
        for first in range(0, len(batched), 6):
            for keys in (batched[first : first + 6 : 2], batched[first + 1 : first + 6 : 2]):
                tx.asset_events.hand_out(keys, batch_key=keys[0])
                batch = Delivery("d", keys[0], a, NOW, batch_key=keys[0], number=len(keys), first_at=NOW)
                tx.deliveries.deliver([batch])
        tx.deliveries.take("d", RUN)
        sa.event.listen(tx.connection, "before_cursor_execute", lambda *given: said.append(given[2]))

        pages = [tx.asset_events.consumed_after("d", RUN, after, 16) for after in (0, *events[15::16])]

    assert [[each.event_key for each in page] for page in pages] == [events[i : i + 16] for i in range(0, 60, 16)]
    assert len(said) <= 4 * len(pages)


@pytest.mark.parametrize("database_kind", ["mysql"], indirect=True)
@pytest.mark.parametrize(("are_batched", "most"), [(False, 1_100), (True, 200)])
def test_a_page_of_what_a_run_consumed_sorts_no_more_than_itself(
    store: Database, database_kind: DatabaseKind, are_batched: bool, most: int
) -> None:
    """(C2, B9) The other databases have plans to be looked at; this one counts what it reads. Of updates that came by
    themselves, each is asked once whether it is a batch."""

    def rows_read(tx: SqlTransaction) -> int:
        status = tx.connection.exec_driver_sql("SHOW SESSION STATUS LIKE 'Handler_read%%'", {})
        return sum(int(value) for _, value in status)

    with store.begin() as tx:
        a = add(tx, "a")
        events = tx.asset_events.add([NewAssetEvent(asset_key=a)] * 1_000, NOW)
        alone, batches = ([], events[::50]) if are_batched else (events, [])
        for first in batches:
            tx.asset_events.hand_out(range(first, first + 50), batch_key=first)
        tx.deliveries.deliver([Delivery("d", key, a, NOW) for key in alone])
        tx.deliveries.deliver([Delivery("d", key, a, NOW, batch_key=key, number=50, first_at=NOW) for key in batches])
        tx.deliveries.take("d", RUN)
        before = rows_read(tx)

        page = tx.asset_events.consumed_after("d", RUN, events[499], 20)

        assert [each.event_key for each in page] == events[500:520]
        assert rows_read(tx) - before < most


def test_updates_that_were_not_handed_out_are_seen_once_of_each_kind(store: Database) -> None:
    """C2."""
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b")
        first, _, part, _ = tx.asset_events.add(
            [NewAssetEvent(asset_key=a, partition_key=key) for key in (None, None, "x", "y")], NOW, is_awaited=True
        )
        (aliased,) = tx.asset_events.add(
            [NewAssetEvent(asset_key=b, aliases=("one", "two"))], NOW + minutes(1), is_awaited=True
        )
        tx.asset_events.add([NewAssetEvent(asset_key=b)], NOW)

        assert sorted(tx.asset_events.unseen([a, b], EventWindow())) == [
            UnseenEvent(first, a, NOW, None, ()),
            UnseenEvent(part, a, NOW, "x", ()),
            UnseenEvent(aliased, b, NOW + minutes(1), None, ("one", "two")),
        ]
        late = EventWindow(after=NOW + minutes(1))
        assert [each.event_key for each in tx.asset_events.unseen([a, b], late)] == [aliased]
        assert tx.asset_events.unseen([b], EventWindow(partition_key="x")) == []
        tx.asset_events.hand_out([first, part, aliased], 0)
        assert [each.event_key for each in tx.asset_events.unseen([a, b], EventWindow(partition_key="y"))] != []
        assert tx.asset_events.unseen([b], EventWindow()) == []


def test_dags_to_look_at_are_taken_once_the_longest_waiting_first(store: Database) -> None:
    with store.begin() as tx:
        tx.dag_changes.record(["b"], NOW)
        tx.dag_changes.record(["a", "b", "a"], NOW)
        tx.dag_changes.record([], NOW)
        assert tx.has_recorded_changes

        assert tx.dag_changes.pending(5) == ["b", "a"]
        assert tx.dag_changes.pending(1) == ["b"]
        tx.dag_changes.take(["b", "c"])
        assert tx.dag_changes.pending(5) == ["a"]
        tx.dag_changes.take([])


def test_a_look_for_dags_reads_no_more_than_its_share_and_leaves_none_out(store: Database) -> None:
    """(B9) One DAG that thousands of updates came for hides others only until somebody has looked at it."""
    with store.begin() as tx:
        for _ in range(LOOK_AHEAD):
            tx.dag_changes.record(["busy"], NOW)
        tx.dag_changes.record(["late"], NOW)

        assert tx.dag_changes.pending(5) == ["busy"]
        tx.dag_changes.take(["busy"])
        assert tx.dag_changes.pending(5) == ["late"]


def test_nothing_to_look_at_wakes_nobody(store: Database) -> None:
    with store.begin() as tx:
        tx.dag_changes.record([], NOW)

        assert not tx.has_recorded_changes


def test_a_tick_is_one_slot_and_waits_until_it_is_settled_once(world: World, store: Database) -> None:
    """C4."""
    world.dag("d")
    first = RunInfo(NOW, DataInterval(NOW - minutes(60), NOW))
    second = RunInfo(NOW + minutes(60), None)
    with store.begin() as tx:
        assert tx.slots.add([NewSlot("d", second)], NOW) == 1
        assert tx.slots.add([NewSlot("d", first, deadline_at=NOW + minutes(5)), NewSlot("d", second)], NOW) == 1
        assert tx.slots.add([NewSlot("d", first)], NOW) == 0
        assert tx.slots.add([], NOW) == 0

        older, newer = tx.slots.waiting(["d", "e"])
        assert (older.info, newer.info) == (first, second)
        assert (older.state, older.run_key, older.settled_at) == (SlotState.WAITING, None, None)
        assert tx.slots.last("d") == newer
        assert tx.slots.last("e") is None
        assert tx.slots.counts() == {"d": 2}
        assert tx.slots.overdue(NOW + minutes(4), 10) == []
        assert tx.slots.overdue(NOW + minutes(5), 10) == ["d"]
        assert tx.slots.next_deadline(NOW) == NOW + minutes(5)
        assert tx.slots.next_deadline(NOW + minutes(5)) is None
        assert tx.slots.end([SlotEnd(older.key, SlotState.OPEN, RUN, "why")], NOW) == {older.key}
        assert tx.slots.end([SlotEnd(older.key, SlotState.EXPIRED)], NOW) == set()
        assert tx.slots.waiting(["d"]) == [newer]
        assert tx.slots.next_deadline(NOW) is None


def test_a_slot_whose_deadline_was_dealt_with_goes_on_waiting(world: World, store: Database) -> None:
    world.dag("d")
    with store.begin() as tx:
        tx.slots.add([NewSlot("d", RunInfo(NOW, None), deadline_at=NOW)], NOW)
        (slot,) = tx.slots.waiting(["d"])

        tx.slots.note(slot, "late")

        (slot,) = tx.slots.waiting(["d"])
        assert (slot.deadline_at, slot.reason) == (None, "late")


def test_slots_are_looked_at_from_a_tick_on_or_by_their_deadline(world: World, store: Database) -> None:
    """C4."""
    world.dag("d")
    ticks = [NOW + minutes(number) for number in range(4)]
    with store.begin() as tx:
        tx.slots.add([NewSlot("d", RunInfo(tick, None), tick + minutes(5)) for tick in ticks], NOW)

        assert [slot.info.run_after for slot in tx.slots.first_waiting("d", 2)] == ticks[:2]
        assert [slot.info.run_after for slot in tx.slots.first_waiting("d", 9, ticks[2])] == ticks[2:]
        assert tx.slots.first_waiting("e", 9) == []
        assert [slot.info.run_after for slot in tx.slots.overdue_of("d", NOW + minutes(6), 9)] == ticks[:2]
        assert len(tx.slots.overdue_of("d", NOW + minutes(6), 1)) == 1
        found = tx.slots.at("d", ticks[1])
        assert found is not None
        assert found.info.run_after == ticks[1]
        assert tx.slots.at("d", NOW - minutes(1)) is None


def test_only_slots_that_wait_are_superseded_or_settled_by_a_run_of_their_date(world: World, store: Database) -> None:
    """C4."""
    world.dag("d")
    ticks = [NOW + minutes(number) for number in range(4)]
    with store.begin() as tx:
        tx.slots.add([NewSlot("d", RunInfo(tick, DataInterval(tick, tick)), NOW) for tick in ticks], NOW)
        slots = tx.slots.waiting(["d"])
        tx.slots.end([SlotEnd(slots[0].key, SlotState.OPEN, RUN)], NOW)

        tx.slots.settle_date("d", ticks[0], RunKey(9), "by hand", NOW)
        tx.slots.settle_date("d", ticks[1], RunKey(9), "by hand", NOW)
        assert tx.slots.supersede([slot.key for slot in slots[:3]], "why", NOW) == 1
        assert tx.slots.supersede([], "why", NOW) == 0
        assert tx.slots.supersede_all(["d", "e"], "all", NOW) == 1
        assert tx.slots.supersede_all([], "all", NOW) == 0

        found = [tx.slots.at("d", tick) for tick in ticks]
        assert [slot and (slot.state, slot.run_key, slot.reason, slot.deadline_at) for slot in found] == [
            (SlotState.OPEN, RUN, None, None),
            (SlotState.OPEN, RunKey(9), "by hand", None),
            (SlotState.SUPERSEDED, None, "why", None),
            (SlotState.SUPERSEDED, None, "all", None),
        ]
