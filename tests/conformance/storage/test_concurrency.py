"""Two transactions at once: who waits, who passes by, and who sees what (A2, B4).

On PostgreSQL and MySQL rows are locked; on SQLite there is one writer, and the second transaction waits for the first.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Event
from typing import Protocol, TypeVar

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World, candidate, minutes, new_task, scheduled
from tests.databases import DatabaseKind
from tradewind.model.ids import AttemptKey, RunKey, TaskKey
from tradewind.model.pool import Pool
from tradewind.model.run import RunCounts
from tradewind.model.states import TaskState
from tradewind.model.task import Started
from tradewind.model.timetable import RunInfo
from tradewind.storage.database import Database
from tradewind.storage.interface import AttemptEnd
from tradewind.storage.transaction import SqlTransaction

T = TypeVar("T")

PATIENCE_S = 30
"""How long to wait for what must come."""
MOMENT_S = 0.15
"""How long to watch something that must not come."""

servers = pytest.mark.parametrize("database_kind", ["postgres", "mysql"], indirect=True)


class Rival(Protocol):
    """Another scheduler: does its work in a transaction and a thread of its own."""

    def __call__(self, work: Callable[[SqlTransaction], T]) -> Future[T]: ...


@pytest.fixture
def rival(store: Database) -> Iterator[Rival]:
    with ThreadPoolExecutor(1) as thread:

        def start(work: Callable[[SqlTransaction], T]) -> Future[T]:
            def within_a_transaction() -> T:
                with store.begin() as tx:
                    return work(tx)

            return thread.submit(within_a_transaction)

        yield start


def assert_waits(future: Future[T]) -> None:
    """It does not get on as long as nothing changes."""
    with pytest.raises(TimeoutError):
        future.result(MOMENT_S)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_on_sqlite_the_second_transaction_waits_for_the_first_and_sees_what_it_wrote(
    database_kind: DatabaseKind, store: Database, rival: Rival
) -> None:
    with store.begin() as tx:
        tx.pools.create(Pool("a", 1))
        names = rival(lambda other: [pool.name for pool in other.pools.lock(["a"], skip_locked=True)])
        assert_waits(names)

    assert names.result(PATIENCE_S) == ["a"]


@servers
def test_skip_locked_passes_by_what_others_hold(database_kind: DatabaseKind, world: World, store: Database) -> None:
    keys = [world.run(name) for name in ("r1", "r2")]
    world.dag("stock")
    with store.begin() as tx:
        for name in ("a", "b"):
            tx.pools.create(Pool(name, 1))

    with store.begin() as first, store.begin() as second:
        first.pools.lock(["a"])
        first.dags.lock(["sales"])
        first.runs.lock(keys[:1])

        assert [pool.name for pool in second.pools.lock(["a", "b"], skip_locked=True)] == ["b"]
        assert [dag.dag_id for dag in second.dags.lock(["sales", "stock"], skip_locked=True)] == ["stock"]
        assert [run.key for run in second.runs.lock(keys, skip_locked=True)] == keys[1:]
        assert second.runs.lock_heads(keys[:1]) == []
        second.changes.record_runs(keys, NOW)
        assert [run.key for run in second.changes.lock_dirty(9, job=JOB, foreign_before=NOW)] == keys[1:]


@servers
def test_due_dags_are_handed_to_one_scheduler_each(database_kind: DatabaseKind, world: World, store: Database) -> None:
    for number in range(4):
        world.dag(f"d{number}")
        with store.begin() as tx:
            tx.dags.set_next_run(f"d{number}", RunInfo(NOW - minutes(number), None))

    with store.begin() as first, store.begin() as second:
        mine = [dag.dag_id for dag in first.dags.due(NOW, 2)]
        theirs = [dag.dag_id for dag in second.dags.due(NOW, 2)]

    assert (mine, theirs) == (["d3", "d2"], ["d1", "d0"])


@servers
def test_due_timers_are_handed_to_one_scheduler_each(
    database_kind: DatabaseKind, world: World, store: Database
) -> None:
    run_key = world.running()
    for number in range(4):
        world.task(TaskState.UP_FOR_RETRY, run_key, f"t{number}", wake_at=NOW - minutes(number))

    with store.begin() as first, store.begin() as second:
        mine = {key.task_id for key in first.attempts.due(NOW, 2)}
        theirs = {key.task_id for key in second.attempts.due(NOW, 2)}

    assert (mine, theirs) == ({"t3", "t2"}, {"t1", "t0"})


@servers
def test_slots_counted_after_the_lock_include_what_the_lock_waited_for(
    database_kind: DatabaseKind, world: World, store: Database, rival: Rival
) -> None:
    """Or two schedulers would fill the same last slot (B4). The rival has looked before: no old snapshot may remain."""
    tasks = [new_task(world.running(), "a")]
    world.tasks(tasks)
    with store.begin() as tx:
        tx.pools.create(Pool("default_pool", 1))
    has_looked = Event()

    def count(other: SqlTransaction) -> tuple[int, int]:
        before = other.queue.slots_in_use(JOB)
        has_looked.set()
        (pool,) = other.pools.lock(["default_pool"])
        return before.of(pool), other.queue.slots_in_use(JOB).of(pool)

    with store.begin() as tx:
        tx.pools.lock(["default_pool"])
        assert tx.queue.admit([candidate(tasks[0])], JOB, NOW)
        counted = rival(count)
        assert has_looked.wait(PATIENCE_S)
        assert_waits(counted)

    assert counted.result(PATIENCE_S) == (0, 1)


@servers
def test_runs_counted_after_the_lock_include_what_the_lock_waited_for(
    database_kind: DatabaseKind, world: World, store: Database, rival: Rival
) -> None:
    """max_active_runs holds with any number of schedulers (B4)."""
    run_key = world.run("r1")
    has_looked = Event()

    def count(other: SqlTransaction) -> list[dict[str, RunCounts]]:
        before = other.runs.count_active(["sales"])
        has_looked.set()
        other.dags.lock(["sales"])
        return [before, other.runs.count_active(["sales"])]

    with store.begin() as tx:
        tx.dags.lock(["sales"])
        tx.runs.start([(run_key, None)], NOW)
        counted = rival(count)
        assert has_looked.wait(PATIENCE_S)
        assert_waits(counted)

    assert counted.result(PATIENCE_S) == [{"sales": RunCounts(0, 1)}, {"sales": RunCounts(1, 0)}]


@pytest.mark.parametrize("commits", [True, False], ids=["the first commits", "the first is rolled back"])
def test_changes_are_taken_exactly_once(world: World, store: Database, rival: Rival, commits: bool) -> None:
    """Whoever takes a change answers for it; if it fails, the other does (A2)."""
    run_key = world.running()
    everything = ({run_key}, {TaskKey(run_key, "a")})

    def take(tx: SqlTransaction) -> tuple[set[RunKey], set[TaskKey]]:
        taken = tx.changes.take([run_key])
        return taken.runs, taken.tasks

    with store.begin() as tx:
        tx.changes.record([TaskKey(run_key, "a")], NOW)
        tx.changes.record_runs([run_key], NOW)

    with suppress(ZeroDivisionError), store.begin() as tx:
        assert take(tx) == everything
        theirs = rival(take)
        assert_waits(theirs)
        if not commits:
            raise ZeroDivisionError

    assert theirs.result(PATIENCE_S) == ((set(), set()) if commits else everything)


@servers
def test_dirty_runs_that_another_has_locked_keep_their_changes(
    database_kind: DatabaseKind, world: World, store: Database, rival: Rival
) -> None:
    """Exactly one takes them, and each takes what it has locked (B7)."""
    mine, theirs = world.running("mine"), world.running("theirs")
    with store.begin() as tx:
        tx.changes.record_runs([mine, theirs], NOW)

    with store.begin() as tx:
        tx.runs.lock([mine])
        heads, taken = rival(lambda other: other.changes.take_dirty(9, job=OTHER_JOB, foreign_before=NOW)).result(
            PATIENCE_S
        )
        assert ([head.key for head in heads], taken.runs) == ([theirs], {theirs})

    with store.begin() as tx:
        heads, taken = tx.changes.take_dirty(9, job=JOB, foreign_before=NOW)
    assert ([head.key for head in heads], taken.runs) == ([mine], {mine})


@servers
def test_what_changes_after_dirty_runs_were_taken_is_there_for_the_next_look(
    database_kind: DatabaseKind, world: World, store: Database, rival: Rival
) -> None:
    run_key = world.running()
    first, second = (world.task(TaskState.RUNNING, run_key, name) for name in ("first", "second"))

    def end(attempt: AttemptKey, other: SqlTransaction) -> set[TaskKey]:
        return other.attempts.end([AttemptEnd(attempt, TaskState.SUCCESS, NOW)], recorded_at=NOW)

    with store.begin() as tx:
        end(first, tx)
    with store.begin() as tx:
        _, taken = tx.changes.take_dirty(9, job=JOB, foreign_before=NOW)
        assert [(seen.task_id, seen.state) for seen in taken.snapshots] == [("first", TaskState.SUCCESS)]
        # Who reports does not wait for who decides.
        assert rival(partial(end, second)).result(PATIENCE_S) == {second.task}

    with store.begin() as tx:
        _, taken = tx.changes.take_dirty(9, job=JOB, foreign_before=NOW)
    assert taken.tasks == {second.task}


@servers
def test_a_change_made_after_the_lock_is_not_taken_without_being_seen(
    database_kind: DatabaseKind, world: World, store: Database, rival: Rival
) -> None:
    """Whoever publishes a DAG waits for no lock on its runs. A fence that was read before would stay for ever."""
    attempt = world.task(TaskState.RUNNING, world.running())
    with store.begin() as tx:
        tx.dags.set_error("sales", "it does not parse")
        tx.changes.record_runs([attempt.run_key], NOW)

    def publish(other: SqlTransaction) -> None:
        other.dags.set_error("sales", None)
        other.attempts.end([AttemptEnd(attempt, TaskState.SUCCESS, NOW)])
        other.changes.record([attempt.task], NOW)

    with store.begin() as tx:
        assert [run.key for run in tx.changes.lock_dirty(9, job=JOB, foreign_before=NOW)] == [attempt.run_key]
        rival(publish).result(PATIENCE_S)
        taken = tx.changes.take([attempt.run_key])

    assert taken.tasks == {attempt.task}
    assert taken.flags[attempt.run_key].error is None
    assert [snapshot.state for snapshot in taken.snapshots] == [TaskState.SUCCESS]


@pytest.mark.parametrize("commits", [True, False], ids=["the first commits", "the first is rolled back"])
def test_a_move_is_made_exactly_once(world: World, store: Database, rival: Rival, commits: bool) -> None:
    """The row is looked at again after the wait: compare-and-swap holds under contention (A2)."""
    run_key = world.running()
    task = new_task(run_key)
    with store.begin() as tx:
        tx.tasks.create([task])
    key = TaskKey(run_key, "load")

    with suppress(ZeroDivisionError), store.begin() as tx:
        assert tx.tasks.advance([scheduled(task)], NOW) == {key}
        theirs = rival(lambda other: other.tasks.advance([scheduled(task)], NOW))
        assert_waits(theirs)
        if not commits:
            raise ZeroDivisionError

    assert theirs.result(PATIENCE_S) == (set() if commits else {key})


def test_a_task_is_admitted_exactly_once(world: World, store: Database, rival: Rival) -> None:
    """At most one live attempt per try, with any number of schedulers (A2)."""
    run_key = world.running()
    tasks = [new_task(run_key, f"t{number}") for number in range(3)]
    world.tasks(tasks)
    keys = [candidate(task).key for task in tasks]

    with store.begin() as tx:
        assert tx.queue.admit([candidate(task) for task in tasks[:2]], JOB, NOW) == set(keys[:2])
        theirs = rival(lambda other: other.queue.admit([candidate(task) for task in tasks], OTHER_JOB, NOW))
        assert_waits(theirs)

    assert theirs.result(PATIENCE_S) == {keys[2]}
    assert [(task.queued_by, task.attempt) for task in map(world.instance, keys)] == [
        (JOB, 1),
        (JOB, 1),
        (OTHER_JOB, 1),
    ]


def test_a_dead_scheduler_is_declared_so_by_one_other_only(store: Database, rival: Rival) -> None:
    with store.begin() as tx:
        dead = tx.jobs.start("scheduler", hostname="a", pid=1, now=NOW - minutes(10))
        silent = tx.jobs.live("scheduler")

    with store.begin() as tx:
        assert tx.jobs.declare_dead(silent, NOW) == {dead}
        theirs = rival(lambda other: other.jobs.declare_dead(silent, NOW))
        assert_waits(theirs)

    assert theirs.result(PATIENCE_S) == set()


def test_a_heartbeat_that_comes_too_late_learns_of_its_death(store: Database, rival: Rival) -> None:
    with store.begin() as tx:
        dead = tx.jobs.start("scheduler", hostname="a", pid=1, now=NOW - minutes(10))
        silent = tx.jobs.live("scheduler")

    with store.begin() as tx:
        tx.jobs.declare_dead(silent, NOW)
        theirs = rival(lambda other: other.jobs.heartbeat(dead, NOW))
        assert_waits(theirs)

    assert theirs.result(PATIENCE_S) is False


@servers
def test_reports_do_not_wait_for_a_scheduler_that_decides_about_their_run(
    database_kind: DatabaseKind, world: World, store: Database, rival: Rival
) -> None:
    """A pass over a large run takes a while; meanwhile its tasks go on starting and ending (B9)."""
    run_key = world.running()
    queued = world.task(TaskState.QUEUED, run_key, "queued")
    running = world.task(TaskState.RUNNING, run_key, "running")

    def report(worker: SqlTransaction) -> None:
        assert [task.run_id for task in worker.attempts.lock([queued, running])] == ["r1", "r1"]
        assert worker.attempts.start([Started(queued, NOW)], NOW) == {queued.task}
        assert worker.attempts.heartbeat([running], NOW) == {running.task}
        assert worker.attempts.end([AttemptEnd(running, TaskState.SUCCESS, NOW)]) == {running.task}
        worker.attempts.archive([running.task])
        worker.changes.record([running.task], NOW)

    with store.begin() as scheduler:
        scheduler.dags.lock(["sales"])
        scheduler.runs.lock([run_key])

        rival(report).result(PATIENCE_S)


@servers
def test_ending_a_run_also_ends_a_task_that_is_reported_started_at_that_moment(
    database_kind: DatabaseKind, world: World, store: Database, rival: Rival
) -> None:
    """Or a run would have ended while one of its tasks lives on."""
    attempt = world.task(TaskState.QUEUED, world.running())

    def stop(other: SqlTransaction) -> list[tuple[str, TaskState]]:
        stopped = other.tasks.stop_unfinished(attempt.run_key, NOW, spare=(), reason="timed out", fails_running=True)
        return [(task.task_id, task.state) for task in stopped]

    with store.begin() as worker:
        assert worker.attempts.start([Started(attempt, NOW)], NOW) == {attempt.task}
        stopped = rival(stop)
        assert_waits(stopped)

    assert stopped.result(PATIENCE_S) == [("load", TaskState.FAILED)]


def test_an_end_that_comes_while_the_task_is_cleared_changes_nothing(
    world: World, store: Database, rival: Rival
) -> None:
    """The person was first: the attempt's word about its end is old (A2)."""
    attempt = world.task(TaskState.RUNNING, world.running())

    with store.begin() as person:
        tasks = person.tasks.instances(attempt.run_key)
        assert person.tasks.set_state(tasks, TaskState.RESTARTING, NOW, max_tries=[1], reason="") == {attempt.task}
        ended = rival(lambda other: other.attempts.end([AttemptEnd(attempt, TaskState.SUCCESS, NOW)]))
        assert_waits(ended)

    assert ended.result(PATIENCE_S) == set()
    assert world.state(attempt) is TaskState.RESTARTING


