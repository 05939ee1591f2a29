"""Nothing is lost and nothing runs twice when schedulers, workers or messages are lost (A1 B7)."""

from collections.abc import Collection, Hashable, Iterable, Sequence
from datetime import datetime

import pytest

from tests.component.world import PatientExecutor, World, fails, succeeds
from tradewind.decide.liveness import Suspects
from tradewind.model.dag import Retry, Task
from tradewind.model.ids import AttemptKey
from tradewind.model.mapping import FixedLength
from tradewind.model.states import RunState
from tradewind.model.task import Started, WorkItem
from tradewind.operations.report_tasks import heartbeat_tasks, report_tasks
from tradewind.scheduler.service import Scheduler
from tradewind.telemetry.events import AttemptLost, JobDied


def die(world: World, scheduler: Scheduler) -> None:
    """The process is gone, without a word."""
    world.schedulers.remove(scheduler)


def beat(world: World, executor: PatientExecutor) -> None:
    """The workers say that they live."""
    with world.database.begin() as tx:
        heartbeat_tasks(tx, list(executor.work), world.clock.now())


def test_a_scheduler_that_stops_in_order_leaves_its_work_to_the_next(any_world: World) -> None:
    any_world.dag(Task("work", mapping=FixedLength(3)), Task("last", upstream=("work",)))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    first = any_world.scheduler(executor)
    any_world.settle()

    first.stop()
    die(any_world, first)
    any_world.scheduler(executor)
    any_world.settle()
    executor.end()
    any_world.settle()
    any_world.pass_time(5)
    executor.end()
    any_world.settle()

    assert any_world.run().state is RunState.SUCCESS
    assert len(executor.submitted) == len({item.attempt for item in executor.submitted}) == 4


def test_running_tasks_of_a_dead_scheduler_are_adopted_and_go_on(any_world: World) -> None:
    """B7."""
    any_world.dag(Task("a"), Task("b", upstream=("a",)))
    any_world.trigger()
    workers = PatientExecutor(any_world.clock)
    first = any_world.scheduler(workers)
    any_world.settle()
    die(any_world, first)
    other = PatientExecutor(any_world.clock)
    second = any_world.scheduler(other)

    for _ in range(10):
        beat(any_world, workers)
        any_world.pass_time(10)

    assert [event.job_key for event in any_world.told(JobDied)] == [first.state.job]
    running = any_world.instances()["a"]
    assert (running.state, running.attempt, running.queued_by) == ("running", 1, second.state.job)
    attempt = workers.attempt("a")
    with any_world.database.begin() as tx:
        report_tasks(tx, [succeeds()(attempt, any_world.clock.now())], any_world.clock.now(), any_world.structures)
    any_world.pass_time(5)
    assert other.busy_with == ["b"]
    other.end()
    any_world.settle()
    assert any_world.run().state is RunState.SUCCESS
    assert {name: task.attempt for name, task in any_world.instances().items()} == {"a": 1, "b": 1}


def test_queued_tasks_of_a_dead_scheduler_are_put_back_and_run_once(any_world: World) -> None:
    """B7: its executor's queue died with it."""
    any_world.dag(Task("a"))
    any_world.trigger()
    lost = PatientExecutor(any_world.clock, starts=False)
    first = any_world.scheduler(lost)
    any_world.settle()
    die(any_world, first)
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)

    any_world.pass_time(100, step_s=10)

    assert executor.busy_with == ["a"]
    old = lost.attempt("a")
    executor.report(Started(old, any_world.clock.now()), succeeds()(old, any_world.clock.now()))
    any_world.settle()
    assert any_world.states() == {"a": "running"}
    executor.end()
    any_world.settle()
    any_world.pass_time(2)
    assert any_world.run().state is RunState.SUCCESS


def test_queued_tasks_that_the_executor_still_knows_are_adopted(world: World) -> None:
    """B7: a queue outside the scheduler, such as Celery's, outlives it."""
    world.dag(Task("a"))
    world.trigger()
    broker = PatientExecutor(world.clock, starts=False)
    first = world.scheduler(broker)
    world.settle()
    broker.adoptable = set(broker.work)
    die(world, first)
    second = world.scheduler(broker)

    world.pass_time(100, step_s=10)

    task = world.instances()["a"]
    assert (task.state, task.attempt, task.queued_by) == ("queued", 1, second.state.job)
    assert len(broker.submitted) == 1


