"""What one run means for the next: depends_on_past and wait_for_downstream, over real runs (D3)."""

from datetime import timedelta

import pytest

from tests.component.world import PatientExecutor, World, fails, in_turn, skips_itself, succeeds
from tradewind.model.dag import Task
from tradewind.model.mapping import OutputLength
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.operations.delete import delete_run

DAY = timedelta(days=1)


def trigger_days(world: World, count: int) -> None:
    """Runs r1, r2 …, a day apart, all of which may begin now."""
    for number in range(count):
        world.trigger(run_id=f"r{number + 1}", logical_date=world.clock.now() + (number - 10) * DAY)


def test_the_first_run_waits_for_nothing(world: World) -> None:
    world.dag(Task("a", depends_on_past=True, ignore_first_depends_on_past=False))
    trigger_days(world, 1)
    world.scheduler()

    world.settle()

    assert world.run().state is RunState.SUCCESS


def test_runs_go_one_after_another(any_world: World) -> None:
    any_world.dag(Task("a", depends_on_past=True), Task("b", upstream=("a",)))
    trigger_days(any_world, 3)
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)

    any_world.settle()
    assert executor.busy_with == ["a"]
    assert any_world.states("r2")["a"] == "none"
    executor.end("a")
    any_world.settle()
    assert sorted(executor.busy_with) == ["a", "b"]
    assert any_world.states("r2")["a"] == "running"
    assert any_world.states("r3")["a"] == "none"
    for _ in range(4):
        executor.end()
        any_world.settle()

    assert {run.state for run in any_world.runs()} == {RunState.SUCCESS}


def test_a_failure_keeps_the_next_run_waiting_and_is_no_deadlock(world: World) -> None:
    world.dag(Task("a", depends_on_past=True))
    trigger_days(world, 2)
    world.scheduler(endings={"a": in_turn(fails(), succeeds())})

    world.settle()

    assert world.run("r1").state is RunState.FAILED
    assert (world.run("r2").state, world.states("r2")) == (RunState.RUNNING, {"a": "none"})


def test_a_skip_lets_the_next_run_go_on(world: World) -> None:
    world.dag(Task("a", depends_on_past=True))
    trigger_days(world, 2)
    world.scheduler(endings={"a": in_turn(skips_itself(), succeeds())})

    world.settle()

    assert world.states("r2") == {"a": "success"}


def test_clearing_the_failure_lets_the_next_run_go_on(world: World) -> None:
    world.dag(Task("a", depends_on_past=True))
    trigger_days(world, 2)
    world.scheduler(endings={"a": in_turn(fails(), succeeds())})
    world.settle()

    world.clear("a", run_id="r1")
    world.settle()

    assert world.states("r1") == world.states("r2") == {"a": "success"}


def test_marking_the_failure_a_success_lets_the_next_run_go_on(world: World) -> None:
    world.dag(Task("a", depends_on_past=True))
    trigger_days(world, 2)
    world.scheduler(endings={"a": in_turn(fails(), succeeds())})
    world.settle()

    world.mark(TaskState.SUCCESS, "a", run_id="r1")
    world.settle()

    assert world.states("r2") == {"a": "success"}


def test_marking_the_whole_run_a_success_lets_the_next_run_go_on(world: World) -> None:
    world.dag(Task("a", depends_on_past=True))
    trigger_days(world, 2)
    world.scheduler(endings={"a": in_turn(fails(), succeeds())})
    world.settle()

    world.mark_run(RunState.SUCCESS, run_id="r1")
    world.settle()

    assert world.states("r2") == {"a": "success"}


def test_deleting_the_failed_run_lets_the_next_run_go_on(world: World) -> None:
    world.dag(Task("a", depends_on_past=True))
    trigger_days(world, 2)
    world.scheduler(endings={"a": in_turn(fails(), succeeds())})
    world.settle()

    with world.database.begin() as tx:
        delete_run(tx, "sales", "r1", world.structures, world.clock.now())
    world.settle()

    assert world.states("r2") == {"a": "success"}


def test_a_run_that_timed_out_lets_the_next_run_go_on(world: World) -> None:
    """Its unfinished tasks are skipped, and a skip is good enough for depends_on_past."""
    world.dag(Task("a"), Task("b", upstream=("a",), depends_on_past=True), run_timeout_s=60.0, max_active_runs=2)
    trigger_days(world, 1)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    world.pass_time(30)
    trigger = world.clock.now() - 5 * DAY
    world.trigger(run_id="r2", logical_date=trigger)
    world.settle()
    executor.end()
    world.settle()
    executor.work.clear()  # b of the first run never ends

    world.pass_time(31)
    world.settle()

    assert world.run("r1").state is RunState.FAILED
    assert world.states("r1")["b"] == "skipped"
    assert world.states("r2")["b"] in ("queued", "running")


def test_wait_for_downstream_waits_for_the_tasks_behind(world: World) -> None:
    world.dag(Task("a", wait_for_downstream=True, depends_on_past=True), Task("b", upstream=("a",)))
    trigger_days(world, 2)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    executor.end("a")
    world.settle()
    assert executor.busy_with == ["b"]
    executor.end("b")
    world.settle()

    assert executor.busy_with == ["a"]
    assert world.states("r2")["a"] == "running"


def test_a_skip_can_be_made_to_wait_for_the_past(world: World) -> None:
    world.dag(
        Task("branch"),
        Task("a", upstream=("branch",), depends_on_past=True, wait_for_past_depends_before_skipping=True),
    )
    trigger_days(world, 2)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    assert sorted(executor.busy_with) == ["branch", "branch"]
    first, second = sorted(executor.work)

    executor.finish(second, succeeds(skips=["a"]))
    world.settle()
    assert world.states("r2")["a"] == "none"
    executor.finish(first, succeeds(skips=["a"]))
    world.settle()

    assert world.states("r1")["a"] == world.states("r2")["a"] == "skipped"


@pytest.mark.parametrize(
    "depends_on_past",
    [
        False,
        True,
    ],
)
def test_a_mapped_task_waits_until_the_whole_task_passed_in_the_run_before(world: World, depends_on_past: bool) -> None:
    """As in Airflow, where the run before is asked for the task, not for the map index."""
    world.dag(
        Task("list"),
        Task("work", upstream=("list",), mapping=OutputLength("list"), depends_on_past=depends_on_past),
    )
    trigger_days(world, 2)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    first, second = sorted(executor.work)

    executor.finish(second, succeeds(2))
    world.settle()

    assert executor.busy_with[1:] == ([] if depends_on_past else ["work[0]", "work[1]"])
    executor.finish(first, succeeds(1))
    world.settle()
    if depends_on_past:
        executor.end("work[0]")
        world.settle()
        assert executor.busy_with == ["work[0]", "work[1]"]


def test_a_run_by_hand_learns_that_the_scheduled_run_before_it_has_ended(world: World) -> None:
    """With catchup, only scheduled runs count as past; runs by hand look back at them all the same."""
    world.dag(Task("a", depends_on_past=True), catchup=True)
    today = world.clock.now()
    world.trigger(run_id=None, run_type=RunType.SCHEDULED, logical_date=today - 3 * DAY)
    for number, days in enumerate((2, 1)):
        world.trigger(run_id=f"by_hand_{number}", logical_date=today - days * DAY)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    assert executor.busy_with == ["a"]

    executor.end("a")
    world.settle()

    assert executor.busy_with == ["a", "a"]
