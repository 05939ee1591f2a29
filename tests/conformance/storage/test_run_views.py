"""What pages show of the inside of runs (D4, D5)."""

from datetime import timedelta

from tests.conformance.storage.worlds import JOB, NOW, World, add_version, candidate, minutes, new_task, scheduled
from tradewind.model.ids import RunKey
from tradewind.model.states import RunState, TaskState
from tradewind.model.usual_task import UsualTask
from tradewind.storage.database import Database
from tradewind.storage.interface import AttemptEnd
from tradewind.storage.interface.kept_stores import StoredDeferral


def test_attempts_are_told_with_those_that_are_over(store: Database, world: World) -> None:
    run_key = world.running()
    world.running("other")
    failed = world.task(TaskState.UP_FOR_RETRY, run_key, "load", max_tries=1)
    world.task(TaskState.NONE, run_key, "later")
    with store.begin() as tx:
        tx.attempts.archive([failed.task])

    with store.begin() as tx:
        before = tx.run_views.attempts(run_key)
        again = scheduled(new_task(run_key))._replace(attempt=1, from_state="up_for_retry", try_number=2)
        tx.tasks.advance([again], NOW + minutes(1))
        assert tx.queue.admit([candidate(new_task(run_key), 1)], JOB, NOW + minutes(2)) == {failed.task}
    with store.begin() as tx:
        after = tx.run_views.attempts(run_key)

    assert [(each.task_id, each.attempt, each.state) for each in before] == [
        ("later", 0, TaskState.NONE),
        ("load", 1, TaskState.UP_FOR_RETRY),
    ]
    assert [(each.attempt, each.try_number, each.state) for each in after[1:]] == [
        (1, 1, TaskState.FAILED),
        (2, 2, TaskState.QUEUED),
    ]
    assert (after[1].started_at, after[1].finished_at) == (NOW, NOW)
    assert (after[2].scheduled_at, after[2].queued_at) == (NOW + minutes(1), NOW + minutes(2))


def test_a_wait_is_told_from_when_the_worker_was_left(store: Database, world: World) -> None:
    run_key = world.running()
    attempt = world.task(TaskState.DEFERRED, run_key)
    with store.begin() as tx:
        tx.deferrals.put([StoredDeferral(attempt=attempt, next_method="go_on", created_at=NOW + minutes(3))])

    with store.begin() as tx:
        (told,) = tx.run_views.attempts(run_key)

    assert (told.started_at, told.waited_since) == (NOW, NOW + minutes(3))


def test_a_wait_of_a_former_try_is_not_told_of_the_next(store: Database, world: World) -> None:
    run_key = world.running()
    attempt = world.task(TaskState.RUNNING, run_key, at=NOW + minutes(5))
    with store.begin() as tx:
        tx.deferrals.put([StoredDeferral(attempt=attempt, next_method="go_on", created_at=NOW)])

    with store.begin() as tx:
        (told,) = tx.run_views.attempts(run_key)

    assert told.waited_since is None


def test_a_task_that_begins_to_wait_without_a_worker_waits_too(store: Database, world: World) -> None:
    run_key = world.running()
    attempt = world.task(TaskState.QUEUED, run_key)
    with store.begin() as tx:
        tx.deferrals.put([StoredDeferral(attempt=attempt, next_method="go_on", created_at=NOW + minutes(1))])

    with store.begin() as tx:
        (told,) = tx.run_views.attempts(run_key)

    assert (told.started_at, told.waited_since) == (None, NOW + minutes(1))


def test_tasks_of_runs_are_summed_up_by_state(store: Database, world: World) -> None:
    run_key = world.running()
    for index, at in enumerate((NOW, NOW + minutes(1))):
        world.task(TaskState.SUCCESS, run_key, "load", map_index=index, at=at)
    world.task(TaskState.QUEUED, run_key, "load", map_index=2)

    with store.begin() as tx:
        found = {each.state: each for each in tx.run_views.summaries([run_key])}

    done, queued = found[TaskState.SUCCESS], found[TaskState.QUEUED]
    assert (done.task_id, done.number, done.started_at, done.finished_at) == ("load", 2, NOW, NOW + minutes(1))
    assert (queued.number, queued.started_at, queued.finished_at, queued.try_number) == (1, None, None, 1)


def test_some_tasks_of_many_are_summed_up(store: Database, world: World) -> None:
    run_key = world.running()
    for task_id in ("extract", "load", "tell"):
        world.task(TaskState.SUCCESS, run_key, task_id)

    with store.begin() as tx:
        some = tx.run_views.summaries([run_key], ["load", "tell", "unknown"])
        none = tx.run_views.summaries([run_key], [])

    assert sorted(each.task_id for each in some) == ["load", "tell"]
    assert none == []


def test_runs_are_counted_by_quarters_of_an_hour(store: Database, world: World) -> None:
    world.run("r1", run_after=NOW)
    world.run("r2", run_after=NOW + minutes(1))
    world.ended("r3", RunState.SUCCESS, run_after=NOW + minutes(15))
    world.run("before", run_after=NOW - timedelta(days=1))
    world.run("elsewhere", "stock", run_after=NOW)

    with store.begin() as tx:
        found = tx.run_views.quarters("sales", NOW, NOW + minutes(16))

    quarter = NOW.replace(second=0, microsecond=0)
    assert sorted(found) == [
        (quarter, RunState.QUEUED, 2),
        (quarter + minutes(15), RunState.SUCCESS, 1),
    ]


def test_versions_have_their_numbers(store: Database, world: World) -> None:
    first = world.dag()
    with store.begin() as tx:
        second = add_version(tx, "sales", "def")

    with store.begin() as tx:
        assert tx.run_views.version_numbers([first, second]) == {first: 1, second: 2}


def test_usual_is_what_the_last_runs_that_succeeded_took_on_average(store: Database, world: World) -> None:
    """B2: runs that failed, older ones, and tasks that did not succeed say nothing."""
    for number, seconds in enumerate((90, 1, 3)):
        run_key = world.ended(f"r{number}", RunState.SUCCESS, run_after=NOW + minutes(number))
        _took(world, run_key, "load", seconds)
        _took(world, run_key, "list", 1, map_length=10 * number)
        _took(world, run_key, "alarm", 60, TaskState.FAILED)
    _took(world, world.ended("bad", RunState.FAILED, run_after=NOW + minutes(9)), "load", 500)
    world.run(dag_id="other")

    with store.begin() as tx:
        assert tx.run_views.usual_tasks("sales", 2) == {"load": UsualTask(2.0), "list": UsualTask(1.0, 15)}
        assert tx.run_views.usual_tasks("other", 2) == {}


def _took(
    world: World,
    run_key: RunKey,
    task_id: str,
    seconds: float,
    state: TaskState = TaskState.SUCCESS,
    map_length: int | None = None,
) -> None:
    attempt = world.task(TaskState.RUNNING, run_key, task_id)
    end = AttemptEnd(attempt, state, NOW + timedelta(seconds=seconds), map_length=map_length)
    with world.store.begin() as tx:
        assert tx.attempts.end([end]) == {attempt.task}
