"""What people do to runs and tasks: clear, mark, pause, delete, note (D4)."""

from datetime import timedelta
from typing import Any

import pytest

from tests.component.world import Ending, PatientExecutor, World, fails, in_turn, succeeds
from tradewind.errors import Conflict, InvalidRequest
from tradewind.model.dag import Retry, Task
from tradewind.model.ids import TaskKey
from tradewind.model.mapping import OutputLength
from tradewind.model.states import RunState, TaskRole, TaskState, TriggerRule
from tradewind.operations.delete import delete_dag, delete_run
from tradewind.operations.report_tasks import heartbeat_tasks
from tradewind.operations.set_note import set_run_note

DAY = timedelta(days=1)
CHAIN = (Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("b",)))


def finished(world: World, *, days: int = 1, **endings: Ending) -> None:
    """The chain a, b, c, run on as many days."""
    world.dag(*CHAIN)
    for day in range(days):
        world.trigger(run_id=f"r{day + 1}", logical_date=world.clock.now() + (day - 10) * DAY)
    world.scheduler(endings=endings)
    world.settle()


def tries(world: World, run_id: str = "r1") -> dict[str, int]:
    """How often each task was tried."""
    return {name: task.try_number for name, task in world.instances(run_id).items()}


# --- clear


def test_a_cleared_task_runs_again_alone(any_world: World) -> None:
    finished(any_world)

    assert any_world.clear("b") == ["b"]
    assert (any_world.run().state, any_world.run().clear_number) == (RunState.QUEUED, 1)
    any_world.settle()

    assert tries(any_world) == {"a": 1, "b": 2, "c": 1}
    assert any_world.run().state is RunState.SUCCESS


@pytest.mark.parametrize(
    ("options", "cleared"),
    [
        pytest.param({"downstream": True}, ["b", "c"], id="downstream"),
        pytest.param({"upstream": True}, ["a", "b"], id="upstream"),
        pytest.param({"upstream": True, "downstream": True}, ["a", "b", "c"], id="both"),
    ],
)
def test_clear_goes_up_and_down(world: World, options: dict[str, Any], cleared: list[str]) -> None:
    finished(world)

    assert world.clear("b", **options) == cleared
    world.settle()

    assert tries(world) == {name: 2 if name in cleared else 1 for name in "abc"}


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        pytest.param({"past": True}, {"r1", "r2"}, id="past"),
        pytest.param({"future": True}, {"r2", "r3"}, id="future"),
        pytest.param({"past": True, "future": True}, {"r1", "r2", "r3"}, id="both"),
    ],
)
def test_clear_goes_back_and_forth_in_time(world: World, options: dict[str, Any], runs: set[str]) -> None:
    finished(world, days=3)

    world.clear("c", run_id="r2", **options)
    world.settle()

    again = {run.run_id for run in world.runs() if tries(world, run.run_id)["c"] == 2}
    assert again == runs
    assert {run.state for run in world.runs()} == {RunState.SUCCESS}


def test_clear_only_failed_leaves_the_rest_alone(world: World) -> None:
    finished(world, b=in_turn(fails(), succeeds()))
    assert world.states() == {"a": "success", "b": "failed", "c": "upstream_failed"}

    assert world.clear(only_failed=True) == ["b", "c"]
    world.settle()

    assert tries(world) == {"a": 1, "b": 2, "c": 1}
    assert world.run().state is RunState.SUCCESS


def test_clear_of_a_whole_run_starts_it_over(world: World) -> None:
    finished(world)

    assert world.clear() == ["a", "b", "c"]
    world.settle()

    assert tries(world) == {"a": 2, "b": 2, "c": 2}


