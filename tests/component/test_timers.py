"""What time alone brings about: retries, pokes, deferrals, run timeouts (D4)."""

from datetime import datetime, timedelta

import pytest

from tests.component.world import PatientExecutor, World, defers, fails, in_turn, succeeds
from tradewind.model.dag import Retry, Task
from tradewind.model.ids import AttemptKey
from tradewind.model.states import RunState
from tradewind.model.task import AwaitingInput, Failed, Rescheduled, Succeeded
from tradewind.operations.report_tasks import end_waiting_tasks, resume_tasks


def test_a_failed_task_is_tried_again_after_its_delay(any_world: World) -> None:
    """D4."""
    any_world.dag(Task("a", retry=Retry(retries=2, delay_s=60.0)), Task("b", upstream=("a",)))
    any_world.trigger()
    any_world.scheduler(endings={"a": in_turn(fails(), fails(), succeeds())})

    any_world.settle()
    first = any_world.instances()["a"]
    any_world.pass_time(59)
    assert any_world.instances()["a"].try_number == 1
    any_world.pass_time(1)
    second = any_world.instances()["a"]
    any_world.pass_time(60)

    assert (first.state, first.try_number) == ("up_for_retry", 1)
    assert first.wake_at is not None
    assert (second.state, second.try_number) == ("up_for_retry", 2)
    assert any_world.states() == {"a": "success", "b": "success"}
    assert any_world.instances()["a"].try_number == 3


def test_a_task_fails_for_good_when_no_try_is_left(world: World) -> None:
    world.dag(Task("a", retry=Retry(retries=1, delay_s=0.0)))
    world.trigger()
    world.scheduler(endings={"a": fails()})

    world.settle()
    world.pass_time(1)

    assert world.states() == {"a": "failed"}
    assert world.instances()["a"].try_number == 2
    assert world.run().state is RunState.FAILED


def test_a_failure_that_no_retry_can_mend_is_final(world: World) -> None:
    world.dag(Task("a", retry=Retry(retries=5)))
    world.trigger()
    world.scheduler(endings={"a": fails(may_retry=False)})

    world.settle()

    assert (world.states(), world.instances()["a"].try_number) == ({"a": "failed"}, 1)


def test_a_retry_policy_has_the_last_word_on_the_delay(world: World) -> None:
    world.dag(Task("a", retry=Retry(retries=1, delay_s=3600.0)))
    world.trigger()
    world.scheduler(endings={"a": in_turn(fails(retry_delay_s=5.0), succeeds())})
    world.settle()

    world.pass_time(5)

    assert world.states() == {"a": "success"}


def test_the_scheduler_sleeps_until_the_next_timer_and_no_longer(world: World) -> None:
    world.dag(Task("a", retry=Retry(retries=1, delay_s=0.25)))
    world.trigger()
    scheduler = world.scheduler(endings={"a": in_turn(fails(), succeeds())})
    world.settle()

    idle_s = scheduler.idle_s()

    assert 0.2 <= idle_s <= 0.25


def test_a_rescheduled_sensor_pokes_again_without_a_new_try(world: World) -> None:
    def poke(attempt: AttemptKey, now: datetime) -> Rescheduled:
        return Rescheduled(attempt, now, until=now + timedelta(seconds=30))

    world.dag(Task("sensor", retry=Retry(retries=3)))
    world.trigger()
    world.scheduler(endings={"sensor": in_turn(poke, poke, succeeds())})

    world.settle()
    assert world.states() == {"sensor": "up_for_reschedule"}
    world.pass_time(30)
    world.pass_time(30)

    sensor = world.instances()["sensor"]
    assert (sensor.state, sensor.try_number, sensor.attempt) == ("success", 1, 3)


