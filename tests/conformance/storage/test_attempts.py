"""The life of an attempt (A2): a message of an old attempt changes nothing."""

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import JOB, NOW, World, candidate, minutes, new_task
from tradewind.model.attempt_end import Usage
from tradewind.model.ids import UNMAPPED, AttemptKey, JobKey, TaskKey
from tradewind.model.states import HeldBy, TaskState
from tradewind.model.task import Started
from tradewind.storage.database import Database
from tradewind.storage.interface import AttemptEnd, TaskAdvance
from tradewind.storage.schema import task_try


def _tries(store: Database) -> list[sa.RowMapping]:
    with store.engine.begin() as connection:
        return list(connection.execute(sa.select(task_try).order_by(task_try.c.attempt)).mappings())


def _stale(attempt: AttemptKey) -> AttemptKey:
    return attempt._replace(attempt=attempt.attempt - 1)


def test_start_moves_the_queued_at_that_attempt_only(world: World, store: Database) -> None:
    run_key = world.running()
    queued = world.task(TaskState.QUEUED, run_key, "queued")
    stale = _stale(world.task(TaskState.QUEUED, run_key, "stale"))
    done = world.task(TaskState.SUCCESS, run_key, "done")
    reports = [Started(attempt, NOW + minutes(1), "host", 2**31 - 1) for attempt in (queued, stale, done)]

    with store.begin() as tx:
        assert tx.attempts.start(reports, NOW + minutes(2)) == {queued.task}
        assert tx.attempts.start(reports, NOW + minutes(3)) == set()
        assert tx.attempts.start([], NOW) == set()

    task = world.instance(queued)
    assert (task.state, task.hostname, task.pid) == (TaskState.RUNNING, "host", 2**31 - 1)
    assert (task.started_at, task.heartbeat_at) == (NOW + minutes(1), NOW + minutes(2))
    assert world.state(stale) is TaskState.QUEUED
    assert world.state(done) is TaskState.SUCCESS


def test_begin_is_a_start_that_tells_what_became_of_the_instances(world: World, store: Database) -> None:
    first, second = world.running("r1"), world.running("r2")
    b, c = world.task(TaskState.QUEUED, second, "b"), world.task(TaskState.QUEUED, first, "c", map_index=3)
    stale = _stale(world.task(TaskState.QUEUED, first, "stale"))
    done = world.task(TaskState.SUCCESS, first, "done")
    reports = [Started(attempt, NOW + minutes(1), "host", 1, JobKey(7)) for attempt in (b, c, stale, done)]

    with store.begin() as tx:
        begun, runs = tx.attempts.begin(reports, NOW + minutes(2))
        assert tx.attempts.begin(reports, NOW + minutes(3)) == ([], [])
        assert tx.attempts.begin([], NOW) == ([], [])

    assert begun == [world.instance(c), world.instance(b)]
    assert {run.key: run for run in runs} == {run.key: run for run in map(world.find, ("r1", "r2"))}
    assert [(task.run_id, task.state, task.worker) for task in begun] == [
        ("r1", TaskState.RUNNING, 7),
        ("r2", TaskState.RUNNING, 7),
    ]
    assert world.state(stale) is TaskState.QUEUED


def test_begin_of_one_attempt_per_run_tells_the_same(world: World, store: Database) -> None:
    """What comes in one statement on PostgreSQL is what several bring elsewhere."""
    queued = [world.task(TaskState.QUEUED, world.running(name)) for name in ("r2", "r1")]
    stale = _stale(world.task(TaskState.QUEUED, world.running("r3")))

    with store.begin() as tx:
        reports = [Started(attempt, NOW, "host", 1, JobKey(7)) for attempt in (*reversed(queued), stale)]
        begun, runs = tx.attempts.begin(reports, NOW)

    assert begun == [world.instance(attempt) for attempt in queued]
    assert {run.key: run for run in runs} == {run.key: run for run in map(world.find, ("r1", "r2"))}
    assert world.state(stale) is TaskState.QUEUED


