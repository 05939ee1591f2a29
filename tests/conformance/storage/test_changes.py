"""What makes runs dirty, and who takes it (A2, B9)."""

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import JOB, NOW, World, add_version, minutes
from tests.databases import DatabaseKind
from tradewind.model.ids import JobKey, RunKey, TaskKey
from tradewind.model.states import TaskState
from tradewind.storage.database import Database
from tradewind.storage.interface import DagFlags, TakenChanges, Transaction


def dirty(tx: Transaction, limit: int, *, job: JobKey, foreign_before: datetime) -> list[RunKey]:
    """The runs with changes, locked."""
    return [run.key for run in tx.changes.lock_dirty(limit, job=job, foreign_before=foreign_before)]


def take(tx: Transaction, run_keys: Collection[RunKey]) -> tuple[set[RunKey], set[TaskKey]]:
    """What happened, without what is seen of it."""
    taken = tx.changes.take(run_keys)
    return taken.runs, taken.tasks


def test_changes_of_tasks_and_runs_are_taken_apart(world: World, store: Database) -> None:
    run_key = world.running()
    tasks = [TaskKey(run_key, "a"), TaskKey(run_key, "b", 3)]
    with store.begin() as tx:
        tx.changes.record(tasks, NOW)
        tx.changes.record_runs([run_key], NOW)

    with store.begin() as tx:
        tx.runs.lock([run_key])
        assert take(tx, [run_key]) == ({run_key}, set(tasks))
        assert take(tx, [run_key]) == (set(), set())


def test_the_same_change_many_times_is_taken_once(world: World, store: Database) -> None:
    run_key = world.running()
    for _ in range(3):
        with store.begin() as tx:
            tx.changes.record(iter([TaskKey(run_key, "a")]), NOW)
            tx.changes.record_runs(iter([run_key]), NOW)

    with store.begin() as tx:
        assert take(tx, [run_key]) == ({run_key}, {TaskKey(run_key, "a")})
        assert not tx.changes.is_any_pending()


def test_dirty_runs_are_taken_as_if_they_were_locked_and_then_taken(world: World, store: Database) -> None:
    first, second, clean = world.running("first"), world.running("second"), world.running("clean")
    attempt = world.task(TaskState.RUNNING, first, "b", map_index=3)
    missing = TaskKey(second, "gone")
    with store.begin() as tx:
        tx.dags.set_error("sales", "it does not parse")
        tx.changes.record([missing, attempt.task, attempt.task], NOW)
        tx.changes.record_runs([second], NOW)

    with store.begin() as tx:
        heads, taken = tx.changes.take_dirty(9, job=JOB, foreign_before=NOW)
        expected = tx.tasks.snapshots([attempt.task])
        assert heads == tx.runs.lock_heads([first, second])

    assert (taken.runs, taken.tasks, taken.snapshots) == ({second}, {attempt.task, missing}, expected)
    assert {key: flags.error for key, flags in taken.flags.items()} == dict.fromkeys(
        (first, second), "it does not parse"
    )
    with store.begin() as tx:
        assert tx.changes.take_dirty(9, job=JOB, foreign_before=NOW) == ([], TakenChanges(set(), set(), {}, []))
    assert clean


def test_as_many_dirty_runs_are_taken_as_asked_for_and_none_of_others_schedulers(world: World, store: Database) -> None:
    with store.begin() as tx:
        job, other = (tx.jobs.start("scheduler", hostname="h", pid=pid, now=NOW) for pid in (1, 2))
    theirs, oldest, newest = (world.running(name) for name in ("theirs", "oldest", "newest"))
    with store.begin() as tx:
        tx.runs.decided([theirs], other, NOW)
        for number, run_key in enumerate((theirs, oldest, newest)):
            tx.changes.record_runs([run_key], NOW + minutes(number))

    with store.begin() as tx:
        looks = [tx.changes.take_dirty(1, job=job, foreign_before=NOW - minutes(1)) for _ in range(3)]
        heads, taken = tx.changes.take_dirty(1, job=job, foreign_before=NOW)

    assert [[head.key for head in heads] for heads, _ in looks] == [[oldest], [newest], []]
    assert ([head.key for head in heads], taken.runs) == ([theirs], {theirs})