def test_a_deferred_task_resumes_once(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    attempt = executor.attempt("a")
    executor.finish(attempt, defers())
    world.settle()
    assert world.states() == {"a": "deferred"}

    with world.database.begin() as tx:
        assert resume_tasks(tx, [attempt], world.clock.now()) == {attempt.task}
        assert resume_tasks(tx, [attempt], world.clock.now()) == set()
    world.settle()

    assert executor.busy_with == ["a"]
    resumed = world.instances()["a"]
    assert (resumed.try_number, resumed.attempt) == (1, 2)
    executor.end()
    world.settle()
    assert world.run().state is RunState.SUCCESS


@pytest.mark.parametrize("retries", [0, 1])
def test_a_deferral_that_takes_too_long_is_a_failure(world: World, retries: int) -> None:
    world.dag(Task("a", retry=Retry(retries=retries, delay_s=10.0)))
    world.trigger()
    deadline = world.clock.now() + timedelta(seconds=60)
    world.scheduler(endings={"a": in_turn(defers(deadline), succeeds())})
    world.settle()

    world.pass_time(60)
    assert world.states() == {"a": "up_for_retry" if retries else "failed"}
    world.pass_time(10)

    assert world.run().state is (RunState.SUCCESS if retries else RunState.FAILED)


def test_a_run_that_takes_too_long_fails_and_its_tasks_are_skipped(any_world: World) -> None:
    any_world.dag(Task("a"), Task("b", upstream=("a",)), run_timeout_s=120.0)
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()

    any_world.pass_time(119)
    assert any_world.run().state is RunState.RUNNING
    any_world.pass_time(1)

    run = any_world.run()
    assert run.state is RunState.FAILED
    assert run.reason is not None
    assert "dagrun_timeout" in run.reason
    assert any_world.states() == {"a": "skipped", "b": "skipped"}
    executor.end()
    any_world.settle()
    assert any_world.states() == {"a": "skipped", "b": "skipped"}


def test_a_timed_out_run_makes_room_for_the_next(world: World) -> None:
    world.dag(Task("a"), run_timeout_s=60.0, max_active_runs=1)
    world.trigger(run_id="r1")
    world.trigger(run_id="r2")
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    world.pass_time(60)

    assert [run.state for run in world.runs()] == [RunState.FAILED, RunState.RUNNING]
    assert world.states("r2") == {"a": "running"}


def test_a_run_for_later_waits_for_its_time(world: World) -> None:
    world.dag(Task("a"))
    world.trigger(run_after=world.clock.now() + timedelta(hours=1))
    world.scheduler()

    world.settle()
    world.pass_time(3599)
    assert world.run().state is RunState.QUEUED
    world.pass_time(1)

    assert world.run().state is RunState.SUCCESS


def test_retries_of_a_cleared_task_start_over(world: World) -> None:
    """D4: a clear gives as many further tries as the DAG does."""
    world.dag(Task("a", retry=Retry(retries=1, delay_s=0.0)))
    world.trigger()
    world.scheduler(endings={"a": in_turn(*[fails()] * 3, succeeds())})
    world.settle()
    world.pass_time(1)
    assert world.instances()["a"].try_number == 2

    world.clear("a")
    world.settle()
    world.pass_time(1)

    task = world.instances()["a"]
    assert (task.state, task.try_number) == ("success", 4)


def test_a_task_that_waits_for_a_person_goes_on_when_there_is_an_answer(world: World) -> None:
    """D4."""
    world.dag(Task("ask"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    attempt = executor.attempt("ask")
    executor.finish(attempt, AwaitingInput)
    world.settle()

    assert world.states() == {"ask": "awaiting_input"}
    with world.database.begin() as tx:
        assert resume_tasks(tx, [attempt], world.clock.now()) == {attempt.task}
    world.settle()
    executor.end("ask")
    world.settle()
    assert world.states() == {"ask": "success"}


@pytest.mark.parametrize(("retries", "state"), [(0, "failed"), (1, "up_for_retry")])
def test_a_trigger_may_end_its_task_without_a_worker(world: World, retries: int, state: str) -> None:
    """D4: with success, or with a failure that counts like any other."""
    world.dag(Task("good"), Task("bad", retry=Retry(retries=retries)))
    world.trigger()
    executor = PatientExecutor(world.clock)
    scheduler = world.scheduler(executor)
    world.settle()
    attempts = {name: executor.attempt(name) for name in ("good", "bad")}
    for attempt in attempts.values():
        executor.finish(attempt, defers())
    world.settle()

    now = world.clock.now()
    ends = (Succeeded(attempts["good"], now), Failed(attempts["bad"], now, reason="the trigger said so"))
    with world.database.begin() as tx:
        ended = end_waiting_tasks(tx, ends, now, scheduler.state.structures)
        again = end_waiting_tasks(tx, ends, now, scheduler.state.structures)
    world.settle()

    assert ended == {attempt.task for attempt in attempts.values()}
    assert again == set()
    assert world.states() == {"good": "success", "bad": state}
