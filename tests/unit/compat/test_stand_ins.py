"""D2: what the code of DAGs and tasks cannot have imports, and says what to use instead when it is used."""

import importlib
import types
from abc import ABC
from typing import Any, get_args

import pytest

from tradewind.compat.adapters.session import create_session, create_session_async, provide_session
from tradewind.compat.adapters.stand_in import StandInUsed
from tradewind.sdk.log import LoggingMixin


def taken(module: str, name: str) -> Any:
    """The object that an import gives."""
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize(
    ("module", "name", "instead"),
    [
        ("airflow.models", "DagRun", "get_dr_count"),
        ("airflow.models.taskinstance", "TaskInstance", "xcom_pull"),
        ("airflow.models.dag", "DagModel", "/api/v2/dags"),
        ("airflow.models", "Pool", "tradewind pools"),
        ("airflow.models.log", "Log", "REST API"),
        ("airflow.executors.base_executor", "BaseExecutor", "executor"),
        ("airflow.serialization.serialized_objects", "SerializedDAG", "dags lint"),
    ],
)
def test_tables_and_server_parts_say_what_to_use_instead(module: str, name: str, instead: str) -> None:
    found = taken(module, name)

    with pytest.raises(StandInUsed, match=instead):
        found()
    with pytest.raises(StandInUsed, match=instead):
        found.find(dag_id="etl")


@pytest.mark.parametrize(
    ("module", "name", "instead"),
    [
        ("airflow.utils.db", "initdb", "tradewind db migrate"),
        ("airflow.api.common.trigger_dag", "trigger_dag", "TriggerDagRunOperator"),
        ("airflow.models.crypto", "get_fernet", "key"),
        ("airflow.settings", "Session", "REST API"),
    ],
)
def test_functions_say_what_to_use_instead(module: str, name: str, instead: str) -> None:
    with pytest.raises(StandInUsed, match=instead):
        taken(module, name)("anything")


def test_the_engine_cannot_be_used() -> None:
    with pytest.raises(StandInUsed, match="cannot be reached"):
        taken("airflow.settings", "engine").connect()


def test_stand_ins_can_be_mentioned_and_asked() -> None:
    dag_run = taken("airflow.models", "DagRun")

    assert dag_run | None
    assert get_args(types.GenericAlias(list, dag_run)) == (dag_run,)
    assert not isinstance(3, dag_run)
    assert not hasattr(dag_run, "find")
    assert dag_run is taken("airflow.models.dagrun", "DagRun")


def test_stand_ins_can_be_inherited_from_beside_others() -> None:
    handler = taken("airflow.utils.log.file_task_handler", "FileTaskHandler")

    class S3TaskHandler(handler, LoggingMixin, ABC):  # type: ignore[misc, valid-type]
        conn_id = "aws_default"

    assert S3TaskHandler.conn_id == "aws_default"
    with pytest.raises(StandInUsed):
        S3TaskHandler()


def test_sessions_are_refused_when_they_are_asked_for() -> None:
    """Importing and decorating is common in code that is never run; calling is what cannot work."""

    @provide_session
    def count(table: str, session: Any = None) -> str:
        return f"{table} by {session}"

    with pytest.raises(StandInUsed, match="metadata database"):
        count("runs")
    assert count("runs", session="mine") == "runs by mine"
    assert count("runs", "mine") == "runs by mine"
    with pytest.raises(StandInUsed):
        create_session()
    with pytest.raises(StandInUsed):
        create_session_async()


def test_only_functions_with_a_session_can_be_given_one() -> None:
    with pytest.raises(ValueError, match="session"):
        provide_session(lambda table: table)
