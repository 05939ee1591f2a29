"""`airflow.settings`: where things are. What it had to do with the database says why not when it is used."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from tradewind.compat.adapters.policies import (
    dag_policy,
    get_airflow_context_vars,
    get_dagbag_import_timeout,
    pod_mutation_hook,
    task_instance_mutation_hook,
    task_policy,
)
from tradewind.compat.adapters.session import Unreachable
from tradewind.configuration.sources import Sources
from tradewind.sdk.configuration import conf

__all__ = [
    "AIRFLOW_CONFIG",  # noqa: F822 - read when it is asked for
    "AIRFLOW_HOME",  # noqa: F822 - read when it is asked for
    "DAGS_FOLDER",  # noqa: F822 - read when it is asked for
    "PLUGINS_FOLDER",  # noqa: F822 - read when it is asked for
    "TIMEZONE",  # noqa: F822 - read when it is asked for
    "AsyncSession",
    "NonScopedSession",
    "Session",
    "async_engine",
    "conf",
    "configure_orm",
    "dag_policy",
    "engine",
    "get_airflow_config",
    "get_airflow_context_vars",
    "get_airflow_home",
    "get_dagbag_import_timeout",
    "initialize",
    "json",
    "pod_mutation_hook",
    "task_instance_mutation_hook",
    "task_policy",
]

Session = Unreachable("Session")
NonScopedSession = Unreachable("NonScopedSession")
AsyncSession = Unreachable("AsyncSession")
engine = Unreachable("engine")
async_engine = Unreachable("async_engine")
configure_orm = Unreachable("configure_orm")


def get_airflow_home() -> str:
    """The folder that relative things lie in."""
    return str(Sources().home)


def get_airflow_config(airflow_home: str | None = None) -> str:
    """The configuration file."""
    return str(Path(airflow_home or get_airflow_home()) / "tradewind.cfg")


def initialize() -> None:
    """Nothing is left to be done: what Airflow sets up here is ready when a Tradewind process runs user code."""


def _timezone() -> Any:
    # pendulum takes a while to load, and few ask for the time zone.
    return import_module("pendulum").timezone(conf.get("core", "default_timezone", fallback="UTC"))


# Read when they are asked for: a test may set another home first.
_READ = {
    "AIRFLOW_CONFIG": get_airflow_config,
    "AIRFLOW_HOME": get_airflow_home,
    "DAGS_FOLDER": lambda: str(Path(conf.get("core", "dags_folder")).expanduser()),
    "PLUGINS_FOLDER": lambda: str(Path(conf.get("core", "plugins_folder")).expanduser()),
    "TIMEZONE": _timezone,
}


def __getattr__(name: str) -> Any:
    if name in _READ:
        return _READ[name]()
    raise AttributeError(f"airflow.settings has no {name!r}")