def test_taking_leaves_the_changes_of_other_runs(world: World, store: Database) -> None:
    mine, other = world.running("mine"), world.running("other")
    with store.begin() as tx:
        tx.changes.record_runs([mine, other], NOW)

        assert take(tx, [mine]) == ({mine}, set())
        assert take(tx, []) == (set(), set())
        assert tx.changes.is_any_pending()
        assert take(tx, [other]) == ({other}, set())


def test_what_changed_is_seen_with_the_change(world: World, store: Database) -> None:
    """The instances that still exist, each once, however often it changed."""
    run_key = world.running()
    tasks = [
        world.task(TaskState.RUNNING, run_key, name, map_index=index).task for name, index in (("a", -1), ("b", 3))
    ]
    world.task(TaskState.RUNNING, run_key, "unchanged")
    with store.begin() as tx:
        tx.changes.record([*tasks, *tasks, TaskKey(run_key, "gone")], NOW)
        tx.changes.record_runs([run_key], NOW)

    with store.begin() as tx:
        taken = tx.changes.take([run_key])
        seen = tx.tasks.snapshots(tasks)

    assert taken.tasks == {*tasks, TaskKey(run_key, "gone")}
    assert sorted(taken.snapshots, key=lambda each: each.task_id) == sorted(seen, key=lambda each: each.task_id)


def test_what_keeps_a_dag_from_being_scheduled_is_seen_with_the_changes_of_its_runs(
    world: World, store: Database
) -> None:
    """Also where another scheduler was first to take them."""
    runs = {dag_id: world.running("r1", dag_id) for dag_id in ("free", "paused", "fenced", "unchanged")}
    with store.begin() as tx:
        tx.dags.set_paused("paused", True)
        tx.dags.set_error("fenced", "it does not parse")
        versions = {dag_id: add_version(tx, dag_id, "x") for dag_id in runs}
        tx.changes.record_runs([run for dag_id, run in runs.items() if dag_id != "unchanged"], NOW)

    with store.begin() as tx:
        taken = tx.changes.take(runs.values())

    assert taken.runs == {runs["free"], runs["paused"], runs["fenced"]}
    assert taken.flags == {
        runs["free"]: DagFlags(is_paused=False, error=None, version_key=versions["free"]),
        runs["paused"]: DagFlags(is_paused=True, error=None, version_key=versions["paused"]),
        runs["fenced"]: DagFlags(is_paused=False, error="it does not parse", version_key=versions["fenced"]),
        runs["unchanged"]: DagFlags(is_paused=False, error=None, version_key=versions["unchanged"]),
    }


def test_recording_nothing_makes_nothing_dirty(store: Database) -> None:
    with store.begin() as tx:
        tx.changes.record([], NOW)
        tx.changes.record_runs([], NOW)

        assert not tx.changes.is_any_pending()
        assert dirty(tx, 10, job=JOB, foreign_before=NOW) == []


def test_the_longest_waiting_run_comes_first_and_each_once(world: World, store: Database) -> None:
    first, second, third = (world.running(name) for name in ("r1", "r2", "r3"))
    with store.begin() as tx:
        tx.changes.record_runs([third], NOW)
        tx.changes.record([TaskKey(first, "a"), TaskKey(first, "b")], NOW + minutes(1))
        tx.changes.record_runs([second, third], NOW + minutes(2))

        assert dirty(tx, 10, job=JOB, foreign_before=NOW) == [first, second, third]
        assert dirty(tx, 2, job=JOB, foreign_before=NOW) == [first, third]


