"""Backfills: their dates, their limits, their end, whoever works on them and whatever happens in between (B7, C5)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.component.backfilling import (
    begin,
    cancel,
    daily,
    december,
    find,
    pause,
    progress,
    reasons,
    states,
    would_make,
)
from tests.component.world import PatientExecutor, World, fails, in_turn, succeeds
from tradewind.errors import Conflict, DagStale, InvalidRequest, RunTypeRefused, UnknownBackfill, UnknownDag
from tradewind.model.backfill import Backfill, ReprocessBehavior
from tradewind.model.dag import Task
from tradewind.model.ids import BackfillKey
from tradewind.model.states import RunState, RunType, TriggeredBy
from tradewind.model.timetable import Never
from tradewind.operations import start_backfill
from tradewind.operations.delete import delete_run
from tradewind.operations.manage_backfills import pause_backfill
from tradewind.telemetry.events import DutyFailed

DONE = RunState.SUCCESS


def test_each_date_gets_one_run_and_then_it_is_complete(any_world: World) -> None:
    world = any_world
    daily(world, Task("load"), Task("late", start_at=world.clock.now()))
    backfill = begin(world, conf={"n": 1}, triggering_user_name="ann")
    world.scheduler()

    world.settle()

    assert states(world) == dict.fromkeys(range(1, 6), "success")
    run = world.runs()[0]
    assert (run.run_id, run.run_type) == ("backfill__2025-12-01T00:00:00+00:00", RunType.BACKFILL)
    assert (run.logical_date, run.conf) == (december(1), {"n": 1})
    assert (run.triggered_by, run.triggering_user_name) == (TriggeredBy.BACKFILL, "ann")
    # Who asks for dates from before a task began wants it run all the same.
    assert world.states(run.run_id) == {"load": "success", "late": "success"}
    world.pass_time(2)
    assert find(world, backfill.key).completed_at is not None


def test_max_active_runs_is_its_own_and_the_dags_does_not_count(any_world: World) -> None:
    """Neither way: a DAG of one run at a time backfills three (pain 9: more than one, with two schedulers)."""
    world = any_world
    daily(world, max_active_runs=1)
    executor = PatientExecutor(world.clock)
    begin(world, max_active_runs=3)
    for _ in range(2):
        world.scheduler(executor)
    world.trigger(run_id="by_hand")
    world.settle()

    running = [run.run_id for run in world.runs() if run.state is RunState.RUNNING]
    assert len(running) == 4
    assert "by_hand" in running
    world.trigger(run_id="one_too_many")
    executor.end()
    world.settle()
    world.pass_time(2)
    assert [run.state for run in world.runs()].count(RunState.RUNNING) == 3


@pytest.mark.parametrize("is_backward", [False, True])
def test_runs_begin_in_its_direction(world: World, is_backward: bool) -> None:
    daily(world)
    executor = PatientExecutor(world.clock)
    begin(world, max_active_runs=1, run_backwards=is_backward)
    world.scheduler(executor)
    days = []
    for _ in range(5):
        world.settle()
        days += [day for day, state in states(world).items() if state == "running"]
        executor.end()

    assert days == ([5, 4, 3, 2, 1] if is_backward else [1, 2, 3, 4, 5])


@pytest.mark.parametrize(
    ("behaviour", "again"),
    [
        (ReprocessBehavior.NONE, []),
        (ReprocessBehavior.FAILED, [2]),
    ],
)
def test_runs_that_exist_are_treated_as_asked(world: World, behaviour: ReprocessBehavior, again: list[int]) -> None:
    backfill_around_three_runs(world, behaviour, again)


def test_all_that_ended_starts_over_if_so_asked(any_world: World) -> None:
    backfill_around_three_runs(any_world, ReprocessBehavior.COMPLETED, [1, 2])


def backfill_around_three_runs(world: World, behaviour: ReprocessBehavior, again: list[int]) -> None:
    """One that succeeded, one that failed, one that has not begun."""
    daily(world, is_paused=False)
    script = world.scheduler(endings={"load": in_turn(succeeds(), fails(may_retry=False), succeeds())})
    for day in (1, 2):
        world.trigger(run_id=f"day_{day}", logical_date=december(day), run_after=december(day), conf={"old": day})
        world.settle(script)
    world.pause()
    world.trigger(run_id="day_3", logical_date=december(3), run_after=december(3))

    assert would_make(world, reprocess_behavior=behaviour) == [*again, 4, 5]
    backfill = begin(world, reprocess_behavior=behaviour, conf={"new": 1})
    world.pause(is_paused=False)
    world.settle()
    world.pass_time(2)

    done = find(world, backfill.key)
    assert (done.looked_at, done.passed_over, done.is_complete) == (5, 3 - len(again), True)
    taken = {run.run_after.day: run for run in world.runs() if run.backfill_key == backfill.key}
    assert sorted(taken) == [*again, 4, 5]
    for day in again:
        assert (taken[day].run_id, taken[day].run_type) == (f"day_{day}", RunType.BACKFILL)
        assert (taken[day].conf, taken[day].clear_number, taken[day].state) == ({"new": 1}, 1, DONE)
    assert states(world) == dict.fromkeys(range(1, 6), "success") | ({} if 2 in again else {2: "failed"})


def test_it_is_complete_at_once_where_nothing_is_left_to_do(world: World) -> None:
    daily(world, is_paused=True)
    world.trigger(run_id="r1", logical_date=december(1), run_after=december(1))

    assert begin(world, 1, 1).is_complete
    assert begin(world, 2, 2).is_complete is False


def test_it_is_not_complete_before_its_last_run_has_ended(world: World) -> None:
    """Pain 17: marked complete too early."""
    daily(world)
    executor = PatientExecutor(world.clock)
    backfill = begin(world, max_active_runs=2)
    world.scheduler(executor)
    for ended in (0, 2, 4):
        world.settle()
        world.pass_time(3)
        assert not find(world, backfill.key).is_complete
        assert progress(world, backfill).ended == ended
        executor.end()
        world.clock.advance(60)
    world.settle()
    world.pass_time(2)

    assert find(world, backfill.key).is_complete
    assert progress(world, backfill).ended == 5


def test_the_rest_of_the_time_is_estimated_from_the_runs_so_far(world: World) -> None:
    daily(world)
    executor = PatientExecutor(world.clock)
    backfill = begin(world, 1, 10, max_active_runs=2)
    world.scheduler(executor)
    world.settle()
    assert progress(world, backfill).remaining is None
    world.clock.advance(60)
    executor.end()
    world.settle()

    known = progress(world, backfill)

    assert (known.total, known.ended, known.to_come) == (10, 2, 0)
    assert (known.runs.queued, known.runs.running, known.runs.succeeded) == (6, 2, 2)
    assert known.remaining == timedelta(minutes=4)
    pause(world, backfill)
    assert progress(world, backfill).remaining is None


def two_of_five_run(world: World) -> tuple[Backfill, PatientExecutor]:
    """A backfill that is under way."""
    daily(world)
    executor = PatientExecutor(world.clock)
    backfill = begin(world, max_active_runs=2)
    world.scheduler(executor)
    world.settle()
    return backfill, executor


def test_a_paused_backfill_starts_nothing_and_goes_on_afterwards(any_world: World) -> None:
    world = any_world
    backfill, executor = two_of_five_run(world)
    pause(world, backfill)
    executor.end()
    world.settle()
    world.pass_time(3)

    assert sorted(states(world).values()) == ["queued"] * 3 + ["success"] * 2
    (reason,) = reasons(world, "backfill__2025-12-03T00:00:00+00:00")
    assert (reason.code, reason.text) == ("backfill_paused", f"its backfill {backfill.key} is paused")
    pause(world, backfill, is_paused=False)
    world.settle()
    (reason,) = reasons(world, "backfill__2025-12-05T00:00:00+00:00")
    assert reason.code == "backfill_max_active_runs"
    assert reason.details == {"backfill": backfill.key, "runs": 2, "limit": 2}


def test_a_cancelled_backfill_fails_what_has_not_begun_and_lets_the_rest_end(any_world: World) -> None:
    world = any_world
    backfill, executor = two_of_five_run(world)

    cancel(world, backfill)

    assert states(world) == {1: "running", 2: "running", 3: "failed", 4: "failed", 5: "failed"}
    assert world.runs()[2].reason == f"backfill {backfill.key} was cancelled"
    assert world.states(world.runs()[2].run_id) == {"load": "skipped"}
    done = find(world, backfill.key)
    assert (done.is_complete, done.is_paused) == (True, True)
    executor.end()
    world.settle()
    assert states(world)[1] == "success"
    for change in (cancel, pause):
        with pytest.raises(Conflict, match="already complete"):
            change(world, backfill)
    assert not begin(world, 6, 6).is_complete


def test_a_run_that_is_cleared_after_the_end_runs_again(world: World) -> None:
    """Pain 17: such a run of a cancelled backfill, which counts as paused, would wait for ever."""
    daily(world)
    backfill = begin(world)
    cancel(world, backfill)
    world.scheduler()

    world.clear(run_id="backfill__2025-12-02T00:00:00+00:00")
    world.settle()

    assert states(world)[2] == "success"


def test_a_run_that_is_deleted_is_not_waited_for(world: World) -> None:
    daily(world, is_paused=True)
    backfill = begin(world)
    for run in world.runs():
        with world.database.begin() as tx:
            delete_run(tx, "sales", run.run_id, world.structures, world.clock.now())
    world.scheduler()
    world.settle()

    assert find(world, backfill.key).is_complete


def test_one_at_a_time_for_each_dag(any_world: World) -> None:
    daily(any_world)
    daily(any_world, dag_id="stock")
    first = begin(any_world)

    with pytest.raises(Conflict, match=f"already has a backfill that is not complete: {first.key}"):
        begin(any_world, 7, 8)
    begin(any_world, dag_id="stock")
    assert [run.run_after.day for run in any_world.runs()] == [1, 2, 3, 4, 5]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs in each transaction, and at most four that wait."""
    monkeypatch.setattr("tradewind.operations.start_backfill._MOST_RUNS", 2)
    monkeypatch.setattr("tradewind.operations.start_backfill.MOST_AHEAD", 4)