def test_an_end_is_recorded_for_the_scheduler_where_it_happened(world: World, store: Database) -> None:
    run_key = world.running()
    attempt, late = world.task(TaskState.RUNNING, run_key, "a"), _stale(world.task(TaskState.RUNNING, run_key, "late"))
    ends = [AttemptEnd(each, TaskState.SUCCESS, NOW) for each in (attempt, late)]

    with store.begin() as tx:
        assert tx.attempts.end(ends, recorded_at=NOW) == {attempt.task}
        assert tx.has_recorded_changes
    with store.begin() as tx:
        assert tx.attempts.end(ends, recorded_at=NOW) == set()
        assert tx.attempts.end([], recorded_at=NOW) == set()
        assert not tx.has_recorded_changes
        assert tx.changes.take([run_key]).tasks == {attempt.task}
        assert not tx.changes.is_any_pending()


def test_start_without_host_and_pid_is_stored_beside_one_with_them(world: World, store: Database) -> None:
    run_key = world.running()
    bare, full = (world.task(TaskState.QUEUED, run_key, name) for name in ("bare", "full"))

    with store.begin() as tx:
        reports = [Started(bare, NOW), Started(full, NOW, "host", 1)]
        assert tx.attempts.start(reports, NOW) == {bare.task, full.task}

    assert [(task.hostname, task.pid) for task in map(world.instance, (bare, full))] == [(None, None), ("host", 1)]


@pytest.mark.parametrize("state", [TaskState.QUEUED, TaskState.RUNNING], ids=str)
def test_end_is_taken_from_the_queued_and_the_running(world: World, store: Database, state: TaskState) -> None:
    """The word that it started may be lost or come late; the end counts all the same."""
    attempt = world.task(state, world.running())
    end = AttemptEnd(
        attempt, TaskState.SUCCESS, NOW + minutes(5), NOW + minutes(4), map_length=3, skips=("b", "ü"), reason=None
    )

    with store.begin() as tx:
        assert tx.attempts.end([end]) == {attempt.task}
        (snapshot,) = tx.tasks.snapshots([attempt.task])

    task = world.instance(attempt)
    assert (task.state, task.finished_at, task.map_length) == (TaskState.SUCCESS, NOW + minutes(5), 3)
    assert task.skips == snapshot.skips == ("b", "ü")
    assert task.started_at == (NOW if state is TaskState.RUNNING else NOW + minutes(4))


def test_a_late_or_doubled_end_changes_nothing(world: World, store: Database) -> None:
    """The fencing of the engine (A2)."""
    run_key = world.running()
    late = world.task(TaskState.RUNNING, run_key, "late")
    doubled = world.task(TaskState.RUNNING, run_key, "doubled")
    good = world.task(TaskState.RUNNING, run_key, "good")
    cleared = world.task(TaskState.RESTARTING, run_key, "cleared")
    with store.begin() as tx:
        assert tx.attempts.end([AttemptEnd(doubled, TaskState.SUCCESS, NOW)]) == {doubled.task}

    with store.begin() as tx:
        at = NOW + minutes(9)
        attempts = (_stale(late), doubled, good, cleared, AttemptKey(run_key, "missing", UNMAPPED, 1))
        changed = tx.attempts.end([AttemptEnd(attempt, TaskState.FAILED, at, reason="x") for attempt in attempts])
        assert tx.attempts.end([]) == set()

    assert changed == {good.task}
    assert [world.state(attempt) for attempt in (late, doubled, good, cleared)] == [
        TaskState.RUNNING,
        TaskState.SUCCESS,
        TaskState.FAILED,
        TaskState.RESTARTING,
    ]
    assert world.instance(doubled).finished_at == NOW


def test_ends_of_one_batch_keep_their_own_values_and_nulls(world: World, store: Database) -> None:
    run_key = world.running()
    names = ("success", "retry", "reschedule", "deferred")
    attempts = {name: world.task(TaskState.RUNNING, run_key, name) for name in names}

    with store.begin() as tx:
        tx.attempts.end(
            [
                AttemptEnd(attempts["success"], TaskState.SUCCESS, NOW, map_length=0),
                AttemptEnd(attempts["retry"], TaskState.UP_FOR_RETRY, NOW, wake_at=NOW + minutes(5), reason="boom"),
                AttemptEnd(attempts["reschedule"], TaskState.UP_FOR_RESCHEDULE, NOW, wake_at=NOW + minutes(6)),
                AttemptEnd(attempts["deferred"], TaskState.DEFERRED, NOW),
            ]
        )

    tasks = [world.instance(attempts[name]) for name in names]
    assert [task.map_length for task in tasks] == [0, None, None, None]
    assert [task.wake_at for task in tasks] == [None, NOW + minutes(5), NOW + minutes(6), None]
    assert [task.reason for task in tasks] == [None, "boom", None, None]
    assert [task.finished_at for task in tasks] == [NOW, NOW, None, None]


