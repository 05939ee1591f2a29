"""The store of DAG runs (D7, B4)."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World, minutes, new_task, scheduled
from tradewind.model.ids import BackfillKey, RunKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.model.run import NewRun, Run, RunCounts, RunHead
from tradewind.model.states import RunState, RunType, TaskState, TriggeredBy
from tradewind.model.timetable import DataInterval
from tradewind.storage.database import Database
from tradewind.storage.interface import RunEnd
from tradewind.storage.transaction import SqlTransaction


def test_a_new_run_is_queued_and_keeps_all_that_was_given(world: World, store: Database) -> None:
    version = world.dag()
    new = NewRun(
        dag_id="sales",
        run_id="manual__1",
        run_type=RunType.MANUAL,
        run_after=NOW + minutes(1),
        version_key=version,
        logical_date=NOW,
        data_interval=DataInterval(NOW - minutes(60), NOW),
        conf={"a": [1, None, "ü"], "b": {"c": 1.5}},
        note="by hand",
        triggered_by=TriggeredBy.REST_API,
        triggering_user_name="ada",
    )
    with store.begin() as tx:
        tx.dags.lock(["sales"])
        key = tx.runs.create(new, NOW)

    assert world.find("manual__1") == Run(
        key=key,
        dag_id="sales",
        run_id="manual__1",
        run_type=RunType.MANUAL,
        state=RunState.QUEUED,
        run_after=NOW + minutes(1),
        ordering_at=NOW,
        version_key=version,
        change_number=0,
        logical_date=NOW,
        data_interval=DataInterval(NOW - minutes(60), NOW),
        conf={"a": [1, None, "ü"], "b": {"c": 1.5}},
        note="by hand",
        triggered_by=TriggeredBy.REST_API,
        triggering_user_name="ada",
        queued_at=NOW,
        updated_at=NOW,
    )


@pytest.mark.parametrize(
    "conf", [None, {}, [], "", 0, False, {"deep": {"er": [[]]}}, 2**53, 1.25, "🚀", {"Ünï": "\u2028"}]
)
def test_conf_comes_back_as_it_was_given(world: World, conf: JsonValue) -> None:
    world.run("r1", conf=conf)

    assert world.find("r1").conf == conf


def test_a_run_id_or_a_logical_date_is_taken_once_per_dag(world: World, store: Database) -> None:
    world.run("r1", logical_date=NOW)

    with store.begin() as tx:
        assert tx.runs.is_taken("sales", "r1", None)
        assert tx.runs.is_taken("sales", "r2", NOW)
        assert not tx.runs.is_taken("sales", "r2", NOW + timedelta(microseconds=1))
        assert not tx.runs.is_taken("sales", "r2", None)
        assert not tx.runs.is_taken("stock", "r1", NOW)


@pytest.mark.parametrize("second", [("r1", NOW + minutes(1)), ("r2", NOW)], ids=["run id", "logical date"])
def test_the_database_refuses_a_second_run_of_the_same(world: World, second: tuple[str, object]) -> None:
    world.run("r1", logical_date=NOW)

    with pytest.raises(sa.exc.IntegrityError):
        world.run(second[0], logical_date=second[1])


def test_many_runs_may_have_no_logical_date(world: World, store: Database) -> None:
    for number in range(3):
        world.run(f"r{number}", run_after=NOW + minutes(number))

    with store.begin() as tx:
        assert [run.run_id for run in tx.runs.of_dag("sales")] == ["r0", "r1", "r2"]


def test_runs_of_a_dag_come_in_their_order_and_at_the_same_instant_by_key(world: World, store: Database) -> None:
    world.run("second", logical_date=NOW)
    world.run("first", logical_date=NOW - minutes(5))
    for name in ("third", "fourth", "fifth"):
        world.run(name, run_after=NOW)

    with store.begin() as tx:
        names = [run.run_id for run in tx.runs.of_dag("sales")]

    assert names == ["first", "second", "third", "fourth", "fifth"]


def test_lock_and_read_give_the_runs_that_exist(world: World, store: Database) -> None:
    keys = [world.run(name, run_after=NOW + minutes(i)) for i, name in enumerate(("a", "b", "c"))]

    with store.begin() as tx:
        assert [run.key for run in tx.runs.lock([keys[2], RunKey(10**12), keys[0]])] == [keys[0], keys[2]]
        assert {run.key for run in tx.runs.read([keys[1], RunKey(10**12)])} == {keys[1]}
        assert tx.runs.lock([]) == tx.runs.read([]) == []


def test_count_active_leaves_backfills_and_ended_runs_out(world: World, store: Database) -> None:
    """max_active_runs counts these (B4)."""
    world.running("running")
    world.run("queued 1")
    world.run("queued 2")
    world.running("backfill", run_type=RunType.BACKFILL, backfill_key=BackfillKey(7))
    for key in (7, 8):
        world.run(f"queued of {key}", run_type=RunType.BACKFILL, backfill_key=BackfillKey(key))
    world.ended("done", RunState.SUCCESS)
    world.running("of another", "stock")

    with store.begin() as tx:
        counts = tx.runs.count_active(["sales", "nothing"])
        assert counts["sales"]._replace(waiting_backfills=()) == RunCounts(1, 2)
        assert set(counts["sales"].waiting_backfills) == {7, 8}
        assert counts["nothing"] == RunCounts(0, 0)
        assert tx.runs.count_active([]) == {}


def test_startable_runs_come_oldest_first_up_to_the_limit(world: World, store: Database) -> None:
    world.run("future", run_after=NOW + minutes(1))
    world.run("old", run_after=NOW - minutes(1))
    world.run("oldest", run_after=NOW - minutes(2))
    world.run("now", run_after=NOW)
    world.running("running", run_after=NOW - minutes(9))
    world.run("of another", "stock", run_after=NOW - minutes(9))
    world.run("of a third", "staff", run_after=NOW - minutes(9))

    with store.begin() as tx:
        tx.dags.lock(["sales", "stock"])
        assert [run.run_id for run in tx.runs.startable(["sales"], NOW, 10)] == ["oldest", "old", "now"]
        assert [run.run_id for run in tx.runs.startable(["sales"], NOW, 1)] == ["oldest"]
        assert [run.run_id for run in tx.runs.startable(["sales", "stock"], NOW, 2)] == ["of another", "oldest"]
        assert tx.runs.startable([], NOW, 10) == []


def test_lock_heads_gives_what_deciding_needs_of_the_runs_that_exist_by_key(world: World, store: Database) -> None:
    keys = [world.running(name) for name in ("r1", "r2")]
    run = world.find("r2")

    with store.begin() as tx:
        heads = tx.runs.lock_heads([keys[1], RunKey(10**12), keys[0]])
        assert tx.runs.lock_heads([]) == []

    assert [head.key for head in heads] == keys
    assert heads[1] == RunHead(
        run.key,
        "sales",
        "r2",
        RunState.RUNNING,
        run.version_key,
        run.change_number,
        run.ordering_at,
        run.run_type,
        run.run_after,
        run.started_at,
    )


def test_what_a_person_said_a_run_shall_end_as_is_kept_until_taken_back(world: World, store: Database) -> None:
    key = world.running("r1")
    seen = []

    for state in (RunState.FAILED, None):
        with store.begin() as tx:
            assert tx.runs.set_state(key, RunState.RUNNING, RunState.RUNNING, NOW, forced_state=state and state.value)
            seen.append((_find(tx, "r1").forced_state, tx.runs.lock_heads([key])[0].forced_state))

    assert seen == [(RunState.FAILED, RunState.FAILED), (None, None)]


def _find(tx: SqlTransaction, run_id: str) -> Run:
    run = tx.runs.find("sales", run_id)
    assert run is not None
    return run


def test_dags_with_startable_runs_are_named_once_and_only_unpaused(world: World, store: Database) -> None:
    world.run("r1")
    world.run("r2")
    world.run("r1", "future", run_after=NOW + minutes(1))
    world.dag("paused", is_paused=True)
    world.run("r1", "paused")
    world.running("r1", "running")

    with store.begin() as tx:
        assert tx.runs.dags_with_startable(NOW) == ["sales"]


def test_start_changes_only_queued_runs_and_says_which(world: World, store: Database) -> None:
    queued, running = world.run("queued"), world.running("running")
    times_out_at = NOW + minutes(30)

    with store.begin() as tx:
        started = tx.runs.start([(queued, times_out_at), (running, None), (RunKey(10**12), None)], NOW)

    assert started == {queued}
    run = world.find("queued")
    assert (run.state, run.started_at, run.times_out_at) == (RunState.RUNNING, NOW, times_out_at)


def test_finish_changes_only_running_runs_and_says_which(world: World, store: Database) -> None:
    queued, running = world.run("queued"), world.running("running")
    with store.begin() as tx:
        tx.runs.decided([running], JOB, NOW)

    with store.begin() as tx:
        ends = [RunEnd(key, RunState.FAILED, "because") for key in (queued, running)]
        assert tx.runs.finish(ends, NOW + minutes(1)) == {running}
        assert tx.runs.finish(ends, NOW + minutes(2)) == set()

    run = world.find("running")
    assert (run.state, run.finished_at, run.reason, run.owner) == (
        RunState.FAILED,
        NOW + minutes(1),
        "because",
        None,
    )
    assert world.find("queued").state is RunState.QUEUED


def test_set_state_changes_a_run_only_from_the_expected_state(world: World, store: Database) -> None:
    key = world.ended("r1", RunState.FAILED)

    with store.begin() as tx:
        assert not tx.runs.set_state(key, RunState.SUCCESS, RunState.QUEUED, NOW)
        assert tx.runs.set_state(key, RunState.FAILED, RunState.QUEUED, NOW, clear_number=3, started_at=None)

    run = world.find("r1")
    assert (run.state, run.clear_number, run.started_at, run.finished_at) == (RunState.QUEUED, 3, None, None)


def test_set_state_to_an_end_notes_when(world: World, store: Database) -> None:
    key = world.running("r1")

    with store.begin() as tx:
        assert tx.runs.set_state(key, RunState.RUNNING, RunState.SUCCESS, NOW + minutes(2))

    assert world.find("r1").finished_at == NOW + minutes(2)


def test_decided_makes_every_memory_of_the_runs_old(world: World, store: Database) -> None:
    keys = [world.running(name) for name in ("r1", "r2")]
    untouched = world.running("r3")

    with store.begin() as tx:
        tx.runs.decided(keys, JOB, NOW)
        tx.runs.decided(keys[:1], None, NOW)
        tx.runs.decided(keys[1:], OTHER_JOB, NOW)
        tx.runs.decided([], JOB, NOW)

    assert [(world.find(name).change_number, world.find(name).owner) for name in ("r1", "r2", "r3")] == [
        (2, JOB),
        (2, OTHER_JOB),
        (0, None),
    ]
    assert untouched


def test_decided_moves_the_tasks_that_are_as_expected(world: World, store: Database) -> None:
    run_key = world.running("r1")
    tasks = [new_task(run_key, name) for name in ("a", "b")]
    with store.begin() as tx:
        tx.tasks.create(tasks)
        moves = [scheduled(task) for task in tasks]
        wrong = moves[1]._replace(attempt=7)

        assert tx.runs.decided([run_key], JOB, NOW, [moves[0], wrong]) == {TaskKey(run_key, "a")}
        assert tx.runs.decided([run_key], None, NOW, moves) == {TaskKey(run_key, "b")}
        assert tx.runs.decided([], JOB, NOW) == set()
        states = {snapshot.task_id: snapshot.state for snapshot in tx.tasks.of_runs([run_key])}

    assert states == dict.fromkeys(("a", "b"), TaskState.SCHEDULED)
    assert (world.find("r1").change_number, world.find("r1").owner, world.find("r1").decided_at) == (2, JOB, NOW)


def test_running_of_dag_gives_the_running_ones(world: World, store: Database) -> None:
    running = {world.running("a"), world.running("b")}
    world.run("queued")
    world.ended("ended", RunState.SUCCESS)
    world.running("a", "stock")

    with store.begin() as tx:
        assert set(tx.runs.running_of_dag("sales")) == running


def test_neighbours_follow_the_order_of_runs_with_the_key_as_tie_break(world: World, store: Database) -> None:
    world.run("one", run_after=NOW - minutes(5), run_type=RunType.SCHEDULED)
    for name in ("two", "three"):
        world.run(name, run_after=NOW)
    world.run("four", run_after=NOW + minutes(5), run_type=RunType.BACKFILL)
    world.run("other", "stock", run_after=NOW)
    runs = [world.find(name) for name in ("one", "two", "three", "four")]

    with store.begin() as tx:
        before = [tx.runs.before(run, only_scheduled=False) for run in runs]
        after = [tx.runs.after(run, only_scheduled=False) for run in runs]
        scheduled_before = tx.runs.before(runs[3], only_scheduled=True)
        scheduled_after = tx.runs.after(runs[0], only_scheduled=True)

    assert [run.run_id if run else None for run in before] == [None, "one", "two", "three"]
    assert [run.run_id if run else None for run in after] == ["two", "three", "four", None]
    assert (scheduled_before, scheduled_after) == (runs[0], runs[3])


def test_last_scheduled_is_the_newest_that_the_timetable_made(world: World, store: Database) -> None:
    with store.begin() as tx:
        assert tx.runs.last_scheduled("sales") is None
    world.run("newer", run_after=NOW, run_type=RunType.SCHEDULED)
    world.run("older", run_after=NOW - minutes(1), run_type=RunType.SCHEDULED)
    world.run("newest but manual", run_after=NOW + minutes(1))
    world.run("backfill__of_its_own", run_after=NOW + minutes(2), run_type=RunType.BACKFILL)

    with store.begin() as tx:
        found = tx.runs.last_scheduled("sales")

    assert found is not None
    assert found.run_id == "newer"


def test_a_run_that_a_backfill_took_over_was_still_made_by_the_timetable(world: World, store: Database) -> None:
    world.run("scheduled__1", run_after=NOW, run_type=RunType.SCHEDULED)
    world.run("scheduled__2", run_after=NOW + minutes(1), run_type=RunType.BACKFILL)

    with store.begin() as tx:
        found = tx.runs.last_scheduled("sales")

    assert found is not None
    assert found.run_id == "scheduled__2"


def test_overdue_runs_are_running_and_past_their_timeout(world: World, store: Database) -> None:
    keys = [world.run(name) for name in ("over", "just", "not yet", "ended")]
    with store.begin() as tx:
        spans = (-1, 0, 1, -1)
        tx.runs.start([(key, NOW + minutes(span)) for key, span in zip(keys, spans, strict=True)], NOW)
        tx.runs.finish([RunEnd(keys[3], RunState.SUCCESS)], NOW)

        assert set(tx.runs.overdue(NOW)) == set(keys[:2])


def test_next_timer_is_the_next_timeout_or_start(world: World, store: Database) -> None:
    with store.begin() as tx:
        assert tx.runs.next_timer(NOW) is None
    waiting = world.run("waiting", run_after=NOW + minutes(9))
    world.run("due already", run_after=NOW - minutes(9))

    with store.begin() as tx:
        assert tx.runs.next_timer(NOW) == NOW + minutes(9)
    running = world.run("running")
    with store.begin() as tx:
        tx.runs.start([(running, NOW + minutes(4))], NOW)
        assert tx.runs.next_timer(NOW) == NOW + minutes(4)
        tx.runs.finish([RunEnd(running, RunState.SUCCESS)], NOW)
        assert tx.runs.next_timer(NOW) == NOW + minutes(9)
        tx.runs.start([(waiting, None)], NOW)
        assert tx.runs.next_timer(NOW) is None


def test_failures_in_a_row_are_counted_from_the_newest_up_to_the_limit(world: World, store: Database) -> None:
    states = (RunState.FAILED, RunState.SUCCESS, RunState.FAILED, RunState.FAILED)
    for number, state in enumerate(states):
        world.ended(f"r{number}", state, run_after=NOW + minutes(number))
    world.running("unfinished", run_after=NOW + minutes(99))

    with store.begin() as tx:
        assert tx.runs.failed_in_a_row("sales", 10) == 2
        assert tx.runs.failed_in_a_row("sales", 1) == 1
        assert tx.runs.failed_in_a_row("nothing", 10) == 0


def test_a_note_is_set_and_taken_away(world: World, store: Database) -> None:
    key = world.run("r1")

    with store.begin() as tx:
        tx.runs.set_note(key, "looks odd 🤔")
    assert world.find("r1").note == "looks odd 🤔"

    with store.begin() as tx:
        tx.runs.set_note(key, None)
    assert world.find("r1").note is None


def test_deleting_a_run_deletes_its_instances_history_and_changes(world: World, store: Database) -> None:
    """A change without a run would never be taken, and would hide those behind it (B9)."""
    doomed, spared = world.running("doomed"), world.running("spared")
    for key in (doomed, spared):
        attempt = world.task(TaskState.FAILED, key)
        with store.begin() as tx:
            tx.attempts.archive([attempt.task])
            tx.changes.record([attempt.task], NOW)

    with store.begin() as tx:
        tx.runs.delete(doomed)

    with store.begin() as tx:
        assert [run.run_id for run in tx.runs.of_dag("sales")] == ["spared"]
        assert {task.run_key for task in tx.tasks.of_runs([doomed, spared])} == {spared}
        assert tx.changes.take([doomed]).tasks == set()
        assert len(tx.changes.take([spared]).tasks) == 1
        assert not tx.changes.is_any_pending()


def test_a_run_key_is_never_used_twice(world: World, store: Database) -> None:
    """A late report of a deleted run must not reach a task of a newer one (A2)."""
    first = world.run("r1")
    with store.begin() as tx:
        tx.runs.delete(first)

    assert world.run("r1") > first
