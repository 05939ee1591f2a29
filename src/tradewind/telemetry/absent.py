"""Metrics of Airflow that Tradewind does not tell, and why."""

from typing import Final

_EXECUTOR = "there is no such executor here (yet)"
_EDGE = (
    "status",
    "connected",
    "maintenance",
    "jobs_active",
    "concurrency",
    "free_concurrency",
    "num_queues",
    "heartbeat_count",
    "ti.start",
    "ti.finish",
)
_OTHER_EXECUTORS = (
    "celery.task_timeout_error",
    "celery.execute_command.failure",
    "kubernetes_executor.pod_creation_status",
    "kubernetes_executor.pod_deletion_status",
    "kubernetes_executor.pod_patching_status",
    "kubernetes_executor.adopt_task_instances.duration",
    "kubernetes_executor.pod_creation",
    "kubernetes_executor.pod_deletion",
    "kubernetes_executor.pod_patching",
    "batch_executor.adopt_task_instances.duration",
    "ecs_executor.adopt_task_instances.duration",
    "lambda_executor.adopt_task_instances.duration",
    "edge_executor.sync.duration",
    *(f"edge_worker.{name}" for name in _EDGE),
)
_LINEAGE = ("ol.emit.failed", "ol.event.size", "ol.emit.attempts", "ol.extract")

ABSENT: Final[dict[str, str]] = {
    **dict.fromkeys(_OTHER_EXECUTORS, _EXECUTOR),
    **dict.fromkeys(_LINEAGE, "told by the provider package where it is installed, as metrics of tasks are"),
    "previously_succeeded": "a task that has succeeded is never handed to a worker again",
    "task_restored_to_dag": "what a run has lost with a version of its DAG is not brought back",
    "dag_processing.processes": "a gauge says it better: `dag_processing.reading`",
    "dag_processing.manager_stalls": "a DAG processor that starts again says so with `dagprocessorjob_start`",
    "dag_processing.last_run.seconds_ago": "files are read when they change: a long time is no sign of trouble",
    "dag_processing.last_num_of_db_queries.{dag_file}": "what reads a file cannot reach the database",
    "dagrun.dependency-check": "many runs are decided together: see `scheduler.duty_duration` of `advance runs`",
    "dagrun.first_task_scheduling_delay": "`task.scheduled_duration` and `task.queued_duration` say it for all tasks",
    "dagrun.first_task_start_delay": "`task.scheduled_duration` and `task.queued_duration` say it for all tasks",
    "scheduler.critical_section_query_duration": "part of `scheduler.critical_section_duration`",
    "scheduler.dag_bag.cache_clear": "nothing is ever thrown away as a whole: a version does not change",
    "api_server.dag_bag.cache_clear": "nothing is ever thrown away as a whole: a version does not change",
    "collect_db_dags": "no process reads all DAGs",
    "asset.orphaned": "an asset that nobody refers to is put away with the DAG that left it, not counted by a loop",
    "airflow.io.load_filesystems": "file systems are loaded one by one, when they are used",
    "serde.load_serializers": "serializers are loaded one by one, when they are used",
}
