"""What the facts about a running task are called in environment variables and in settings of other systems."""

from typing import Any, Final

DEFAULT_FORMAT_PREFIX: Final = "airflow.ctx."
ENV_VAR_FORMAT_PREFIX: Final = "AIRFLOW_CTX_"

AIRFLOW_VAR_NAME_FORMAT_MAPPING: Final = {
    f"AIRFLOW_CONTEXT_{fact}": {
        "default": f"{DEFAULT_FORMAT_PREFIX}{fact.lower()}",
        "env_var_format": f"{ENV_VAR_FORMAT_PREFIX}{fact}",
    }
    for fact in ("DAG_ID", "TASK_ID", "LOGICAL_DATE", "TRY_NUMBER", "DAG_RUN_ID", "DAG_OWNER", "DAG_EMAIL")
}


def context_get_outlet_events(context: Any) -> Any:
    """The events of the task's outlets."""
    return context["outlet_events"]