def test_clear_takes_setups_and_teardowns_along(world: World) -> None:
    world.dag(
        Task("setup", role=TaskRole.SETUP),
        Task("work", upstream=("setup",)),
        Task(
            "teardown",
            upstream=("setup", "work"),
            role=TaskRole.TEARDOWN,
            trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
        ),
    )
    world.trigger()
    world.scheduler()
    world.settle()

    assert world.clear("work") == ["setup", "teardown", "work"]
    world.settle()

    assert set(tries(world).values()) == {2}


def test_a_task_that_is_cleared_while_it_runs_stops_and_starts_over(any_world: World) -> None:
    any_world.dag(Task("a"))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()
    attempt = executor.attempt("a")

    any_world.clear("a")
    assert any_world.states() == {"a": "restarting"}
    with any_world.database.begin() as tx:
        assert heartbeat_tasks(tx, [attempt], any_world.clock.now()) == {attempt}
    any_world.settle()
    assert len(executor.submitted) == 1
    executor.finish(attempt, fails())
    any_world.settle()

    assert [item.attempt.attempt for item in executor.submitted] == [1, 2]
    executor.end()
    any_world.settle()
    assert any_world.run().state is RunState.SUCCESS


def test_clearing_a_waiting_task_lets_it_wait_again(world: World) -> None:
    world.pool("closed", 0)
    world.dag(Task("a", pool="closed"))
    world.trigger()
    world.scheduler()
    world.settle()
    assert world.states() == {"a": "scheduled"}

    world.clear("a")
    world.settle()

    assert world.states() == {"a": "scheduled"}


def test_a_task_cleared_while_queued_runs_once(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock, starts=False)
    world.scheduler(executor)
    world.settle()
    first = executor.attempt("a")

    world.clear("a")
    world.settle()
    executor.finish(first, succeeds())
    world.settle()

    assert world.states()["a"] in ("queued", "running")
    executor.end()
    world.settle()
    assert world.states() == {"a": "success"}
    assert world.instances()["a"].attempt == 2


def test_what_a_branch_decided_against_stays_skipped_when_cleared(world: World) -> None:
    """D3."""
    world.dag(Task("branch"), Task("left", upstream=("branch",)), Task("right", upstream=("branch",)))
    world.trigger()
    world.scheduler(endings={"branch": in_turn(succeeds(skips=["right"]), succeeds(skips=["left"]))})
    world.settle()

    world.clear("right")
    world.settle()
    assert world.states()["right"] == "skipped"
    world.clear("branch", downstream=True)
    world.settle()

    assert world.states() == {"branch": "success", "left": "skipped", "right": "success"}


def test_a_mapping_that_shrinks_leaves_removed_instances_and_revives_them_when_it_grows(world: World) -> None:
    """D3."""
    world.dag(Task("list"), Task("work", upstream=("list",), mapping=OutputLength("list")))
    world.trigger()
    world.scheduler(endings={"list": in_turn(succeeds(3), succeeds(1), succeeds(4), succeeds(0))})
    world.settle()

    world.clear("list", downstream=True)
    world.settle()
    assert world.states() == {"list": "success", "work[0]": "success", "work[1]": "removed", "work[2]": "removed"}
    assert world.run().state is RunState.SUCCESS
    world.clear("list", downstream=True)
    world.settle()
    assert world.states() == {"list": "success"} | {f"work[{index}]": "success" for index in range(4)}

    world.clear("list", downstream=True)
    world.settle()
    assert set(world.states().values()) == {"success", "skipped"}
    assert world.run().state is RunState.SUCCESS


# --- mark


def test_a_task_marked_success_lets_what_failed_behind_it_run(any_world: World) -> None:
    finished(any_world, a=fails())
    assert any_world.states() == {"a": "failed", "b": "upstream_failed", "c": "upstream_failed"}

    assert any_world.mark(TaskState.SUCCESS, "a") == ["a"]
    any_world.settle()

    assert any_world.states() == {"a": "success", "b": "success", "c": "success"}
    assert any_world.run().state is RunState.SUCCESS