def test_end_waiting_ends_only_what_waits_without_a_worker(world: World, store: Database) -> None:
    run_key = world.running()
    deferred = world.task(TaskState.DEFERRED, run_key, "deferred", wake_at=NOW)
    asking = world.task(TaskState.AWAITING_INPUT, run_key, "asking")
    running = world.task(TaskState.RUNNING, run_key, "running")
    stale = _stale(world.task(TaskState.DEFERRED, run_key, "stale"))

    with store.begin() as tx:
        attempts = (deferred, asking, running, stale)
        ends = [AttemptEnd(attempt, TaskState.FAILED, NOW, reason="trigger timed out") for attempt in attempts]
        assert tx.attempts.end_waiting(ends) == {deferred.task, asking.task}
        assert tx.attempts.end_waiting(ends) == set()

    task = world.instance(deferred)
    assert (task.state, task.wake_at, task.reason) == (TaskState.FAILED, None, "trigger timed out")


def test_stopped_starts_the_restarting_over(world: World, store: Database) -> None:
    run_key = world.running()
    restarting = world.task(TaskState.RESTARTING, run_key, "restarting")
    running = world.task(TaskState.RUNNING, run_key, "running")
    stale = _stale(world.task(TaskState.RESTARTING, run_key, "stale"))

    with store.begin() as tx:
        assert tx.attempts.stopped([restarting, running, stale]) == {restarting.task}
        assert tx.attempts.stopped([restarting]) == set()

    task = world.instance(restarting)
    assert (task.state, task.attempt, task.started_at, task.finished_at) == (TaskState.NONE, 1, None, None)


def test_heartbeat_says_who_may_go_on(world: World, store: Database) -> None:
    """Whoever is not named must stop: it was cleared, or another attempt has taken its place (A2)."""
    run_key = world.running()
    good = world.task(TaskState.RUNNING, run_key, "good")
    cleared = world.task(TaskState.RESTARTING, run_key, "cleared")
    stale = _stale(world.task(TaskState.RUNNING, run_key, "stale"))
    failed = world.task(TaskState.FAILED, run_key, "failed")

    with store.begin() as tx:
        assert tx.attempts.heartbeat([good, cleared, stale, failed], NOW + minutes(3)) == {good.task}
        assert tx.attempts.heartbeat([], NOW) == set()

    assert world.instance(good).heartbeat_at == NOW + minutes(3)
    assert world.instance(stale).heartbeat_at == NOW


def test_resume_puts_the_waiting_behind_the_limits_of_their_run(world: World, store: Database) -> None:
    run_key = world.running()
    deferred = world.task(TaskState.DEFERRED, run_key, "deferred", wake_at=NOW + minutes(9))
    asking = world.task(TaskState.AWAITING_INPUT, run_key, "asking")
    running = world.task(TaskState.RUNNING, run_key, "running")
    stale = _stale(world.task(TaskState.DEFERRED, run_key, "stale"))

    with store.begin() as tx:
        resumed = tx.attempts.resume([deferred, asking, running, stale], NOW + minutes(1))
        assert tx.attempts.resume([deferred], NOW) == set()

    assert resumed == {deferred.task, asking.task}
    task = world.instance(deferred)
    assert (task.state, task.held_by) == (TaskState.SCHEDULED, HeldBy.MAX_ACTIVE_TASKS)
    assert (task.scheduled_at, task.wake_at, task.started_at) == (NOW + minutes(1), None, NOW)


def test_lock_gives_what_is_still_at_these_attempts_by_key(world: World, store: Database) -> None:
    run_key = world.running()
    b, a = (world.task(TaskState.RUNNING, run_key, name) for name in ("b", "a"))
    stale = _stale(world.task(TaskState.RUNNING, run_key, "stale"))

    with store.begin() as tx:
        found = tx.attempts.lock([b, stale, a])
        assert tx.attempts.lock([]) == []

    assert [(task.task_id, task.run_id) for task in found] == [("a", "r1"), ("b", "r1")]