def test_runs_of_another_scheduler_are_left_to_it_for_a_while(world: World, store: Database) -> None:
    """Each scheduler keeps its runs in memory; only what one leaves lying goes to the others (A2)."""
    free, mine, theirs = (world.running(name) for name in ("free", "mine", "theirs"))
    with store.begin() as tx:
        job, other = (tx.jobs.start("scheduler", hostname="host", pid=pid, now=NOW) for pid in (1, 2))
        tx.runs.decided([mine], job, NOW)
        tx.runs.decided([theirs], other, NOW)
        tx.changes.record_runs([free, mine, theirs], NOW)

        assert set(dirty(tx, 10, job=job, foreign_before=NOW - minutes(1))) == {free, mine}
        assert set(dirty(tx, 10, job=job, foreign_before=NOW)) == {free, mine, theirs}
        assert set(dirty(tx, 10, job=other, foreign_before=NOW - minutes(1))) == {free, theirs}


def test_runs_of_a_scheduler_that_is_gone_are_left_to_nobody(world: World, store: Database) -> None:
    run_key = world.running()
    with store.begin() as tx:
        job, gone = (tx.jobs.start("scheduler", hostname="host", pid=pid, now=NOW) for pid in (1, 2))
        tx.runs.decided([run_key], gone, NOW)
        tx.changes.record_runs([run_key], NOW)
        tx.jobs.stop(gone, NOW)

        assert dirty(tx, 10, job=job, foreign_before=NOW - minutes(1)) == [run_key]


def test_a_change_that_was_rolled_back_makes_nothing_dirty(world: World, store: Database) -> None:
    run_key = world.running()

    with suppress(ZeroDivisionError), store.begin() as tx:
        tx.changes.record_runs([run_key], NOW)
        raise ZeroDivisionError

    with store.begin() as tx:
        assert not tx.changes.is_any_pending()


def test_a_take_that_was_rolled_back_can_be_taken_again(world: World, store: Database) -> None:
    run_key = world.running()
    with store.begin() as tx:
        tx.changes.record_runs([run_key], NOW)

    with suppress(ZeroDivisionError), store.begin() as tx:
        assert take(tx, [run_key]) == ({run_key}, set())
        raise ZeroDivisionError

    with store.begin() as tx:
        assert take(tx, [run_key]) == ({run_key}, set())


def test_a_change_of_a_run_that_does_not_exist_dirties_none(store: Database) -> None:
    with store.begin() as tx:
        tx.changes.record_runs([RunKey(10**12)], NOW)

        assert dirty(tx, 10, job=JOB, foreign_before=NOW) == []


@pytest.mark.parametrize("database_kind", ["mysql"], indirect=True)
def test_taking_works_where_a_delete_returns_nothing(
    database_kind: DatabaseKind, world: World, store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MySQL itself has no DELETE ... RETURNING; MariaDB, on which these tests may run, does."""
    monkeypatch.setattr(store.engine.dialect, "delete_returning", False)
    run_key, other = world.running(), world.running("other")
    with store.begin() as tx:
        tx.changes.record([TaskKey(run_key, "a"), TaskKey(other, "a")], NOW)
        tx.changes.record_runs([run_key], NOW)

        assert take(tx, [run_key]) == ({run_key}, {TaskKey(run_key, "a")})
        assert take(tx, [run_key]) == (set(), set())
        assert take(tx, []) == (set(), set())
        assert tx.changes.is_any_pending()


def test_one_look_sees_runs_behind_a_run_with_thousands_of_changes(world: World, store: Database) -> None:
    big, small = world.running("big"), world.running("small")
    with store.begin() as tx:
        tx.changes.record([TaskKey(big, "mapped", index) for index in range(1_500)], NOW)
        tx.changes.record_runs([small], NOW)

        assert dirty(tx, 10, job=JOB, foreign_before=NOW) == [big, small]


def test_changes_cost_nothing_once_taken(world: World, store: Database) -> None:
    """Finished history leaves no rows in the table that every loop reads (B9)."""
    run_key = world.running()
    with store.begin() as tx:
        tx.changes.record([TaskKey(run_key, "mapped", index) for index in range(100)], NOW)
        tx.changes.take([run_key])

    with store.engine.begin() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM run_change")).scalar() == 0
