"""Every metric that Tradewind tells, under Airflow's name where Airflow has it; `absent.py` has what it does not tell.

`docs/metrics.md` shows this table; a test compares the two.
"""

from typing import Final

from tradewind.telemetry.metric import Metric, MetricKind

METRICS: Final[dict[str, Metric]] = {}
"""By name."""

_TASK: Final = ("dag_id", "task_id")
_RUN: Final = ("dag_id", "run_type")
_QUEUED_TASK: Final = ("queue", "dag_id", "task_id")


def _add(
    name: str, kind: MetricKind, about: str, tags: tuple[str, ...], legacy: str | None, *, is_own: bool = False
) -> Metric:
    METRICS[name] = metric = Metric(name, kind, about, tags, legacy, is_own)
    return metric


def _counter(name: str, about: str, tags: tuple[str, ...] = (), legacy: str | None = None) -> Metric:
    return _add(name, MetricKind.COUNTER, about, tags, legacy)


def _gauge(name: str, about: str, tags: tuple[str, ...] = (), legacy: str | None = None) -> Metric:
    return _add(name, MetricKind.GAUGE, about, tags, legacy)


def _timer(name: str, about: str, tags: tuple[str, ...] = (), legacy: str | None = None) -> Metric:
    return _add(name, MetricKind.TIMER, about, tags, legacy)


def _own(name: str, kind: MetricKind, about: str, tags: tuple[str, ...] = ()) -> Metric:
    return _add(name, kind, about, tags, None, is_own=True)


# Services.
_JOBS: Final = {
    "scheduler": "schedulerjob",
    "dag_processor": "dagprocessorjob",
    "triggerer": "triggererjob",
    "worker": "workerjob",
}
JOB_START: Final = {kind: _counter(f"{job}_start", f"times that a {kind} began") for kind, job in _JOBS.items()}
JOB_END: Final = {
    kind: _counter(f"{job}_end", f"times that a {kind} left in good order") for kind, job in _JOBS.items()
}
JOB_HEARTBEAT_FAILURE: Final = {
    kind: _counter(f"{job}_heartbeat_failure", f"times that a {kind} found itself taken for dead")
    for kind, job in _JOBS.items()
    if kind != "worker"
}
HEARTBEAT: Final = {
    "scheduler": _counter("scheduler_heartbeat", "signs of life of a scheduler"),
    "dag_processor": _counter("dag_processor_heartbeat", "signs of life of a DAG processor"),
    "triggerer": _counter("triggerer_heartbeat", "signs of life of a triggerer"),
    "worker": _own("worker_heartbeat", MetricKind.COUNTER, "signs of life of a worker"),
}
JOB_AGE: Final = _own(
    "job.heartbeat_age",
    MetricKind.GAUGE,
    "seconds since a service that has not ended was heard of",
    ("job", "hostname"),
)

# Attempts of tasks.
TI_START: Final = _counter("ti.start", "attempts that began", _TASK, "ti.start.{dag_id}.{task_id}")
TI_FINISH: Final = _counter(
    "ti.finish",
    "attempts that ended, by what became of them",
    (*_TASK, "state"),
    "ti.finish.{dag_id}.{task_id}.{state}",
)
TI_SUCCESSES: Final = _counter("ti_successes", "attempts that succeeded", _TASK)
TI_FAILURES: Final = _counter("ti_failures", "attempts that failed, whether or not they are tried again", _TASK)
OPERATOR_SUCCESSES: Final = _counter(
    "operator_successes",
    "attempts that succeeded, by operator",
    ("operator_name", *_TASK),
    "operator_successes_{operator_name}",
)
OPERATOR_FAILURES: Final = _counter(
    "operator_failures",
    "attempts that failed, by operator",
    ("operator_name", *_TASK),
    "operator_failures_{operator_name}",
)
TASK_DURATION: Final = _timer("task.duration", "how long attempts ran", _TASK, "dag.{dag_id}.{task_id}.duration")
TASK_SCHEDULED: Final = _timer(
    "task.scheduled_duration", "how long attempts waited for slots", _TASK, "dag.{dag_id}.{task_id}.scheduled_duration"
)
TASK_QUEUED: Final = _timer(
    "task.queued_duration", "how long attempts waited for a worker", _TASK, "dag.{dag_id}.{task_id}.queued_duration"
)
TASK_EXIT: Final = _counter(
    "local_task_job.task_exit", "processes of attempts that ended, by their exit code", (*_TASK, "return_code")
)
TASK_CREATED: Final = _counter(
    "task_instance_created",
    "task instances that were made",
    ("task_type", "dag_id"),
    "task_instance_created_{task_type}",
)
TASK_REMOVED: Final = _counter(
    "task_removed_from_dag",
    "task instances that a newer version of their DAG lost",
    ("dag_id",),
    "task_removed_from_dag.{dag_id}",
)
WITHOUT_HEARTBEAT: Final = _counter(
    "task_instances_without_heartbeats_killed", "attempts that failed because nothing was heard of them", _TASK
)
KILLED: Final = _counter(
    "scheduler.tasks.killed_externally", "attempts that failed because their worker was killed", _TASK
)
TI_IN_STATE: Final = {
    state: _gauge(
        f"ti.{state}", f"task instances that are {state}", _QUEUED_TASK, f"ti.{state}.{{queue}}.{{dag_id}}.{{task_id}}"
    )
    for state in ("scheduled", "queued", "running", "deferred")
}
TASK_INSTANCES: Final = _own(
    "task_instances", MetricKind.GAUGE, "task instances that wait for slots or have them, by state", ("state",)
)