def test_a_scheduler_that_was_taken_for_dead_goes_on_as_somebody_new(world: World) -> None:
    """B7."""
    world.dag(Task("a"), Task("b", upstream=("a",)))
    world.trigger()
    first_executor = PatientExecutor(world.clock)
    first = world.scheduler(first_executor)
    world.settle()
    job = first.state.job
    world.scheduler(PatientExecutor(world.clock))
    world.schedulers.remove(first)
    for _ in range(10):
        beat(world, first_executor)
        world.pass_time(10)
    assert len(world.told(JobDied)) == 1

    world.schedulers.insert(0, first)
    world.settle()
    first_executor.end("a")
    world.settle()
    world.pass_time(3)
    for executor in (each.state.executors[0] for each in world.schedulers):
        assert isinstance(executor, PatientExecutor)
        executor.end()
    world.settle()

    assert first.state.job != job
    assert world.run().state is RunState.SUCCESS
    assert {task.attempt for task in world.instances().values()} == {1}


def test_a_clock_that_jumps_kills_nobody(world: World) -> None:
    """B7: an hour forward on the wall is not an hour of silence."""
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.scheduler(PatientExecutor(world.clock))
    world.settle()

    world.clock.jump(3600)
    world.pass_time(2)
    beat(world, executor)
    world.pass_time(20, step_s=5)

    assert world.told(JobDied) == []
    assert world.told(AttemptLost) == []
    assert world.states() == {"a": "running"}


@pytest.mark.parametrize("retries", [0, 1])
def test_a_task_whose_worker_falls_silent_is_failed_or_tried_again(any_world: World, retries: int) -> None:
    """B7, D4."""
    any_world.dag(Task("a", retry=Retry(retries=retries, delay_s=0.0)))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()
    silent = executor.attempt("a")

    for _ in range(6):
        any_world.pass_time(60)
        if executor.busy_with and executor.attempt("a") != silent:
            break
        any_world.pass_time(20)
    assert silent in executor.revoked
    assert [event.task for event in any_world.told(AttemptLost)] == [silent.task]

    if retries:
        assert any_world.instances()["a"].try_number == 2
        executor.end()
        any_world.settle()
    assert any_world.run().state is (RunState.SUCCESS if retries else RunState.FAILED)