def test_silent_since_finds_processes_that_were_not_heard_of(world: World, store: Database) -> None:
    run_key = world.running()
    world.task(TaskState.RUNNING, run_key, "silent", at=NOW - minutes(10))
    world.task(TaskState.RESTARTING, run_key, "silent and cleared", at=NOW - minutes(10))
    world.task(TaskState.RUNNING, run_key, "heard")
    world.task(TaskState.QUEUED, run_key, "without process", at=NOW - minutes(10))
    world.task(TaskState.SUCCESS, run_key, "done", at=NOW - minutes(10))

    with store.begin() as tx:
        found = {task.task_id for task in tx.attempts.silent_since(NOW)}

    assert found == {"silent", "silent and cleared"}


def test_due_gives_timers_that_ran_out_oldest_first(world: World, store: Database) -> None:
    run_key = world.running()
    for name, span in (("late", -1), ("later", -5), ("now", 0), ("future", 1)):
        world.task(TaskState.UP_FOR_RETRY, run_key, name, wake_at=NOW + minutes(span))
    world.task(TaskState.UP_FOR_RETRY, run_key, "no timer")

    with store.begin() as tx:
        assert [key.task_id for key in tx.attempts.due(NOW, 10)] == ["later", "late", "now"]
        assert [key.task_id for key in tx.attempts.due(NOW, 1)] == ["later"]


def test_wake_takes_the_timers_off_once(world: World, store: Database) -> None:
    run_key = world.running()
    due = world.task(TaskState.UP_FOR_RETRY, run_key, "due", wake_at=NOW).task
    without = world.task(TaskState.UP_FOR_RETRY, run_key, "without").task

    with store.begin() as tx:
        assert tx.attempts.wake([due, without]) == {due}
        assert tx.attempts.wake([due]) == set()
        assert tx.attempts.due(NOW, 10) == []

    assert world.state(due) is TaskState.UP_FOR_RETRY


def test_next_wake_at_is_the_earliest_timer(world: World, store: Database) -> None:
    with store.begin() as tx:
        assert tx.attempts.next_wake_at() is None
    run_key = world.running()
    for name, span in (("second", 7), ("first", 3)):
        world.task(TaskState.UP_FOR_RETRY, run_key, name, wake_at=NOW + minutes(span))

    with store.begin() as tx:
        assert tx.attempts.next_wake_at() == NOW + minutes(3)


def test_archive_copies_each_attempt_once(world: World, store: Database) -> None:
    run_key = world.running()
    attempt = world.task(TaskState.FAILED, run_key)
    never_tried = world.task(TaskState.NONE, run_key, "never tried")

    for _ in range(2):
        with store.begin() as tx:
            tx.attempts.archive([attempt.task, never_tried.task, TaskKey(run_key, "missing")])
            tx.attempts.archive([])

    (row,) = _tries(store)
    assert (row["run_key"], row["task_id"], row["map_index"], row["attempt"]) == tuple(attempt)
    assert (row["state"], row["try_number"], row["hostname"], row["pid"]) == ("failed", 1, "worker-1", 4711)
    assert row["queued_at"] == row["started_at"] == row["finished_at"] == NOW


def test_the_history_grows_by_one_row_per_attempt(world: World, store: Database) -> None:
    attempt = world.task(TaskState.UP_FOR_RETRY, world.running())
    with store.begin() as tx:
        tx.attempts.archive([attempt.task])
        tx.tasks.advance([TaskAdvance(*attempt, "up_for_retry", "scheduled", 2, None, 0)], NOW)
        tx.queue.admit([candidate(new_task(attempt.run_key), attempt=1)], JOB, NOW + minutes(1))
        second = attempt._replace(attempt=2)
        assert tx.attempts.end([AttemptEnd(second, TaskState.SUCCESS, NOW + minutes(2))]) == {attempt.task}
        tx.attempts.archive([attempt.task])

    assert [(row["attempt"], row["try_number"], row["state"]) for row in _tries(store)] == [
        (1, 1, "failed"),
        (2, 2, "success"),
    ]


