"""Waiting for runs, and why they do not run, by the REST API (B1, D4)."""

import json
import threading
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import PatientExecutor, World
from tradewind.model.dag import Task
from tradewind.model.ids import TaskKey
from tradewind.model.states import RunState
from tradewind.model.timetable import CronTrigger
from tradewind.storage.interface.kept_stores import XComValue

DAG = "/api/v2/dags/sales"
RUN = f"{DAG}/dagRuns/r1"


def lines(answer: Any) -> list[Any]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


def leave_results(world: World) -> None:
    key = world.run().key
    with world.database.begin() as tx:
        values = [XComValue(TaskKey(key, "a", -1), "return_value", 42)]
        tx.xcoms.put(values, world.clock.now())


def test_who_waits_is_told_until_the_end(client: TestClient, any_world: World) -> None:
    details: Any = {"result_task_id": "a"}
    any_world.dag(Task("a"), details=details)
    any_world.trigger()
    told: list[Any] = []
    waiting = threading.Thread(target=lambda: told.extend(lines(client.get(f"{RUN}/wait", params={"interval": 0.01}))))

    waiting.start()
    leave_results(any_world)
    any_world.mark_run(RunState.SUCCESS)
    waiting.join(60)

    assert told[-1] == {"state": "success", "results": {"a": 42}}
    assert all(each == {"state": "queued"} for each in told[:-1])


def test_results_of_tasks_are_told(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"), Task("b"))
    any_world.trigger()
    leave_results(any_world)
    any_world.mark_run(RunState.FAILED)

    answer = client.get(f"{RUN}/wait", params={"interval": 1, "result": ["a", "b"]})

    assert lines(answer) == [{"state": "failed", "results": {"a": 42, "b": None}}]
    assert lines(client.get(f"{RUN}/wait", params={"interval": 1})) == [{"state": "failed"}]


def test_nobody_waits_for_nothing(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"))
    assert client.get(f"{RUN}/wait", params={"interval": 1}).status_code == 404
    assert client.get(f"{RUN}/wait").status_code == 422
    assert client.get(f"{RUN}/wait", params={"interval": 0}).status_code == 422


def explained(client: TestClient, path: str) -> Any:
    answer = client.get(f"{path}/explain")
    assert answer.status_code == 200, answer.text
    return answer.json()


def codes(explanation: Any) -> list[str]:
    return [reason["code"] for reason in explanation["reasons"]]


def test_why_a_run_waits(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"), max_active_runs=1)
    any_world.trigger(run_id="r0")
    any_world.scheduler(PatientExecutor(any_world.clock))
    any_world.settle()
    any_world.trigger()
    any_world.settle()
    any_world.pause()

    answer = explained(client, RUN)

    assert codes(answer) == ["dag_paused", "max_active_runs"]
    assert (answer["state"], answer["is_running"], answer["waits_for"]) == ("queued", False, [])
    assert answer["summary"] == "The DAG is paused, and 1 more."


def test_what_a_running_run_waits_for(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"), Task("b", upstream=("a",)), Task("c", pool="narrow"))
    any_world.pool("narrow", 0)
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()

    answer = explained(client, RUN)

    assert codes(answer) == []
    assert answer["summary"] == "It is running: 3 of its tasks have not ended, 1 of them are at work."
    assert [(each["task_id"], each["reasons"][0]["code"]) for each in answer["waits_for"]] == [
        ("a", "running"),
        ("c", "pool_too_small"),
        ("b", "dependencies_wait"),
    ]
    assert answer["unfinished_tasks"] == 3


def test_why_a_finished_run_does_not_run(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"))
    any_world.trigger()
    any_world.mark_run(RunState.SUCCESS)

    assert codes(explained(client, RUN)) == ["finished"]


@pytest.mark.parametrize(
    ("schedule", "expected"), [(None, ["dag_paused", "not_scheduled"]), ("0 5 * * *", ["dag_paused", "not_due"])]
)
def test_why_there_is_no_run(client: TestClient, any_world: World, schedule: str | None, expected: list[str]) -> None:
    timetable: Any = {} if schedule is None else {"timetable": CronTrigger(schedule), "start_at": any_world.clock.now()}
    any_world.clock.advance(60)
    any_world.dag(Task("a"), is_paused=True, **timetable)

    answer = explained(client, DAG)

    assert codes(answer) == expected
    assert (answer["next_run_after"] is None) == (schedule is None)
    assert answer["is_paused"]


def test_a_stale_dag_says_so(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"))
    with any_world.database.begin() as tx:
        tx.dags.set_stale(["sales"])

    assert codes(explained(client, DAG)) == ["dag_stale"]


def test_what_is_not_there_is_not_explained(connect: Connect, any_world: World) -> None:
    any_world.dag(Task("a"))
    assert connect("admin").get("/api/v2/dags/nothing/explain").status_code == 404
    assert connect("admin").get(f"{RUN}/explain").status_code == 404
    assert connect("guest").get(f"{DAG}/explain").status_code == 403
    assert connect("guest").get(f"{RUN}/wait", params={"interval": 1}).status_code == 403
