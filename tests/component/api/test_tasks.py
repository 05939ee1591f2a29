"""Tasks of a DAG by the REST API (B1)."""

from datetime import UTC, datetime
from typing import Any

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.model.dag import Retry, Task
from tradewind.model.mapping import FixedLength

TASKS = "/api/v2/dags/sales/tasks"
PARAM: dict[str, Any] = {"value": 1, "schema": {}, "description": None, "source": None}


def publish(world: World) -> None:
    load = Task(
        "load",
        operator="@task",
        owner="ann",
        retry=Retry(retries=2, delay_s=90_061.5, multiplier=2.0),
        execution_timeout_s=60,
        pool="narrow",
        pool_slots=2,
        priority_weight=7,
        display_name="Load all",
        details={
            "task_type": "_PythonDecoratedOperator",
            "module": "airflow.sdk",
            "template_fields": ["op_args"],
            "doc_md": "# Load",
            "params": {"y": PARAM},
            "extra_links": ["there"],
            "ui_color": "#ffefeb",
            "ui_fgcolor": "#000",
        },
    )
    end = Task("end", operator="EmptyOperator", upstream=("load",), mapping=FixedLength(3))
    world.dag(load, end, params={"x": PARAM}, start_at=datetime(2026, 1, 1, tzinfo=UTC))


def test_a_task_is_shown(client: TestClient, any_world: World) -> None:
    publish(any_world)

    shown: dict[str, Any] = {
        "task_id": "load",
        "task_display_name": "Load all",
        "owner": "ann",
        "start_date": "2026-01-01T00:00:00Z",
        "end_date": None,
        "trigger_rule": "all_success",
        "depends_on_past": False,
        "wait_for_downstream": False,
        "retries": 2.0,
        "queue": "default",
        "pool": "narrow",
        "pool_slots": 2.0,
        "execution_timeout": {"__type": "TimeDelta", "days": 0, "seconds": 60, "microseconds": 0},
        "retry_delay": {"__type": "TimeDelta", "days": 1, "seconds": 3661, "microseconds": 500_000},
        "retry_exponential_backoff": 2.0,
        "priority_weight": 7.0,
        "weight_rule": "downstream",
        "ui_color": "#ffefeb",
        "ui_fgcolor": "#000",
        "template_fields": ["op_args"],
        "downstream_task_ids": ["end"],
        "doc_md": "# Load",
        "operator_name": "@task",
        "params": {"x": {**PARAM, "source": "dag"}, "y": {**PARAM, "source": "task"}},
        "class_ref": {"module_path": "airflow.sdk", "class_name": "_PythonDecoratedOperator"},
        "is_mapped": False,
        "extra_links": ["there"],
    }
    assert client.get(f"{TASKS}/load").json() == shown
    assert client.get(TASKS).json()["tasks"][1] == shown


def test_tasks_are_listed_and_sorted(client: TestClient, any_world: World) -> None:
    publish(any_world)

    def names(**query: Any) -> list[str]:
        answer = client.get(TASKS, params=query)
        assert answer.status_code == 200, answer.text
        return [task["task_id"] for task in answer.json()["tasks"]]

    assert names() == ["end", "load"]
    assert names(order_by="-task_id") == ["load", "end"]
    assert names(order_by="-owner") == ["load", "end"]
    assert names(order_by="is_mapped") == ["load", "end"]
    assert names(order_by="doc_md") == ["load", "end"]
    assert client.get(TASKS).json()["total_entries"] == 2
    for wrong in ("nothing", "-params", "model_fields"):
        assert client.get(TASKS, params={"order_by": wrong}).status_code == 400


def test_what_is_not_there_and_who_may(client: TestClient, connect: Connect, any_world: World) -> None:
    publish(any_world)

    assert client.get(f"{TASKS}/none").json() == {"detail": "DAG 'sales' has no task 'none'"}
    assert client.get("/api/v2/dags/none/tasks").status_code == 404
    assert client.get("/api/v2/dags/none/tasks/load").status_code == 404
    assert connect("guest").get(TASKS).status_code == 403
    assert connect("viewer").get(f"{TASKS}/end").json()["is_mapped"] is True
