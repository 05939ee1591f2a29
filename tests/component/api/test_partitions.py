"""Runs of partitions by the REST API (B1, C3)."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import CronPartition

RUNS = "/api/v2/dags/daily/dagRuns"
CLEAR = "/api/v2/dags/daily/clearPartitions"


@pytest.fixture
def runs(any_world: World, client: TestClient) -> dict[str, Any]:
    """Of two partitions, by run id."""
    timetable = CronPartition("0 0 * * *", "Europe/Berlin", key_format="%Y-%m-%d")
    any_world.publish(Dag("daily", tasks=(Task("work"),), timetable=timetable))
    any_world.scheduler()
    made = [
        client.post(RUNS, json={"logical_date": None, "dag_run_id": f"r{day}", "partition_key": f"2025-12-0{day}"})
        for day in (1, 2)
    ]
    any_world.settle()
    return {run.json()["dag_run_id"]: run.json() for run in made}


def test_a_run_of_a_partition_is_asked_for_found_and_cleared(client: TestClient, runs: dict[str, Any]) -> None:
    """B1, C3: its date is midnight on the clock of the timetable."""
    shown = runs["r1"]
    assert (shown["partition_key"], shown["partition_date"]) == ("2025-12-01", "2025-11-30T23:00:00Z")
    found = client.get(RUNS, params={"partition_key_pattern": "12-02"}).json()["dag_runs"]
    assert [run["dag_run_id"] for run in found] == ["r2"]
    again = client.post("/api/v2/dags/daily/clearDagRuns", json={"partition_key": "2025-12-02", "dry_run": False})
    assert [(run["dag_run_id"], run["state"]) for run in again.json()["dag_runs"]] == [("r2", "queued")]


def test_runs_are_made_to_be_about_no_partition(client: TestClient, runs: dict[str, Any]) -> None:
    """B1, C3: by dates that are read on the clock of the timetable; by default nothing happens."""
    window = {"partition_date_start": "2025-12-01T00:00:00Z", "partition_date_end": "2025-12-01T00:00:00Z"}

    dry = client.post(CLEAR, json={**window, "clear_task_instances": True})
    assert dry.json() == {"dag_runs_cleared": 1, "task_instances_cleared": 1, "dry_run": True}
    assert client.get(f"{RUNS}/r1").json()["partition_key"] == "2025-12-01"

    done = client.post(CLEAR, json={**window, "clear_task_instances": True, "dry_run": False})
    assert done.json() == {"dag_runs_cleared": 1, "task_instances_cleared": 1, "dry_run": False}
    shown = client.get(f"{RUNS}/r1").json()
    assert (shown["partition_key"], shown["partition_date"], shown["state"]) == (None, None, "queued")
    assert client.get(f"{RUNS}/r2").json()["partition_key"] == "2025-12-02"
    by_key = client.post(CLEAR, json={"partition_key": "2025-12-02", "dry_run": False})
    assert by_key.json()["dag_runs_cleared"] == 1
    assert client.post(CLEAR, json={"run_id": "r2"}).json()["dag_runs_cleared"] == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"partition_key": "x", "run_id": "r1"}, 400),
        ({"partition_date_start": "2026-01-02T00:00:00Z", "partition_date_end": "2026-01-01T00:00:00Z"}, 400),
        ({"run_id": "none"}, 404),
        ({"partition": "x"}, 422),
    ],
)
def test_what_names_no_runs_is_refused(client: TestClient, runs: dict[str, Any], body: Any, status: int) -> None:
    """B1, C3: bad input."""
    assert client.post(CLEAR, json=body).status_code == status


def test_a_key_that_the_timetable_would_not_write_is_refused(client: TestClient, runs: dict[str, Any]) -> None:
    """C3: bad input."""
    refused = client.post(RUNS, json={"logical_date": None, "partition_key": "yesterday"})

    assert (refused.status_code, "yesterday" in refused.text) == (400, True)
    assert client.post("/api/v2/dags/none/clearPartitions", json={"partition_key": "x"}).status_code == 404


def test_who_may_only_look_clears_nothing(connect: Connect, runs: dict[str, Any]) -> None:
    """E2."""
    assert connect("viewer").post(CLEAR, json={"run_id": "r1"}).status_code == 403


def test_partitions_to_come_and_of_the_past_are_told(client: TestClient, runs: dict[str, Any]) -> None:
    """C1, C6: those of the next runs, as they are and as they would be, and those of a backfill."""
    for asked in ({"limit": 1}, {"limit": 1, "duration": 60}):
        (coming,) = client.get("/api/v2/dags/daily/upcoming", params=asked).json()["runs"]
        assert (coming["partition_key"], coming["partition_date"]) == ("2026-01-02", "2026-01-01T23:00:00Z")

    body = {"dag_id": "daily", "from_date": "2025-12-02T00:00:00Z", "to_date": "2025-12-03T00:00:00Z"}
    dry = client.post("/api/v2/backfills/dry_run", json=body).json()["backfills"]
    assert dry == [{"logical_date": None, "partition_key": "2025-12-03", "partition_date": "2025-12-02T23:00:00Z"}]
    assert client.post("/api/v2/backfills", json=body).status_code == 200
    found = client.get(RUNS, params={"partition_key_pattern": "12-03", "run_type": "backfill"}).json()
    assert found["total_entries"] == 1