@pytest.mark.parametrize(
    ("state", "after"),
    [
        (TaskState.SUCCESS, {"a": "success", "b": "running", "c": "none"}),
        (TaskState.FAILED, {"a": "failed", "b": "upstream_failed", "c": "upstream_failed"}),
        (TaskState.SKIPPED, {"a": "skipped", "b": "skipped", "c": "skipped"}),
    ],
)
def test_a_running_task_can_be_marked_and_its_late_end_changes_nothing(
    world: World, state: TaskState, after: dict[str, str]
) -> None:
    world.dag(*CHAIN)
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    attempt = executor.attempt("a")

    world.mark(state, "a")
    world.settle()
    executor.finish(attempt, fails() if state is TaskState.SUCCESS else succeeds())
    world.settle()

    assert world.states() == after


def test_marking_the_same_again_changes_nothing(world: World) -> None:
    finished(world)

    assert world.mark(TaskState.SUCCESS, "a") == []
    world.settle()

    assert world.run().clear_number == 0


def test_a_task_can_be_marked_in_later_runs_too(world: World) -> None:
    finished(world, days=3)

    world.mark(TaskState.FAILED, "c", run_id="r2", future=True)

    assert [world.states(run.run_id)["c"] for run in world.runs()] == ["success", "failed", "failed"]


def test_a_run_marked_success_ends_all_its_tasks(world: World) -> None:
    world.dag(*CHAIN)
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    assert world.mark_run(RunState.SUCCESS) == ["a", "b", "c"]
    world.settle()
    executor.end(ending=fails())
    world.settle()

    assert world.run().state is RunState.SUCCESS
    assert set(world.states().values()) == {"success"}


def test_a_run_marked_failed_stops_what_runs_and_skips_the_rest(world: World) -> None:
    world.dag(*CHAIN)
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    world.mark_run(RunState.FAILED)
    world.settle()
    executor.end()
    world.settle()

    assert world.run().state is RunState.FAILED
    assert world.states() == {"a": "failed", "b": "skipped", "c": "skipped"}


@pytest.mark.parametrize(
    "work_runs",
    [
        True,
        False,
    ],
)
def test_a_run_marked_failed_lets_its_teardowns_run_and_is_failed_then(world: World, work_runs: bool) -> None:
    world.pool("gate", 1 if work_runs else 0)
    world.dag(
        Task("setup", role=TaskRole.SETUP),
        Task("work", upstream=("setup",), pool="gate"),
        Task(
            "teardown",
            upstream=("setup", "work"),
            role=TaskRole.TEARDOWN,
            trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
        ),
    )
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    executor.end("setup")
    world.settle()

    world.mark_run(RunState.FAILED)
    world.settle()
    assert "teardown" in executor.busy_with
    executor.end("teardown")
    world.settle()

    assert world.states()["work"] == ("failed" if work_runs else "skipped")
    assert world.run().state is RunState.FAILED


def test_states_that_nobody_can_give_are_refused(world: World) -> None:
    finished(world)

    with pytest.raises(InvalidRequest, match="running"):
        world.mark(TaskState.RUNNING, "a")
    with pytest.raises(InvalidRequest, match="queued"):
        world.mark_run(RunState.QUEUED)


# --- pause


def test_a_paused_dag_starts_nothing_and_what_runs_goes_on(any_world: World) -> None:
    any_world.dag(*CHAIN)
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()

    assert any_world.pause()
    assert not any_world.pause()
    any_world.trigger(run_id="r2")
    executor.end("a")
    any_world.settle()
    any_world.pass_time(5)
    assert any_world.states() == {"a": "success", "b": "none", "c": "none"}
    assert any_world.run("r2").state is RunState.QUEUED
    assert executor.busy_with == []

    any_world.pause(is_paused=False)
    any_world.pass_time(2)
    assert sorted(executor.busy_with) == ["a", "b"]