@servers
def test_a_change_recorded_while_its_run_is_deleted_does_not_stay_behind(
    database_kind: DatabaseKind, world: World, store: Database, rival: Rival
) -> None:
    attempt: AttemptKey = world.task(TaskState.RUNNING, world.running())

    with store.begin() as worker:
        assert worker.attempts.end([AttemptEnd(attempt, TaskState.SUCCESS, NOW)]) == {attempt.task}
        worker.changes.record([attempt.task], NOW)
        deleted = rival(lambda other: other.runs.delete(attempt.run_key))
        assert_waits(deleted)

    deleted.result(PATIENCE_S)
    with store.begin() as tx:
        assert not tx.changes.is_any_pending()


def test_what_was_committed_without_waiting_is_there_for_others_and_can_be_waited_for(
    shared_database_url: str, world: World, store: Database
) -> None:
    """Who does not wait for the disk with each commit waits when it matters (B7)."""
    hasty = Database(shared_database_url, waits_for_disk=False)
    try:
        with hasty.begin() as tx:
            tx.pools.create(Pool("hasty", 1))
        hasty.transact_lastingly(lambda tx: tx.pools.create(Pool("lasting", 1)))
        with store.begin() as tx:
            assert {pool.name for pool in tx.pools.all()} >= {"hasty", "lasting"}
    finally:
        hasty.close()


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_lasting_commit_returns_when_all_that_was_committed_is_on_disk(
    database_kind: DatabaseKind, shared_database_url: str, store: Database
) -> None:
    """More than once: PostgreSQL writes its log now and then by itself as well."""
    hasty = Database(shared_database_url, waits_for_disk=False)

    def ask(question: str, **values: str) -> object:
        with store.engine.connect() as connection:
            return connection.execute(sa.text(question), values).scalar_one()

    def create(number: int, tx: SqlTransaction) -> str:
        tx.pools.create(Pool(f"lasting {number}", 1))
        return str(tx.connection.exec_driver_sql("SELECT pg_current_wal_insert_lsn()").scalar_one())

    try:
        for number in range(20):
            with hasty.begin() as tx:
                tx.pools.create(Pool(f"hasty {number}", 1))
            written = hasty.transact_lastingly(partial(create, number))

            assert ask("SELECT pg_current_wal_flush_lsn() > CAST(:written AS pg_lsn)", written=written)
    finally:
        hasty.close()


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_lasting_commit_leaves_the_connection_as_it_was(
    database_kind: DatabaseKind, shared_database_url: str, store: Database
) -> None:
    hasty = Database(shared_database_url, waits_for_disk=False, pool_size=1)
    try:
        hasty.transact_lastingly(lambda tx: tx.pools.create(Pool("lasting", 1)))
        hasty.transact_lastingly(lambda _: None)

        with hasty.begin() as tx:
            assert tx.connection.exec_driver_sql("SHOW synchronous_commit").scalar_one() == "off"
            tx.pools.create(Pool("undone", 1))
            tx.connection.rollback()
        with store.begin() as tx:
            assert tx.pools.find("undone") is None
    finally:
        hasty.close()


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_lasting_transaction_that_fails_leaves_nothing_and_the_next_commit_does_not_wait(
    database_kind: DatabaseKind, shared_database_url: str, store: Database
) -> None:
    hasty = Database(shared_database_url, waits_for_disk=False, pool_size=1)

    def fail(tx: SqlTransaction) -> None:
        tx.pools.create(Pool("undone", 1))
        raise ZeroDivisionError

    try:
        with pytest.raises(ZeroDivisionError):
            hasty.transact_lastingly(fail)
        with hasty.begin() as tx:
            assert tx.pools.find("undone") is None
            tx.pools.create(Pool("done", 1))
        with store.begin() as tx:
            assert tx.pools.find("done") is not None
    finally:
        hasty.close()


@servers
def test_runs_that_cannot_exist_yet_are_asked_of_a_dag_side_by_side(
    store: Database, world: World, rival: Rival
) -> None:
    world.dag()

    with store.begin() as tx:
        assert tx.new_runs.lock_dag("sales", with_others=True) is not None
        assert rival(lambda other: other.new_runs.lock_dag("sales", with_others=True)).result(PATIENCE_S) is not None
        alone = rival(lambda other: other.new_runs.lock_dag("sales"))
        assert_waits(alone)

    assert alone.result(PATIENCE_S) is not None