def test_heartbeats_keep_a_long_task_alive(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    for _ in range(60):
        world.pass_time(60)
        beat(world, executor)

    assert world.states() == {"a": "running"}
    assert world.told(AttemptLost) == []


def test_who_is_heard_of_while_the_scheduler_stands_still_is_not_given_up(
    any_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B7. Found by the simulation: between the look and the deed, time may pass."""
    any_world.dag(Task("a", retry=Retry(retries=1, delay_s=0.0)))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()
    confirm = Suspects.confirm

    def late(self: Suspects, silent: Iterable[tuple[Hashable, datetime | None]], monotonic_s: float) -> set[Hashable]:
        lost = confirm(self, silent, monotonic_s)
        if lost:
            any_world.clock.advance(8)
            beat(any_world, executor)
        return lost

    monkeypatch.setattr(Suspects, "confirm", late)
    any_world.pass_time(1_000, step_s=10)

    assert any_world.states() == {"a": "running"}
    assert any_world.told(AttemptLost) == []
    assert executor.revoked == []


def test_a_clock_set_ahead_gives_up_no_worker_whose_lease_still_holds(world: World) -> None:
    """Found by the simulation. A worker stops by itself after 300 s without an answer; until then it may be at work,
    and a second one must not start beside it."""
    world.dag(Task("a", retry=Retry(retries=1, delay_s=0.0)))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    world.clock.jump(3600)
    world.pass_time(290, step_s=10)
    assert world.told(AttemptLost) == []
    world.pass_time(60, step_s=10)

    assert [event.task.task_id for event in world.told(AttemptLost)] == ["a"]


def test_a_clock_set_ahead_requeues_nothing_that_was_just_queued(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock, starts=False)
    world.scheduler(executor)
    world.settle()

    world.clock.jump(3600)
    world.pass_time(500, step_s=10)

    assert [item.attempt.attempt for item in executor.submitted] == [1]


def test_a_task_that_no_worker_starts_is_requeued_twice_and_then_fails(any_world: World) -> None:
    """B7."""
    any_world.dag(Task("a"))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock, starts=False)
    any_world.scheduler(executor)

    any_world.pass_time(3 * 3600, step_s=300)

    assert [item.attempt.attempt for item in executor.submitted] == [1, 2, 3]
    assert any_world.states() == {"a": "failed"}
    assert "queued" in (any_world.instances()["a"].reason or "")
    assert len(executor.revoked) >= 3


class LateExecutor(PatientExecutor):
    """Its worker begins at the very moment at which the scheduler gives the attempt up."""

    def __init__(self, world: World) -> None:
        super().__init__(world.clock, starts=False)
        self._world = world

    def revoke(self, attempts: Collection[AttemptKey]) -> None:
        now = self._world.clock.now()
        with self._world.database.begin() as tx:
            report_tasks(tx, [Started(attempt, now) for attempt in attempts], now, self._world.structures)


@pytest.mark.parametrize("retries", [0, 1])
def test_a_task_that_begins_while_it_is_given_up_as_stuck_runs_on(world: World, retries: int) -> None:
    """Its worker was told that it may run: a second one beside it, or a failure, would be wrong."""
    world.dag(Task("a"))
    world.trigger()
    world.scheduler(LateExecutor(world), num_stuck_in_queued_retries=retries)
    world.settle()

    while world.states() == {"a": "queued"}:
        world.pass_time(60)

    assert world.states() == {"a": "running"}
    assert world.told(AttemptLost) == []


def test_a_hand_over_that_was_cut_short_is_repeated(world: World) -> None:
    """A1: killed between the commit and the call of the executor."""

    class Forgetful(PatientExecutor):
        def submit(self, work: Sequence[WorkItem]) -> None:
            if self.submitted:
                super().submit(work)
            else:
                self.submitted.extend(work)

    world.dag(Task("a"))
    world.trigger()
    executor = Forgetful(world.clock)
    world.scheduler(executor)
    world.settle()
    assert executor.busy_with == []

    world.pass_time(10)
    executor.end("a")
    world.settle()

    assert world.run().state is RunState.SUCCESS
    assert [item.attempt.attempt for item in executor.submitted] == [1, 1]


def test_a_late_report_of_an_old_attempt_changes_nothing(any_world: World) -> None:
    """B7."""
    any_world.dag(Task("a", retry=Retry(retries=1, delay_s=0.0)), Task("b", upstream=("a",)))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()
    old = executor.attempt("a")
    executor.finish(old, fails())
    any_world.settle()
    any_world.pass_time(1)
    assert executor.attempt("a").attempt == 2

    now = any_world.clock.now()
    executor.report(Started(old, now), succeeds()(old, now), fails()(old, now))
    any_world.settle()

    assert any_world.states() == {"a": "running", "b": "none"}
    with any_world.database.begin() as tx:
        refused = report_tasks(tx, [succeeds()(old, now)], now, any_world.structures).refused
        assert refused == {old}
        assert heartbeat_tasks(tx, [old], now) == {old}


def test_the_same_report_twice_changes_nothing(any_world: World) -> None:
    """B7."""
    any_world.dag(Task("a", retry=Retry(retries=3, delay_s=60.0)))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()
    attempt = executor.attempt("a")
    report = fails()(attempt, any_world.clock.now())

    executor.finish(attempt, fails())
    executor.report(report)
    any_world.settle()
    before = any_world.instances()["a"]
    executor.report(report, Started(attempt, any_world.clock.now()))
    any_world.settle()

    assert any_world.instances()["a"] == before
    assert (before.state, before.try_number) == ("up_for_retry", 1)


def test_an_end_without_a_start_is_believed(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    executor = PatientExecutor(world.clock, starts=False)
    world.scheduler(executor)
    world.settle()

    executor.end()
    world.settle()

    task = world.instances()["a"]
    assert task.state == "success"
    assert task.started_at is not None


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_new_scheduler_takes_over_a_hundred_tasks_in_flight(world: World, number: int) -> None:
    """A1, B7: whatever it was doing, the next one finishes it."""
    world.dag(Task("work", mapping=FixedLength(20)), Task("last", upstream=("work",)), max_active_tasks=100)
    for run in range(5):
        world.trigger(run_id=f"r{run}")
    executor = PatientExecutor(world.clock)
    first = world.scheduler(executor, parallelism=200)
    for _ in range(number):
        first.run_once()
    die(world, first)

    world.scheduler(executor, parallelism=200)
    for _ in range(12):
        world.pass_time(10)
        executor.end()
    world.settle()

    assert {run.state for run in world.runs()} == {RunState.SUCCESS}
    ends = [(item.attempt.run_key, item.attempt.task_id, item.attempt.map_index) for item in executor.submitted]
    assert len(set(ends)) == 5 * 21
