"""The configuration of logging that people copy and change in a module of their own."""

from typing import Any, Final

DEFAULT_LOGGING_CONFIG: Final[dict[str, Any]] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "airflow": {
            "class": "airflow.utils.log.timezone_aware.TimezoneAware",
            "format": "[%(asctime)s] {%(filename)s:%(lineno)d} %(levelname)s - %(message)s",
        },
    },
    "filters": {"mask_secrets": {"()": "airflow.sdk.execution_time.secrets_masker._secrets_masker"}},
    "handlers": {
        "console": {
            "class": "airflow.utils.log.logging_mixin.RedirectStdHandler",
            "formatter": "airflow",
            "stream": "sys.stdout",
            "filters": ["mask_secrets"],
        },
        "task": {
            "class": "airflow.utils.log.logging_mixin.RedirectStdHandler",
            "formatter": "airflow",
            "stream": "sys.stdout",
            "filters": ["mask_secrets"],
        },
    },
    "loggers": {
        "airflow.task": {"handlers": ["task"], "level": "INFO", "propagate": True, "filters": ["mask_secrets"]},
    },
    "root": {"handlers": ["console"], "level": "INFO", "filters": ["mask_secrets"]},
}

REMOTE_TASK_LOG: Final[Any] = None


def configure_logging() -> dict[str, Any]:
    """Nothing is configured: each process of Tradewind sets its logging up before user code runs."""
    return DEFAULT_LOGGING_CONFIG


def get_remote_task_log() -> Any:
    """Where task logs are copied to is known to the workers only."""
    return None


def get_default_remote_conn_id() -> str | None:
    """Which connection is used for copying task logs is known to the workers only."""
    return None


class _ActiveLoggingConfig:
    """What is configured, by Airflow's names."""

    logging_config_loaded = True
    remote_task_log: Any = None
    default_remote_conn_id: str | None = None