def test_who_runs_an_attempt_is_noted_until_it_is_queued_again(world: World, store: Database) -> None:
    attempt = world.task(TaskState.QUEUED, world.running())
    with store.begin() as tx:
        assert tx.attempts.start([Started(attempt, NOW, "host", 1, JobKey(2**40))], NOW) == {attempt.task}
    assert world.instance(attempt).worker == 2**40

    with store.begin() as tx:
        tx.attempts.end([AttemptEnd(attempt, TaskState.UP_FOR_RESCHEDULE, NOW)])
        tx.tasks.advance([TaskAdvance(*attempt, "up_for_reschedule", "scheduled", 1, None, 0)], NOW)
        tx.queue.admit([candidate(new_task(attempt.run_key), 1)], JOB, NOW)
    assert world.instance(attempt).worker is None


def test_reschedules_are_counted_within_a_try(world: World, store: Database) -> None:
    attempt = world.task(TaskState.RUNNING, world.running())
    counts = []
    for state in (TaskState.UP_FOR_RESCHEDULE, TaskState.UP_FOR_RESCHEDULE, TaskState.UP_FOR_RETRY):
        with store.begin() as tx:
            assert tx.attempts.end([AttemptEnd(attempt, state, NOW)])
        counts.append(world.instance(attempt).reschedules)
        with store.begin() as tx:
            tx.tasks.advance([TaskAdvance(*attempt, state.value, "scheduled", 1, None, 0)], NOW)
            tx.queue.admit([candidate(new_task(attempt.run_key), attempt.attempt)], JOB, NOW)
        attempt = attempt._replace(attempt=attempt.attempt + 1)

    assert counts == [1, 2, 2]
    assert world.instance(attempt).reschedules == 0


def test_what_an_attempt_used_is_kept_also_in_the_history(world: World, store: Database) -> None:
    run_key = world.running()
    used, unknown = (world.task(TaskState.RUNNING, run_key, name) for name in ("used", "unknown"))
    with store.begin() as tx:
        tx.attempts.end(
            [
                AttemptEnd(used, TaskState.UP_FOR_RETRY, NOW, usage=Usage(0.1, 2**40)),
                AttemptEnd(unknown, TaskState.UP_FOR_RETRY, NOW),
            ]
        )
        tx.attempts.archive([used.task, unknown.task])

    assert [(task.cpu_s, task.peak_memory_bytes) for task in map(world.instance, (used, unknown))] == [
        (0.1, 2**40),
        (None, None),
    ]
    rows = {row["task_id"]: (row["cpu_s"], row["peak_memory_bytes"]) for row in _tries(store)}
    assert rows == {"used": (0.1, 2**40), "unknown": (None, None)}


def test_what_a_deferred_attempt_used_stays_when_its_trigger_ends_it(world: World, store: Database) -> None:
    attempt = world.task(TaskState.RUNNING, world.running())
    with store.begin() as tx:
        tx.attempts.end([AttemptEnd(attempt, TaskState.DEFERRED, NOW, usage=Usage(1.5, 7))])
        tx.attempts.end_waiting([AttemptEnd(attempt, TaskState.SUCCESS, NOW)])

    assert world.instance(attempt).cpu_s == 1.5


def test_current_are_those_that_run_at_the_latest_attempt(world: World, store: Database) -> None:
    run_key = world.running()
    running = world.task(TaskState.RUNNING, run_key, "running", map_index=3)
    queued = world.task(TaskState.QUEUED, run_key, "queued")
    done = world.task(TaskState.SUCCESS, run_key, "done")
    restarting = world.task(TaskState.RESTARTING, run_key, "restarting")

    with store.begin() as tx:
        assert tx.attempts.current({running, _stale(running), queued, done, restarting}) == {running}
        assert tx.attempts.current([]) == set()


def test_what_a_worker_began_and_did_not_end_is_found(world: World, store: Database) -> None:
    run_key = world.running()
    mine, others, ended = (world.task(TaskState.QUEUED, run_key, name) for name in ("mine", "others", "ended"))
    world.task(TaskState.RUNNING, run_key, "nobody's")
    with store.begin() as tx:
        workers = {mine: JobKey(7), others: JobKey(8), ended: JobKey(7)}
        tx.attempts.start([Started(attempt, NOW, worker=worker) for attempt, worker in workers.items()], NOW)
        tx.attempts.end([AttemptEnd(ended, TaskState.SUCCESS, NOW)])

        assert [task.attempt_key for task in tx.attempts.of_worker(JobKey(7))] == [mine]
        assert tx.attempts.of_worker(JobKey(9)) == []