# Runs.
RUN_SUCCESS: Final = _timer(
    "dagrun.duration.success", "how long runs took that succeeded", _RUN, "dagrun.duration.success.{dag_id}"
)
RUN_FAILED: Final = _timer(
    "dagrun.duration.failed", "how long runs took that failed", _RUN, "dagrun.duration.failed.{dag_id}"
)
SCHEDULE_DELAY: Final = _timer(
    "dagrun.schedule_delay", "how long after their time scheduled runs began", _RUN, "dagrun.schedule_delay.{dag_id}"
)
DAGS_RUNNING: Final = _gauge("scheduler.dagruns.running", "DAGs that have a running run")
RUNS: Final = _own("dagruns", MetricKind.GAUGE, "runs that have not ended, by state", ("state",))
CALLBACK_EXCEPTIONS: Final = _counter("dag.callback_exceptions", "callbacks of DAGs that raised", ("dag_id",))

# The scheduler.
LOOP_DURATION: Final = _timer("scheduler.scheduler_loop_duration", "how long a pass over all duties took")
DUTY_DURATION: Final = _own("scheduler.duty_duration", MetricKind.TIMER, "how long each duty of a pass took", ("duty",))
CRITICAL_DURATION: Final = _timer("scheduler.critical_section_duration", "how long it took to give slots to tasks")
CRITICAL_BUSY: Final = _counter("scheduler.critical_section_busy", "times that other schedulers had locked all pools")
EXECUTOR_HEARTBEAT: Final = _timer("scheduler.executor_heartbeat_duration", "how long it took to hear all executors")
TASKS_EXECUTABLE: Final = _gauge("scheduler.tasks.executable", "tasks that got slots in the last pass")
TASKS_STARVING: Final = _gauge("scheduler.tasks.starving", "tasks that wait for slots of pools that have none")
ORPHANS_ADOPTED: Final = _counter("scheduler.orphaned_tasks.adopted", "attempts taken over from a dead scheduler")
ORPHANS_CLEARED: Final = _counter("scheduler.orphaned_tasks.cleared", "attempts of a dead scheduler that begin anew")
CACHE_HIT: Final = {
    kind: _counter(f"{kind}.dag_bag.cache_hit", "times that a DAG was there") for kind in ("scheduler", "api_server")
}
CACHE_MISS: Final = {
    kind: _counter(f"{kind}.dag_bag.cache_miss", "times that a DAG had to be read from the database")
    for kind in ("scheduler", "api_server")
}
CACHE_SIZE: Final = {
    kind: _gauge(f"{kind}.dag_bag.cache_size", "versions of DAGs that are kept in memory")
    for kind in ("scheduler", "api_server")
}

# Executors and pools.
_EXECUTOR: Final = ("executor_class_name",)
OPEN_SLOTS: Final = _gauge(
    "executor.open_slots", "attempts that it would take", _EXECUTOR, "executor.open_slots.{executor_class_name}"
)
QUEUED_TASKS: Final = _gauge(
    "executor.queued_tasks", "attempts that it has not begun", _EXECUTOR, "executor.queued_tasks.{executor_class_name}"
)
RUNNING_TASKS: Final = _gauge(
    "executor.running_tasks", "attempts that it runs", _EXECUTOR, "executor.running_tasks.{executor_class_name}"
)
POOL_SLOTS: Final = {
    what: _gauge(f"pool.{what}_slots", f"slots {about}", ("pool_name",), f"pool.{what}_slots.{{pool_name}}")
    for what, about in (
        ("open", "that are free; -1: without limit"),
        ("queued", "of tasks that wait for a worker"),
        ("running", "of tasks that run"),
        ("deferred", "of tasks that wait for a trigger"),
        ("scheduled", "that tasks wait for"),
    )
}
POOL_STARVING: Final = _gauge(
    "pool.starving_tasks", "tasks that wait while no slot is free", ("pool_name",), "pool.starving_tasks.{pool_name}"
)

