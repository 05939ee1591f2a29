"""What two schedulers remember of the same run."""

from datetime import timedelta

from tests.component.world import PatientExecutor, World
from tradewind.model.dag import Task
from tradewind.model.states import RunState
from tradewind.model.task import Succeeded
from tradewind.operations.report_tasks import report_tasks


def end(world: World, executor: PatientExecutor, name: str, *, clock_is_ahead_s: float = 0.0) -> None:
    """The worker itself reports, not its executor, so no scheduler is busy with it."""
    attempt = executor.attempt(name)
    now = world.clock.now() + timedelta(seconds=clock_is_ahead_s)
    with world.database.begin() as tx:
        report_tasks(tx, [Succeeded(attempt, now)], now, world.structures)


def test_a_change_that_another_scheduler_took_without_consequence_is_not_forgotten(world: World) -> None:
    """Found by the simulation: the change was gone, the number of the run the same, the first memory one task short."""
    world.dag(Task("a"), Task("b"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    first, second = world.scheduler(executor), world.scheduler(PatientExecutor(world.clock))
    world.settle(first)

    end(world, executor, "a")
    world.clock.advance(2)
    world.settle(second)
    end(world, executor, "b")
    world.settle(first)
    world.clock.advance(2)
    world.settle()

    assert world.run().state is RunState.SUCCESS


def test_a_change_of_a_dead_schedulers_run_is_taken_at_once_whatever_its_date(world: World) -> None:
    """Found by the simulation: the clock of the worker that reported was ahead, so the change seemed too fresh."""
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    first, second = world.scheduler(executor), world.scheduler(PatientExecutor(world.clock))
    world.settle(first)

    first.stop()
    end(world, executor, "a", clock_is_ahead_s=3600)
    world.settle(second)

    assert world.run().state is RunState.SUCCESS


def test_a_scheduler_whose_clock_was_ahead_is_missed_as_soon_as_any_other(world: World) -> None:
    """Found by the simulation: its last heartbeat lay in the future, so it never seemed old."""
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.clock.jump(3600)
    first = world.scheduler(executor)
    world.settle(first)
    world.clock.jump(-3600)
    second = world.scheduler(PatientExecutor(world.clock))

    world.schedulers.remove(first)
    world.pass_time(45, step_s=5)

    assert world.instances()["a"].queued_by == second.state.job