def test_what_waits_for_slots_when_its_dag_is_paused_gets_none(world: World) -> None:
    world.pool("one", 1)
    world.dag(Task("a", pool="one"), Task("b", pool="one"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    world.pause()
    executor.end()
    world.settle()
    world.pass_time(3)
    assert executor.busy_with == []

    world.pause(is_paused=False)
    world.settle()
    assert len(executor.busy_with) == 1


def test_the_run_of_a_paused_dag_may_end(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    world.pause()
    executor.end()
    world.settle()

    assert world.run().state is RunState.SUCCESS


def test_a_failure_in_a_paused_dag_still_spreads(world: World) -> None:
    world.dag(*CHAIN)
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    world.pause()
    executor.end(ending=fails())
    world.settle()

    assert world.states() == {"a": "failed", "b": "upstream_failed", "c": "upstream_failed"}
    assert world.run().state is RunState.FAILED


def test_a_stuck_task_of_a_paused_dag_is_not_started_again_before_it_is_unpaused(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock, starts=False)
    world.scheduler(executor, task_queued_timeout=60.0, task_queued_timeout_check_interval=10.0)
    world.settle()

    world.pause()
    world.pass_time(90, step_s=10)

    assert len(executor.submitted) == 1


def test_a_retry_that_is_due_while_paused_starts_when_unpaused(world: World) -> None:
    world.dag(Task("a", retry=Retry(retries=1, delay_s=10.0)))
    world.trigger()
    world.scheduler(endings={"a": in_turn(fails(), succeeds())})
    world.settle()

    world.pause()
    world.pass_time(20)
    assert world.states() == {"a": "up_for_retry"}
    world.pause(is_paused=False)
    world.settle()

    assert world.run().state is RunState.SUCCESS


# --- delete and notes


def test_a_deleted_run_is_gone_and_makes_room(any_world: World) -> None:
    any_world.dag(Task("a"), max_active_runs=1)
    any_world.trigger(run_id="r1")
    any_world.trigger(run_id="r2")
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()

    with pytest.raises(Conflict, match="'a' is running"), any_world.database.begin() as tx:
        delete_run(tx, "sales", "r1", any_world.structures, any_world.clock.now())
    any_world.mark(TaskState.SKIPPED, "a", run_id="r1")
    with any_world.database.begin() as tx:
        delete_run(tx, "sales", "r1", any_world.structures, any_world.clock.now())
    executor.end()
    any_world.settle()
    any_world.pass_time(2)

    assert [run.run_id for run in any_world.runs()] == ["r2"]
    assert any_world.states("r2") == {"a": "running"}


def test_a_deleted_dag_is_gone_and_can_come_back(world: World) -> None:
    finished(world)

    with world.database.begin() as tx:
        delete_dag(tx, "sales")
        assert tx.dags.find("sales") is None
        assert tx.runs.of_dag("sales") == []
    world.dag(*CHAIN)
    world.trigger()
    world.settle()

    assert world.run().state is RunState.SUCCESS


def test_a_dag_with_running_tasks_cannot_be_deleted(world: World) -> None:
    world.dag(*CHAIN)
    world.trigger()
    world.scheduler(PatientExecutor(world.clock))
    world.settle()

    with pytest.raises(Conflict, match="'sales' cannot be deleted"), world.database.begin() as tx:
        delete_dag(tx, "sales")


def test_notes_are_kept_replaced_and_taken_away(any_world: World) -> None:
    finished(any_world)
    key = TaskKey(any_world.run().key, "a")

    with any_world.database.begin() as tx:
        set_run_note(tx, "sales", "r1", "looked at it 🌊")
        tx.tasks.set_notes([key], "slow")
    assert any_world.run().note == "looked at it 🌊"
    assert any_world.instances()["a"].note == "slow"
    any_world.clear("a")
    any_world.settle()
    assert any_world.instances()["a"].note == "slow"
    with any_world.database.begin() as tx:
        set_run_note(tx, "sales", "r1", None)
    assert any_world.run().note is None