@pytest.mark.usefixtures("small_batches")
def test_no_more_runs_are_made_than_can_begin_soon(world: World) -> None:
    daily(world)
    executor = PatientExecutor(world.clock)
    backfill = begin(world, 1, 20, max_active_runs=3)
    assert len(world.runs()) == 2
    world.scheduler(executor)
    for _ in range(9):
        world.settle()
        world.pass_time(1.5)
        queued = [run for run in world.runs() if run.state is RunState.QUEUED]
        assert len(queued) <= 5
        assert progress(world, backfill).to_come == 20 - len(world.runs())
        executor.end()
    world.settle()
    world.pass_time(2)

    assert states(world) == dict.fromkeys(range(1, 21), "success")
    assert find(world, backfill.key).is_complete


class Dies(BaseException):
    """No duty survives it."""


@pytest.mark.usefixtures("small_batches")
def test_whoever_comes_after_a_crash_goes_on_from_there(any_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The crash comes when a batch is written but not committed: each time one batch later than the last."""
    world = any_world
    monkeypatch.setattr(start_backfill, "MOST_AHEAD", 100)
    daily(world)
    backfill = begin(world, 1, 11, run_backwards=True)
    work = start_backfill._Batch.work
    for batches in (1, 2):
        lived = iter([True] * batches)

        def dying(self: start_backfill._Batch, lived: Iterator[bool] = lived) -> int:
            done = work(self)
            if not next(lived, False):
                raise Dies
            return done

        monkeypatch.setattr(start_backfill._Batch, "work", dying)
        world.scheduler()
        with pytest.raises(Dies):
            world.settle()
        world.schedulers.clear()
        world.clock.advance(2)
    monkeypatch.setattr(start_backfill._Batch, "work", work)
    world.scheduler()
    world.settle()
    world.pass_time(2)

    assert states(world) == dict.fromkeys(range(1, 12), "success")
    assert len(world.runs()) == 11
    done = find(world, backfill.key)
    assert (done.looked_at, done.passed_over, done.is_complete) == (11, 0, True)


def test_two_schedulers_make_each_run_once(any_world: World, small_batches: None) -> None:
    world = any_world
    daily(world)
    backfill = begin(world, 1, 15, max_active_runs=4)
    for _ in range(2):
        world.scheduler()
    world.settle()
    world.pass_time(10, step_s=1.1)

    assert states(world) == dict.fromkeys(range(1, 16), "success")
    assert len(world.runs()) == 15
    assert find(world, backfill.key).is_complete


def test_a_new_schedule_does_not_change_what_was_asked_for(world: World, small_batches: None) -> None:
    daily(world)
    backfill = begin(world, 1, 8)
    daily(world, Task("load"), Task("more"), timetable=Never())
    world.scheduler()
    world.settle()
    world.pass_time(5, step_s=1.1)

    assert states(world) == dict.fromkeys(range(1, 9), "success")
    assert find(world, backfill.key).is_complete
    tasks = [sorted(world.states(run.run_id)) for run in world.runs()]
    assert tasks == [["load"]] * 2 + [["load", "more"]] * 6


def test_runs_keep_to_the_version_that_was_there_if_so_asked(world: World, small_batches: None) -> None:
    daily(world, is_paused=True)
    world.trigger(run_id="old", logical_date=december(1), run_after=december(1))
    world.mark_run(RunState.FAILED, run_id="old")
    begin(world, 1, 6, run_on_latest_version=False, reprocess_behavior=ReprocessBehavior.FAILED)
    daily(world, Task("load"), Task("more"))
    world.pause(is_paused=False)
    world.scheduler()
    world.settle()
    world.pass_time(3, step_s=1.1)

    assert [sorted(world.states(run.run_id)) for run in world.runs()] == [["load"]] * 6


def test_runs_wait_for_the_run_before_where_their_tasks_depend_on_it(world: World) -> None:
    daily(world, Task("load", depends_on_past=True), catchup=True)
    executor = PatientExecutor(world.clock)
    begin(world, reprocess_behavior=ReprocessBehavior.FAILED)
    world.scheduler(executor)
    begun = []
    for _ in range(5):
        world.settle()
        begun += [len(executor.work)]
        executor.end()

    assert begun == [1] * 5
    assert len(executor.submitted) == 5


def test_what_cannot_be_backfilled_is_refused_in_one_sentence(world: World) -> None:
    daily(world)
    daily(world, Task("load", depends_on_past=True), dag_id="past")
    daily(world, dag_id="never", timetable=Never())
    daily(world, dag_id="manual", allowed_run_types=(RunType.SCHEDULED, RunType.MANUAL))
    daily(world, dag_id="strict", params={"n": {"value": 1, "schema": {"type": "integer"}}})
    with pytest.raises(UnknownDag):
        begin(world, dag_id="nothing")
    with pytest.raises(InvalidRequest, match=r"no dates to backfill: .*has no schedule"):
        begin(world, dag_id="never")
    with pytest.raises(RunTypeRefused, match="does not allow backfill runs"):
        begin(world, dag_id="manual")
    with pytest.raises(InvalidRequest, match="cannot be backfilled backwards"):
        begin(world, dag_id="past", run_backwards=True)
    with pytest.raises(InvalidRequest, match="set reprocess_behavior to failed or completed"):
        begin(world, dag_id="past")
    with pytest.raises(InvalidRequest, match="is after to_date"):
        begin(world, 5, 4)
    with pytest.raises(InvalidRequest, match="less than 1"):
        begin(world, max_active_runs=0)
    with pytest.raises(InvalidRequest, match="cannot be above"):
        begin(world, max_active_runs=2**40)
    with pytest.raises(InvalidRequest, match="Invalid input for param n"):
        begin(world, dag_id="strict", conf={"n": "x"})
    with pytest.raises(UnknownBackfill, match="there is no backfill 99"), world.database.begin() as tx:
        pause_backfill(tx, BackfillKey(99), world.clock.now(), is_paused=True)


def test_a_dag_that_no_file_has_is_not_backfilled(world: World) -> None:
    daily(world)
    with world.database.begin() as tx:
        tx.dags.set_stale(["sales"])

    with pytest.raises(DagStale):
        begin(world)


def test_a_version_that_cannot_be_read_pauses_the_backfill_and_no_more(world: World, small_batches: None) -> None:
    daily(world)
    broken = begin(world, 1, 9)
    with world.database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE dag_version SET data = '{' WHERE dag_id = 'sales'")
    daily(world, Task("new"))
    world.scheduler()

    world.settle(allow_failures=True)

    assert find(world, broken.key).is_paused
    with world.database.begin() as tx:
        record = tx.dags.find("sales")
    assert record is not None
    assert record.error is None


def test_a_backfill_that_its_dag_no_longer_allows_is_paused_and_the_others_go_on(
    world: World, small_batches: None
) -> None:
    """B10, and pain 26: bad input of one stops all."""
    for dag_id in ("sales", "stock"):
        daily(world, dag_id=dag_id)
    refused, other = begin(world, 1, 6), begin(world, 1, 6, dag_id="stock")
    daily(world, allowed_run_types=(RunType.SCHEDULED,))
    world.scheduler()
    world.settle(allow_failures=True)
    world.clock.advance(2)
    world.settle(allow_failures=True)

    assert find(world, refused.key).is_paused
    assert find(world, other.key).is_complete
    (told,) = world.told(DutyFailed)
    assert told.error == f"backfill {refused.key} is paused: DAG 'sales' does not allow backfill runs"
