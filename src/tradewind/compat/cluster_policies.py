"""Cluster policies: what the people who run a deployment have to say about every DAG and task of its authors.

They are functions of `airflow_local_settings.py`, which lies in the folder `config` of the home, in the plugins folder
or elsewhere on Python's path, and of packages with an entry point `airflow.policy`. They run where DAG files are
imported, and nowhere else: neither the scheduler nor the web server runs them.
"""

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Final

from tradewind.configuration.sources import Sources
from tradewind.sdk.dags import DAG
from tradewind.sdk.entry_points import entry_points_with_dist
from tradewind.sdk.server_exceptions import (
    AirflowClusterPolicyError,
    AirflowClusterPolicySkipDag,
    AirflowClusterPolicyViolation,
)

GROUP: Final = "airflow.policy"
MODULE: Final = "airflow_local_settings"

Policy = Callable[[Any], Any]


def prepare() -> None:
    """Look through the metadata of all packages now, before the process forks, so that no fork has to."""
    _ = list(entry_points_with_dist(GROUP))


def policy_folder() -> str | None:
    """A folder of code that is to be importable where DAG files are; None: there is none."""
    folder = Sources().home / "config"
    return str(folder) if folder.is_dir() else None


def passes(dag: DAG) -> bool:
    """Let the policies look at a DAG and its tasks, and change them. False: they want it to be left out.

    Raises:
        AirflowClusterPolicyViolation: they refuse it.
        AirflowClusterPolicyError: one of them failed.
    """
    try:
        for policy in _policies("dag_policy"):
            policy(dag)
        for task in dag.tasks:
            for policy in _policies("task_policy"):
                policy(task)
    except AirflowClusterPolicySkipDag:
        return False
    except AirflowClusterPolicyViolation:
        raise
    except Exception as error:
        raise AirflowClusterPolicyError(f"{type(error).__name__}: {error}") from error
    return True


def import_timeout_s(file: str, usual_s: float) -> float:
    """How long a DAG file may take to import."""
    for policy in _policies("get_dagbag_import_timeout"):
        return float(policy(file))
    return usual_s


def _policies(name: str) -> Iterator[Policy]:
    """The functions of that name: those of the deployment itself go before those of packages, as in Airflow."""
    for place in (_local_settings(), *_of_packages()):
        policy = getattr(place, name, None)
        if callable(policy):
            yield policy


def _local_settings() -> Any:
    try:
        return importlib.import_module(MODULE)
    except ModuleNotFoundError as error:
        if error.name != MODULE:
            raise
        return None


def _of_packages() -> Iterator[Any]:
    for entry_point, _ in entry_points_with_dist(GROUP):
        yield entry_point.load()
