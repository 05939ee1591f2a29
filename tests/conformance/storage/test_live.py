"""The store of live changes, and who writes into it (A8)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.conformance.storage.worlds import NOW, World
from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.live import MOST_NAMED, LiveEntry, LiveKind, LiveRow
from tradewind.model.states import RunState, TaskState
from tradewind.storage.database import Database
from tradewind.storage.interface import Transaction
from tradewind.storage.live import LOOK_EVERY_S, TOLD_FOR_S, LiveJournal
from tradewind.telemetry.events import DagsPaused, DatabaseBack, RunMoved, TasksMoved
from tradewind.testing.clock import FakeClock

PAUSED = DagsPaused(("etl",), is_paused=True)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def writer(store: Database, clock: FakeClock) -> Iterator[Database]:
    """A process whose changes may be watched."""
    url = store.engine.url.render_as_string(hide_password=False)
    database = Database(url, journal=LiveJournal(clock.now, clock.monotonic))
    yield database
    database.close()


def listen(store: Database, clock: FakeClock) -> None:
    with store.begin() as tx:
        tx.live.listen(clock.now())


def tell(writer: Database, times: int = 1) -> None:
    for _ in range(times):
        with writer.begin() as tx:
            tx.emit(PAUSED)


def seen(store: Database) -> list[LiveEntry]:
    with store.begin() as tx:
        return [entry for row in tx.live.after(0, (), 1_000) for entry in row.entries]


def test_nothing_is_written_while_nobody_listens(store: Database, writer: Database) -> None:
    tell(writer)

    assert seen(store) == []


def test_what_a_transaction_did_is_one_row_that_comes_back_as_it_was(
    store: Database, writer: Database, clock: FakeClock
) -> None:
    listen(store, clock)
    with writer.begin() as tx:
        tx.emit(RunMoved(RunKey(7), "ätl", "run 1", RunState.RUNNING), DatabaseBack(1.0))
        tx.emit(TasksMoved(TaskState.QUEUED, (TaskKey(RunKey(7), "a"), TaskKey(RunKey(8), "b", 2))))

    with store.begin() as tx:
        (row,) = tx.live.after(0, (), 10)
    assert row.at == clock.now()
    assert row.entries == [
        LiveEntry(LiveKind.DAG_RUN, "running", "ätl", "run 1"),
        LiveEntry(LiveKind.TASK_INSTANCE, "queued", run_key=7, tasks=(("a", -1),)),
        LiveEntry(LiveKind.TASK_INSTANCE, "queued", run_key=8, tasks=(("b", 2),)),
    ]


def test_what_was_rolled_back_is_not_told(store: Database, writer: Database, clock: FakeClock) -> None:
    listen(store, clock)

    def work(tx: Transaction) -> None:
        tx.emit(PAUSED)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        writer.transact(work)

    assert seen(store) == []


def test_a_transaction_without_news_writes_nothing(store: Database, writer: Database, clock: FakeClock) -> None:
    listen(store, clock)
    with writer.begin() as tx:
        tx.emit(DatabaseBack(1.0))

    assert seen(store) == []


def test_too_many_are_told_of_as_a_number(store: Database, writer: Database, clock: FakeClock) -> None:
    listen(store, clock)
    many = tuple(TaskKey(RunKey(7), f"task_{number}") for number in range(MOST_NAMED + 1))
    with writer.begin() as tx:
        tx.emit(TasksMoved(TaskState.SKIPPED, many), DagsPaused(tuple(key.task_id for key in many), is_paused=False))

    assert seen(store) == [
        LiveEntry(LiveKind.TASK_INSTANCE, "skipped", run_key=7, number=len(many)),
        LiveEntry(LiveKind.DAG, "unpaused", number=len(many)),
    ]


def test_a_writer_notices_within_a_second_that_somebody_listens(
    store: Database, writer: Database, clock: FakeClock
) -> None:
    tell(writer)
    listen(store, clock)
    clock.advance(LOOK_EVERY_S)
    tell(writer)

    assert len(seen(store)) == 1


def test_a_writer_stops_when_the_listener_is_silent_and_goes_on_when_it_is_not(
    store: Database, writer: Database, clock: FakeClock
) -> None:
    listen(store, clock)
    for _ in range(3):
        tell(writer)
        clock.advance(TOLD_FOR_S)

    assert len(seen(store)) == 1

    listen(store, clock)
    tell(writer)

    assert len(seen(store)) == 2


def test_who_listens_is_told_when_it_was_last_said(store: Database) -> None:
    with store.begin() as tx:
        assert tx.live.listen(NOW) is None
    with store.begin() as tx:
        assert tx.live.listen(NOW + timedelta(seconds=5)) == NOW
        assert tx.live.listen(NOW) == NOW + timedelta(seconds=5)


def test_rows_are_read_on_from_a_key_and_fetched_by_their_keys(
    store: Database, writer: Database, clock: FakeClock
) -> None:
    listen(store, clock)
    tell(writer, 4)

    with store.begin() as tx:
        keys = [key for key, _ in tx.live.kept()]
        assert keys == sorted(keys)
        assert [row.key for row in tx.live.after(keys[1], (), 10)] == keys[2:]
        assert [row.key for row in tx.live.after(keys[1], (keys[0], 10**9), 2)] == [keys[0], keys[2]]


def test_what_is_old_is_forgotten_and_no_key_is_given_twice(
    store: Database, writer: Database, clock: FakeClock
) -> None:
    listen(store, clock)
    tell(writer, 3)
    with store.begin() as tx:
        keys = [key for key, _ in tx.live.kept()]
        tx.live.forget(keys[1])
        assert [key for key, _ in tx.live.kept()] == keys[2:]
        tx.live.begin_anew(NOW)
        ((begin, at),) = tx.live.kept()
        assert begin > keys[-1]
        assert at == NOW
    tell(writer)

    with store.begin() as tx:
        assert [row.key > begin for row in tx.live.after(begin, (), 10)] == [True]
        assert tx.live.after(begin - 1, (), 1) == [LiveRow(begin, NOW, [])]


def test_runs_have_names_for_people(store: Database, world: World) -> None:
    world.dag("etl")
    run_key = world.run("monday", "etl")

    with store.begin() as tx:
        assert tx.live.names_of_runs([run_key, RunKey(10**9)]) == {run_key: ("etl", "monday")}