# DAG files.
FILE_DURATION: Final = _timer(
    "dag_processing.last_duration",
    "how long it took to read a file",
    ("bundle_name", "file_name"),
    "dag_processing.last_duration.{bundle_name}.{file_name}",
)
FILE_TIMEOUTS: Final = _counter("dag_processing.processor_timeouts", "files that took too long to read", ("file_path",))
FILE_TIMEOUTS_OLD: Final = _counter(
    "dag_file_processor_timeouts", "files that took too long to read, under an older name"
)
FILE_ERRORS: Final = _counter("dag_file_refresh_error", "times that a file, or a DAG of it, could not be used")
FILE_LOOKS: Final = _counter("dag_processing.file_path_queue_update_count", "times that folders were looked through")
CALLBACKS: Final = _counter("dag_processing.other_callback_count", "callbacks that were called in place of a worker")
CALLBACKS_ONLY: Final = _counter(
    "dag_processing.callback_only_count", "callbacks that had a process of their own: all of them"
)
FILE_QUEUE: Final = _gauge("dag_processing.file_path_queue_size", "files that wait to be read")
FILE_PROCESSES: Final = _own("dag_processing.reading", MetricKind.GAUGE, "files that are being read")
PARSE_TIME: Final = _gauge(
    "dag_processing.total_parse_time", "seconds that the last reading of all files took together"
)
IMPORT_ERRORS: Final = _gauge("dag_processing.import_errors", "files of which something cannot be used")
DAGBAG_SIZE: Final = _gauge("dagbag_size", "DAGs that there are")

# Triggers.
TRIGGERS_RUNNING: Final = _gauge("triggers.running", "triggers that run", ("hostname",), "triggers.running.{hostname}")
CAPACITY_LEFT: Final = _gauge(
    "triggerer.capacity_left", "triggers that it would take", ("hostname",), "triggerer.capacity_left.{hostname}"
)
TRIGGERS_SUCCEEDED: Final = _counter("triggers.succeeded", "triggers that said what their tasks waited for")
TRIGGERS_BLOCKED: Final = _counter(
    "triggers.blocked_main_thread", "steps of triggers and watchers that held up all others"
)
TRIGGERS_FAILED: Final = _counter("triggers.failed", "triggers that broke before they could")

# Assets.
DEADLINES_CREATED: Final = _counter("deadline_alerts.deadline_created", "deadlines of new runs", ("dag_id",))
DEADLINES_MISSED: Final = _counter("deadline_alerts.deadline_missed", "deadlines that runs missed", ("dag_id",))
DEADLINES_MET: Final = _counter("deadline_alerts.deadline_not_missed", "deadlines that runs met", ("dag_id",))
ASSET_UPDATES: Final = _counter("asset.updates", "updates of assets")
ASSET_RUNS: Final = _counter("asset.triggered_dagruns", "runs that updates of assets brought about")

# The web server.
REQUESTS: Final = _own(
    "api_server.requests", MetricKind.COUNTER, "requests that were answered", ("method", "route", "status")
)
REQUEST_DURATION: Final = _own(
    "api_server.request_duration", MetricKind.TIMER, "how long it took to answer requests", ("method", "route")
)
CONNECTION_WORKS: Final = _counter("connection_test.success", "connections that were tried and work")
CONNECTION_FAILS: Final = _counter("connection_test.failed", "connections that were tried and do not work")
CONNECTION_DURATION: Final = _timer("connection_test.hook_duration", "how long it took to try a connection")
CONNECTION_TESTS_PENDING: Final = _gauge("connection_test.pending", "tests of connections that no executor has")
CONNECTION_TESTS_ACTIVE: Final = _gauge("connection_test.active", "tests of connections that an executor has")
CONNECTION_TESTS_DISPATCH: Final = _timer(
    "connection_test.dispatch_duration", "how long it took to hand tests of connections to executors"
)
CONNECTION_TESTS_REAPED: Final = _counter(
    "connection_test.reaped", "tests of connections that did not end in time", ("prior_state",)
)

# What operators count for themselves, by `Stats`.
_counter("resumable_job.fresh_submit", "jobs elsewhere that were begun", ("operator",))
_counter(
    "resumable_job.already_succeeded", "jobs elsewhere that had succeeded when they were looked for", ("operator",)
)
_counter("resumable_job.terminal_resubmit", "jobs elsewhere that had failed, and were begun anew", ("operator",))
_counter("resumable_job.reconnect_attempt", "jobs elsewhere that were looked for", ("operator",))
_counter("resumable_job.reconnect_success", "jobs elsewhere that were found running", ("operator",))
