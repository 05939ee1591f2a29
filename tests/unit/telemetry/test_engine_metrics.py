"""Events become numbers, under Airflow's names (B8)."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.instants import utc
from tests.unit.telemetry.sinks import Remembering
from tradewind.model.ids import AttemptKey, RunKey, TaskKey, VersionKey
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.model.task import NewTask, TaskInstance
from tradewind.telemetry import measurements as measured
from tradewind.telemetry.engine_metrics import EngineMetrics
from tradewind.telemetry.events import (
    AttemptLost,
    CallbackCalled,
    DatabaseBack,
    Event,
    FileFailed,
    LostBy,
    PoolMeasured,
    RunMoved,
    RunTimes,
    TriggerBlocked,
)

NOON = utc("2026-02-01 12:00")
RUN = Run(RunKey(1), "sales", "r1", RunType.SCHEDULED, RunState.RUNNING, NOON, NOON, VersionKey(1), 0, started_at=NOON)
TASK = TaskInstance(
    run_key=RUN.key,
    dag_id="sales",
    run_id="r1",
    task_id="load",
    map_index=-1,
    state=TaskState.RUNNING,
    attempt=1,
    try_number=1,
    max_tries=0,
    pool="default_pool",
    pool_slots=1,
    priority_weight=1,
    max_active_per_dag=None,
    queue="default",
    executor=None,
    operator="Bash",
    scheduled_at=NOON,
    queued_at=NOON + timedelta(seconds=2),
    started_at=NOON + timedelta(seconds=3),
)
BEGAN = measured.AttemptsBegan((TASK,), {RUN.key: RUN})
TAGS = {"dag_id": "sales", "task_id": "load"}


def told(*events: Event) -> Remembering:
    sink = Remembering()
    metrics = EngineMetrics(sink)
    for event in events:
        metrics(event)
    return sink


def ended(state: TaskState, attempt: AttemptKey = TASK.attempt_key) -> measured.AttemptsEnded:
    return measured.AttemptsEnded((measured.AttemptOutcome(attempt, state, NOON + timedelta(seconds=10)),))


@pytest.mark.parametrize(
    ("state", "counted"),
    [
        (TaskState.SUCCESS, ["ti_successes", "operator_successes"]),
        (TaskState.FAILED, ["ti_failures", "operator_failures"]),
        (TaskState.UP_FOR_RETRY, ["ti_failures", "operator_failures"]),
        (TaskState.SKIPPED, []),
        (TaskState.DEFERRED, []),
    ],
)
def test_an_attempt_is_counted_and_timed_from_its_beginning_to_its_end(state: TaskState, counted: list[str]) -> None:
    sink = told(BEGAN, ended(state), ended(state))

    assert sink.of("ti.start") == [("count", 1, TAGS)]
    assert sink.of("task.scheduled_duration") == [("timing", 2.0, TAGS)]
    assert sink.of("task.queued_duration") == [("timing", 1.0, TAGS)]
    assert sink.of("ti.finish") == [("count", 1, {**TAGS, "state": state.value})]
    assert sink.of("task.duration") == ([] if state is TaskState.DEFERRED else [("timing", 7.0, TAGS)])
    told_of = ("ti_successes", "ti_failures", "operator_successes", "operator_failures")
    assert [name for name in told_of if sink.of(name)] == counted
    for name in counted:
        operator = {"operator_name": "Bash"} if name.startswith("operator") else {}
        assert sink.of(name) == [("count", 1, {**TAGS, **operator})]


def test_an_attempt_that_began_elsewhere_is_told_by_whoever_knows_it() -> None:
    assert told(ended(TaskState.SUCCESS)).told == []


@pytest.mark.parametrize(
    ("cause", "names"),
    [
        (LostBy.SILENCE, ["task_instances_without_heartbeats_killed", "ti_failures", "operator_failures"]),
        (LostBy.WORKER, ["scheduler.tasks.killed_externally", "ti_failures", "operator_failures"]),
        (LostBy.SCHEDULER, ["scheduler.orphaned_tasks.cleared"]),
        (LostBy.QUEUE, []),
    ],
)
def test_lost_attempts_are_counted_by_what_they_were_lost_by(cause: LostBy, names: list[str]) -> None:
    sink = told(AttemptLost(TaskKey(RUN.key, "load", -1), "gone", cause, TASK))

    assert [name for _, name, _, _ in sink.told] == names


def test_runs_are_timed() -> None:
    def moved(state: RunState, run_type: RunType = RunType.SCHEDULED) -> RunMoved:
        times = RunTimes(run_type, NOON, NOON + timedelta(seconds=1), NOON + timedelta(seconds=5))
        return RunMoved(RUN.key, "sales", "r1", state, times=times)

    sink = told(
        moved(RunState.QUEUED, RunType.ASSET_TRIGGERED),
        moved(RunState.RUNNING),
        moved(RunState.RUNNING, RunType.MANUAL),
        moved(RunState.SUCCESS),
        moved(RunState.FAILED, RunType.MANUAL),
        RunMoved(RUN.key, "sales", "r1", RunState.FAILED),
    )

    scheduled, manual = ({"dag_id": "sales", "run_type": kind} for kind in ("scheduled", "manual"))
    assert sink.told == [
        ("count", "asset.triggered_dagruns", 1, {}),
        ("timing", "dagrun.schedule_delay", 5.0, scheduled),
        ("timing", "dagrun.duration.success", 4.0, scheduled),
        ("timing", "dagrun.duration.failed", 4.0, manual),
    ]


def test_pools_executors_and_passes_are_told() -> None:
    sink = told(
        PoolMeasured("gpu", slots=4, waiting=2, queued=1, running=3, deferred=0, open=0, starving=2),
        PoolMeasured("cpu", slots=-1, waiting=0, queued=0, running=0, deferred=0, open=-1),
        measured.ExecutorMeasured("LocalExecutor", open_slots=7, queued=1, running=2),
        measured.PassDone(0.25),
        measured.DutyDone("scheduler", "admit tasks", 0.125, 3),
        measured.DutyDone("scheduler", "take reports", 0.5, 0),
        measured.PoolsContended(),
        measured.OrphansAdopted(4),
        measured.RunsMeasured({RunState.QUEUED: 1, RunState.RUNNING: 2}, 1),
    )

    assert sink.of("pool.open_slots") == [("gauge", 0, {"pool_name": "gpu"}), ("gauge", -1, {"pool_name": "cpu"})]
    assert sink.of("pool.starving_tasks")[0] == ("gauge", 2, {"pool_name": "gpu"})
    assert sink.of("scheduler.tasks.starving")[-1] == ("gauge", 2, {})
    assert sink.of("executor.running_tasks") == [("gauge", 2, {"executor_class_name": "LocalExecutor"})]
    assert sink.of("scheduler.scheduler_loop_duration") == [("timing", 0.25, {})]
    assert sink.of("scheduler.critical_section_duration") == [("timing", 0.125, {})]
    assert sink.of("scheduler.tasks.executable") == [("gauge", 3, {})]
    assert sink.of("scheduler.executor_heartbeat_duration") == [("timing", 0.5, {})]
    assert sink.of("scheduler.critical_section_busy") == [("count", 1, {})]
    assert sink.of("scheduler.orphaned_tasks.adopted") == [("count", 4, {})]
    assert sink.of("scheduler.dagruns.running") == [("gauge", 1, {})]
    assert sink.of("dagruns") == [("gauge", 1, {"state": "queued"}), ("gauge", 2, {"state": "running"})]


def test_a_curve_comes_down_to_zero_when_no_task_is_left() -> None:
    running = measured.TaskCount(TaskState.RUNNING, "default", "sales", "load", 2)
    sink = told(measured.TasksMeasured([running]), measured.TasksMeasured([]))

    tags = {"queue": "default", **TAGS}
    assert sink.of("ti.running") == [("gauge", 2, tags), ("gauge", 0, tags)]
    assert ("gauge", 0, {"state": "running"}) in sink.of("task_instances")


def test_files_callbacks_and_created_tasks_are_counted() -> None:
    new = NewTask(RUN.key, "sales", "load", -1, 0, "default_pool", 1, 1, None, "default", None, "Bash")
    sink = told(
        measured.FileRead("main", "team/etl.py", 1.5, is_timed_out=True),
        measured.FilesMeasured(dags=7, failing_files=1, parse_s=2.5, waiting=3, reading=2),
        FileFailed("main", "x.py", "boom"),
        CallbackCalled("sales", "r1", None, "failure", error="boom"),
        CallbackCalled("sales", "r1", None, "success"),
        measured.DutyDone("dag_processor", "look at bundles", 0.1, 1),
        measured.TasksCreated([new, new, replace_operator(new)]),
        measured.TasksRemoved("sales", 2),
        measured.AssetsUpdated(3),
        DatabaseBack(1.0),
    )

    assert sink.of("dag_processing.last_duration") == [("timing", 1.5, {"bundle_name": "main", "file_name": "etl"})]
    assert sink.of("dag_processing.processor_timeouts") == [("count", 1, {"file_path": "team/etl.py"})]
    assert sink.of("dagbag_size") == [("gauge", 7, {})]
    assert sink.of("dag_processing.file_path_queue_size") == [("gauge", 3, {})]
    assert sink.of("dag.callback_exceptions") == [("count", 1, {"dag_id": "sales"})]
    assert len(sink.of("dag_processing.other_callback_count")) == 2
    assert sink.of("task_instance_created") == [
        ("count", 2, {"task_type": "Bash", "dag_id": "sales"}),
        ("count", 1, {"task_type": "Python", "dag_id": "sales"}),
    ]
    assert sink.of("task_removed_from_dag") == [("count", 2, {"dag_id": "sales"})]
    assert sink.of("asset.updates") == [("count", 3, {})]


def replace_operator(new: NewTask) -> NewTask:
    return new._replace(operator="Python")


@pytest.mark.parametrize("kind", ["scheduler", "dag_processor", "triggerer"])
def test_services_give_signs_of_life(kind: str) -> None:
    job = f"{kind.replace('_', '')}job"
    sink = told(
        measured.JobStarted(kind),
        measured.Heartbeat(kind),
        measured.Heartbeat(kind, is_late=True),
        measured.JobEnded(kind),
    )

    assert [name for _, name, _, _ in sink.told] == [
        f"{job}_start",
        f"{kind}_heartbeat",
        f"{kind}_heartbeat",
        f"{job}_heartbeat_failure",
        f"{job}_end",
    ]


def test_triggers_requests_and_connections_are_told() -> None:
    sink = told(
        measured.TriggersMeasured("host", 3, 997),
        measured.TriggersDone(succeeded=2, failed=1),
        TriggerBlocked(
            class_path="bells.Bell", dag_id="d", run_id="r", task_id="t", seconds=0.5, stack="line 3", count=1
        ),
        measured.RequestServed("GET", "/api/v2/dags/{dag_id}", 404, 0.01),
        measured.ConnectionTested(works=False, duration_s=0.5),
        measured.JobsMeasured([measured.JobAge("scheduler", "host", 4.0)]),
        measured.StructuresMeasured("scheduler", hits=5, misses=2, size=2),
        measured.StructuresMeasured("scheduler", hits=9, misses=2, size=2),
        measured.ProcessEnded("sales", "load", -9),
    )

    assert sink.of("triggers.running") == [("gauge", 3, {"hostname": "host"})]
    assert (sink.of("triggers.succeeded"), sink.of("triggers.failed")) == ([("count", 2, {})], [("count", 1, {})])
    assert sink.of("triggers.blocked_main_thread") == [("count", 1, {})]
    request = {"method": "GET", "route": "/api/v2/dags/{dag_id}"}
    assert sink.of("api_server.requests") == [("count", 1, {**request, "status": "404"})]
    assert sink.of("api_server.request_duration") == [("timing", 0.01, request)]
    assert sink.of("connection_test.failed") == [("count", 1, {})]
    assert sink.of("job.heartbeat_age") == [("gauge", 4.0, {"job": "scheduler", "hostname": "host"})]
    assert [value for _, value, _ in sink.of("scheduler.dag_bag.cache_hit")] == [5, 4]
    assert sink.of("local_task_job.task_exit") == [("count", 1, {**TAGS, "return_code": "-9"})]


def test_metrics_of_the_code_of_tasks_keep_their_names() -> None:
    sink = told(
        measured.UserMeasured(
            [
                measured.UserMetric("c", "rows", 5, {"table": "t"}),
                measured.UserMetric("g", "depth", 3, {}),
                measured.UserMetric("d", "depth", -1, {}),
                measured.UserMetric("ms", "step", 250, {}),
            ]
        )
    )

    assert sink.told == [
        ("count", "rows", 5, {"table": "t"}),
        ("gauge", "depth", 3, {}),
        ("change", "depth", -1, {}),
        ("timing", "step", 0.25, {}),
    ]


def test_attempts_that_never_end_are_not_remembered_without_end() -> None:
    tasks = tuple(replace(TASK, attempt=number) for number in range(10_005))
    began = measured.AttemptsBegan(tasks, {RUN.key: RUN})

    sink = told(began, ended(TaskState.SUCCESS, tasks[0].attempt_key), ended(TaskState.SUCCESS, tasks[-1].attempt_key))

    assert len(sink.of("ti.finish")) == 1
