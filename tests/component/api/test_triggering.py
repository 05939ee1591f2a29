"""What it takes to trigger a run, and that all of it is there afterwards, on each kind of database."""

from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient
from psycopg._queries import MAX_CACHED_STATEMENT_LENGTH

from tests.component.api.counted import counted
from tests.component.world import World
from tradewind.model.dag import Dag, Task

RUNS = "/api/v2/dags/etl/dagRuns"
STATEMENTS = {"postgresql": 1, "sqlite": 6, "mysql": 6}


@pytest.fixture
def etl(any_world: World) -> World:
    any_world.publish(Dag("etl", (Task("extract"), Task("load", upstream=("extract",)))))
    return any_world


@pytest.mark.parametrize("more", [{}, {"note": "by hand", "conf": {"a": 1}}])
def test_a_run_is_triggered_with_few_statements(etl: World, client: TestClient, more: dict[str, Any]) -> None:
    """A8: on PostgreSQL one statement locks the DAG, makes all of the run, and writes down who did it: each would be a
    way to the server and back."""
    asked_for = {"logical_date": None, **more}
    client.post(RUNS, json=asked_for).raise_for_status()

    with counted(etl) as asked:
        client.post(RUNS, json=asked_for).raise_for_status()

    dialect = etl.database.dialect_name
    assert len(asked) == STATEMENTS[dialect], asked
    if dialect == "postgresql":
        # Longer ones psycopg takes apart anew each time.
        assert max(map(len, asked)) <= MAX_CACHED_STATEMENT_LENGTH
    assert etl.database.read(lambda tx: tx.changes.is_any_pending())


def test_a_run_with_a_date_has_the_tasks_of_that_date(any_world: World, client: TestClient) -> None:
    """A1: whatever is remembered of runs without one, which have all tasks."""
    any_world.publish(Dag("etl", (Task("extract"), Task("later", start_at=datetime(2030, 1, 1, tzinfo=UTC)))))

    made = [
        client.post(RUNS, json={"logical_date": date}).raise_for_status().json()["dag_run_id"]
        for date in (None, "2029-12-31T00:00:00Z", None)
    ]

    tasks = [client.get(f"{RUNS}/{run_id}/taskInstances").json()["task_instances"] for run_id in made]
    both = ["extract", "later"]
    assert [[task["task_id"] for task in each] for each in tasks] == [both, ["extract"], both]


def test_who_triggers_a_run_is_written_down_once(etl: World, client: TestClient) -> None:
    client.post(RUNS, json={"logical_date": None, "dag_run_id": "mine"}).raise_for_status()

    (entry,) = client.get("/api/v2/eventLogs", params={"event": "trigger_dag_run"}).json()["event_logs"]
    assert (entry["dag_id"], entry["run_id"], entry["owner"]) == ("etl", "mine", "admin")


def test_a_run_has_the_version_that_its_dag_has_now(etl: World, client: TestClient) -> None:
    """B4: whatever the server remembers of the DAG; and who asked is written down once, also where that was wrong."""
    client.post(RUNS, json={"logical_date": None}).raise_for_status()
    etl.publish(Dag("etl", (Task("extract"), Task("transform"))))

    made = client.post(RUNS, json={"logical_date": None, "conf": {"a": 1}}).json()

    tasks = client.get(f"{RUNS}/{made['dag_run_id']}/taskInstances").json()["task_instances"]
    assert sorted(task["task_id"] for task in tasks) == ["extract", "transform"]
    assert [version["version_number"] for version in made["dag_versions"]] == [2]
    entries = client.get("/api/v2/eventLogs", params={"event": "trigger_dag_run"}).json()["event_logs"]
    assert len(entries) == 2


def test_a_run_of_a_dag_that_is_gone_is_refused(etl: World, client: TestClient) -> None:
    """B4: also by a server that remembers it."""
    client.post(RUNS, json={"logical_date": None}).raise_for_status()
    with etl.database.begin() as tx:
        tx.dags.set_stale(["etl"])

    refused = client.post(RUNS, json={"logical_date": None})

    assert refused.status_code == 404
    assert client.get(RUNS).json()["total_entries"] == 1


@pytest.mark.parametrize(
    "asked_for",
    [
        {"logical_date": None},
        {"logical_date": "2026-01-02T03:04:05+02:00", "conf": {"a": [1, "ä", None]}, "note": "über"},
        {
            "dag_run_id": "mine",
            "logical_date": "2026-01-02T03:04:05Z",
            "run_after": "2026-03-01T00:00:00.000001+00:00",
            "data_interval_start": "2026-01-01T00:00:00+05:30",
            "data_interval_end": "2026-01-02T00:00:00Z",
            "conf": {},
        },
    ],
)
def test_the_answer_to_a_trigger_is_what_is_shown_of_the_run_later(
    etl: World, client: TestClient, asked_for: dict[str, Any]
) -> None:
    made = client.post(RUNS, json=asked_for)

    shown = client.get(f"{RUNS}/{made.json()['dag_run_id']}")

    assert (made.status_code, made.json()) == (200, shown.json())
    tasks = client.get(f"{RUNS}/{made.json()['dag_run_id']}/taskInstances").json()["task_instances"]
    assert {(task["task_id"], task["state"], task["try_number"]) for task in tasks} == {
        ("extract", None, 0),
        ("load", None, 0),
    }
    assert etl.database.read(lambda tx: tx.changes.is_any_pending())
