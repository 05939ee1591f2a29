"""Task instances by the REST API: lists, pages, one at a time (B1, D4)."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import PatientExecutor, World, defers, fails
from tradewind.model.dag import Retry, Task, TaskGroup
from tradewind.model.ids import TaskKey, try_id
from tradewind.model.mapping import FixedLength

RUN = "/api/v2/dags/sales/dagRuns/r1/taskInstances"
EVERYWHERE = "/api/v2/dags/~/dagRuns/~/taskInstances"
CHAIN = (Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("b",)))


def names(client: TestClient, url: str = RUN, **query: Any) -> list[str]:
    answer = client.get(url, params=query)
    assert answer.status_code == 200, answer.text
    return [task["task_id"] for task in answer.json()["task_instances"]]


def finished(world: World, **endings: Any) -> None:
    world.dag(*CHAIN)
    world.trigger()
    world.scheduler(endings=endings)
    world.settle()


def test_all_that_there_is_to_know_about_one(any_world: World, client: TestClient) -> None:
    any_world.dag(
        Task(
            "load",
            operator="@task",
            display_name="Load it",
            retry=Retry(2),
            details={"task_type": "_PythonDecoratedOperator", "executor_config": {"max_memory": "1G"}},
        ),
        display_name="Sales!",
    )
    run_key = any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()
    any_world.clock.advance(2.5)
    executor.end()
    any_world.settle()
    with any_world.database.begin() as tx:
        tx.rendered.put({TaskKey(run_key, "load"): {"sql": "select 1"}})

    shown = client.get(f"{RUN}/load").json()

    stored = any_world.instances()["load"]
    assert stored.queued_at and stored.scheduled_at and stored.started_at
    version = shown.pop("dag_version")
    assert (version["version_number"], version["dag_id"], version["dag_display_name"]) == (1, "sales", "Sales!")
    instants = {name: shown.pop(name) for name in ("start_date", "end_date", "queued_when", "scheduled_when")}
    assert all(each.endswith("Z") for each in instants.values())
    assert shown.pop("run_after")
    assert shown == {
        "id": str(try_id("sales", "r1", "load", -1, 1)),
        "task_id": "load",
        "dag_id": "sales",
        "dag_run_id": "r1",
        "map_index": -1,
        "logical_date": None,
        "duration": 2.5,
        "state": "success",
        "try_number": 1,
        "max_tries": 2,
        "task_display_name": "Load it",
        "dag_display_name": "Sales!",
        "hostname": None,
        "unixname": None,
        "pool": "default_pool",
        "pool_slots": 1,
        "queue": "default",
        "priority_weight": 1,
        "operator": "_PythonDecoratedOperator",
        "operator_name": "@task",
        "pid": None,
        "executor": None,
        "executor_config": "{'max_memory': '1G'}",
        "note": None,
        "rendered_map_index": None,
        "rendered_fields": {"sql": "select 1"},
        "trigger": None,
        "triggerer_job": None,
    }
    assert client.get(RUN).json()["task_instances"] == [{**shown, **instants, "dag_version": version, "run_after": client.get(f"{RUN}/load").json()["run_after"]}]


def test_a_task_without_a_state_has_none(any_world: World, client: TestClient) -> None:
    any_world.dag(*CHAIN)
    any_world.trigger()

    assert client.get(f"{RUN}/a").json()["state"] is None
    assert names(client, state="none") == names(client, state=["null", "failed"]) == ["a", "b", "c"]
    assert names(client, state="failed") == []
    assert client.get(RUN, params={"state": "lost"}).status_code == 422


def test_a_deferred_task_shows_its_trigger_but_not_what_it_was_given(any_world: World, client: TestClient) -> None:
    finished(any_world, a=defers())
    assert client.get(f"{RUN}/a").json()["state"] == "deferred"
