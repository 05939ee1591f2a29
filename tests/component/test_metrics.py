"""What the scheduler tells becomes metrics (B8)."""

import pytest

from tests.component.world import PatientExecutor, World
from tradewind.model.dag import Task
from tradewind.model.mapping import FixedLength
from tradewind.model.states import RunState, TaskState
from tradewind.operations.measure import measure_jobs, measure_pools, measure_tasks
from tradewind.telemetry.engine_metrics import EngineMetrics
from tradewind.telemetry.events import Event
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import (
    ExecutorMeasured,
    JobAge,
    PassDone,
    RunsMeasured,
    TaskCount,
    TasksMeasured,
)
from tradewind.telemetry.prometheus import Labels, Registry


class Kept:
    """The metrics of a process, as Prometheus would find them."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.hub = Hub()
        self.hub.attach(EngineMetrics(self.registry), measures=True)

    def hear(self, events: list[Event]) -> None:
        for event in events:
            self.hub.emit(event)

    def values(self, name: str) -> dict[Labels, float]:
        (family,) = [each for each in self.registry.families() if each.name == name]
        counted = {labels: float(sum(each.counts)) for labels, each in family.histograms.items()}
        return {**family.values, **counted}


def test_the_life_of_runs_and_tasks_is_measured(world: World) -> None:
    """From the run that was asked for to its end: created, delayed, admitted, ended."""
    world.dag(Task("load"), Task("send"))
    world.trigger()
    scheduler = world.scheduler()
    kept = Kept()
    scheduler.state.hub.attach(EngineMetrics(kept.registry), measures=True)
    world.settle()
    world.pass_time(31.0)

    kept.hear(world.events)

    assert sum(kept.values("task_instance_created").values()) == 2
    assert sum(kept.values("dagrun_duration_success_seconds").values()) == 1
    assert kept.values("scheduler_heartbeat")[()] >= 1
    assert kept.values("schedulerjob_start")[()] == 1
    assert kept.values("scheduler_scheduler_loop_duration_seconds")[()] >= 1
    assert (("duty", "advance runs"),) in kept.values("scheduler_duty_duration_seconds")
    assert kept.values("scheduler_dag_bag_cache_miss")[()] >= 1
    assert kept.values("scheduler_dagruns_running")[()] == 0


def test_where_task_instances_are_can_be_asked_at_any_moment(any_world: World) -> None:
    """Cheap questions, for schedulers and the web server alike."""
    any_world.pool("gpu", 4)
    any_world.dag(Task("train", pool="gpu", pool_slots=2, mapping=FixedLength(3)))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock, name="patient")
    any_world.scheduler(executor)
    any_world.settle()
    now = any_world.clock.now()

    with any_world.database.begin() as tx:
        tasks, jobs, runs = measure_tasks(tx), measure_jobs(tx, now), tx.measures.runs()
        pools = {pool.pool: (pool.open, pool.starving) for pool in measure_pools(tx)}
        files = tx.measures.files()

    (dag_id,) = {count.dag_id for count in tasks.counts}
    assert sorted(tasks.counts) == [
        TaskCount(TaskState.RUNNING, "default", dag_id, "train", 2),
        TaskCount(TaskState.SCHEDULED, "default", dag_id, "train", 1),
    ]
    assert runs == RunsMeasured({RunState.QUEUED: 0, RunState.RUNNING: 1}, 1)
    assert pools["gpu"] == (0, 1)
    assert [(age.kind, age.seconds) for age in jobs.ages] == [("scheduler", 0.0)]
    assert isinstance(jobs.ages[0], JobAge)
    assert (files.dags, files.failing_files, files.parse_s) == (1, 0, 0.0)


def test_executors_are_measured_only_while_somebody_wants_it(world: World) -> None:
    world.dag(Task("load"))
    world.trigger()
    scheduler = world.scheduler(PatientExecutor(world.clock, name="patient", slots=10))
    world.settle()
    world.pass_time(6.0)
    before = [event for event in world.events if isinstance(event, ExecutorMeasured | TasksMeasured | PassDone)]
    heard: list[Event] = []
    scheduler.state.hub.attach(heard.append, measures=True)

    world.pass_time(31.0)

    assert before == []
    assert ExecutorMeasured("patient", open_slots=9, queued=0, running=1) in world.told(ExecutorMeasured)
    assert world.told(TasksMeasured)[-1].counts[0].instances == 1
    assert any(isinstance(event, PassDone) for event in heard)


@pytest.mark.parametrize("is_late", [False, True])
def test_a_scheduler_that_was_taken_for_dead_says_so(world: World, is_late: bool) -> None:
    scheduler = world.scheduler()
    world.settle()
    if is_late:
        with world.database.begin() as tx:
            tx.jobs.stop(scheduler.state.job, world.clock.now())

    world.pass_time(6.0)
    kept = Kept()
    kept.hear(world.events)

    families = {family.name for family in kept.registry.families()}
    assert ("schedulerjob_heartbeat_failure" in families) is is_late
