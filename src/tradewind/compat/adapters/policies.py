"""Cluster policies: functions of a deployment that look at every DAG and task. What can be implemented, and markers."""

from typing import Any, Final

import pluggy

PROJECT: Final = "airflow.policy"
hookimpl: Final = pluggy.HookimplMarker(PROJECT)
local_settings_hookspec: Final = pluggy.HookspecMarker(PROJECT)

__all__ = [
    "dag_policy",
    "get_airflow_context_vars",
    "get_dagbag_import_timeout",
    "hookimpl",
    "local_settings_hookspec",
    "pod_mutation_hook",
    "task_instance_mutation_hook",
    "task_policy",
]


@local_settings_hookspec
def task_policy(task: Any) -> None:
    """Change or refuse a task when its DAG file was read."""


@local_settings_hookspec
def dag_policy(dag: Any) -> None:
    """Change or refuse a DAG when its file was read."""


@local_settings_hookspec
def task_instance_mutation_hook(task_instance: Any, dag_run: Any = None) -> None:
    """Change a task instance before it is queued."""


@local_settings_hookspec
def pod_mutation_hook(pod: Any) -> None:
    """Change a pod before Kubernetes is asked to start it."""


@local_settings_hookspec(firstresult=True)
def get_airflow_context_vars(context: Any) -> dict[str, str]:  # type: ignore[empty-body]
    """Further environment variables for tasks."""


@local_settings_hookspec(firstresult=True)
def get_dagbag_import_timeout(dag_file_path: str) -> int | float:  # type: ignore[empty-body]
    """How many seconds a DAG file may take to import."""
