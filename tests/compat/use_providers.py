"""Uses the provider packages http, postgres and amazon in a DAG, in a process of an environment that has no Airflow.

Prints a JSON object: the tasks of the DAG after it was compiled, written and read back; the hook of a connection; and
what of all modules of the installed packages cannot be imported because of a name of Airflow.
"""

import importlib
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from tradewind.compat import install
from tradewind.dag_processor.compile import compile_dag
from tradewind.model.dag_json import decode_dag, encode_dag
from tradewind.sdk import DAG, BaseHook
from tradewind.sdk.exceptions import AirflowOptionalProviderFeatureException

OPERATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "ask": ("airflow.providers.http.operators.http.HttpOperator", {"http_conn_id": "web", "endpoint": "/{{ ds }}"}),
    "wait": ("airflow.providers.http.sensors.http.HttpSensor", {"endpoint": "/ready", "deferrable": True}),
    "query": (
        "airflow.providers.common.sql.operators.sql.SQLExecuteQueryOperator",
        {"conn_id": "warehouse", "sql": "SELECT 1"},
    ),
    "bucket": ("airflow.providers.amazon.aws.operators.s3.S3CreateBucketOperator", {"bucket_name": "data-{{ ds }}"}),
    "key": ("airflow.providers.amazon.aws.sensors.s3.S3KeySensor", {"bucket_key": "s3://data/x", "deferrable": True}),
    "batch": (
        "airflow.providers.amazon.aws.operators.batch.BatchOperator",
        {"job_name": "j", "job_definition": "d", "job_queue": "q"},
    ),
}


def taken(path: str) -> Any:
    """The object at a path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def tasks() -> dict[str, str]:
    """The operators in a DAG that was stored and read again: task id to operator."""
    with DAG("all_providers") as dag:
        for task_id, (path, arguments) in OPERATORS.items():
            taken(path)(task_id=task_id, **arguments)
    compiled = compile_dag(dag)
    again = decode_dag(encode_dag(compiled))
    assert again == compiled
    return {task.task_id: dag.get_task(task.task_id).task_type for task in again.tasks}


def hook() -> str:
    """The class of the hook that a connection of PostgreSQL has."""
    os.environ["AIRFLOW_CONN_WAREHOUSE"] = "postgres://user:secret@127.0.0.1/sales"
    found = BaseHook.get_hook("warehouse")
    return f"{type(found).__module__}.{type(found).__name__}"


def modules(folder: Path) -> list[str]:
    """All modules of the provider packages in a folder."""
    files = [file.relative_to(folder).with_suffix("") for file in sorted(folder.rglob("*.py"))]
    names = [".".join(file.parts).removesuffix(".__init__") for file in files if "example_dags" not in file.parts]
    return [f"airflow.providers.{name}" for name in names if not name.startswith("standard")]


def broken(folder: Path) -> tuple[int, dict[str, str]]:
    """How many modules there are, and those that miss something of Airflow."""
    found: dict[str, str] = {}
    names = modules(folder)
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            if not needs_another_package(error):
                found[name] = f"{type(error).__name__}: {error}"
    return len(names), found


def needs_another_package(error: Exception) -> bool:
    """Whether a library or another provider is missing, which the package does not insist on."""
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith(("airflow", "tradewind")):
        return True
    return isinstance(error, AirflowOptionalProviderFeatureException) or "provider package is not" in str(error)


def main(packages: str) -> None:
    """Do it all."""
    warnings.simplefilter("ignore")
    install()
    count, wrong = broken(Path(packages, "airflow", "providers"))
    sys.stdout.write(json.dumps({"tasks": tasks(), "hook": hook(), "modules": count, "broken": wrong}))


if __name__ == "__main__":
    main(sys.argv[1])
