"""How often the database is asked for one answer."""

import pytest
from fastapi.testclient import TestClient

from tests.component.api.counted import counted
from tests.component.world import World
from tradewind.model.dag import Dag, Task

API = "/api/v2"


@pytest.fixture
def any_world(world: World) -> World:
    """The number is the same on each kind of database: one will do."""
    for number in range(3):
        world.publish(Dag(f"etl_{number}", (Task("extract"), Task("load", upstream=("extract",)))))
        world.trigger(f"etl_{number}")
    return world


@pytest.mark.parametrize(
    ("path", "statements"),
    [
        ("version", 0),
        ("monitor/health", 1),
        ("dags/etl_0", 1),  # with its tags
        ("dags?limit=100", 1),
        ("dags?limit=2", 2),  # and how many there are
        ("dags/~/dagRuns?limit=100", 1),
        ("dags/~/dagRuns?limit=2", 2),
        ("dags/~/dagRuns/~/taskInstances?limit=100", 1),  # with their rendered fields
        ("dags/~/dagRuns/~/taskInstances?limit=2", 2),
        ("dags/etl_0/tasks", 1),
    ],
)
def test_a_list_is_read_with_few_statements(any_world: World, client: TestClient, path: str, statements: int) -> None:
    """A8: what a request costs is mostly how often it asks."""
    client.get(f"{API}/{path}").raise_for_status()  # what is remembered, is remembered now

    with counted(any_world) as asked:
        client.get(f"{API}/{path}").raise_for_status()

    assert len(asked) == statements, asked


def test_a_run_is_triggered_with_few_statements(any_world: World, client: TestClient) -> None:
    """A8: the DAG is locked; the run, its task instances, the change and the audit entry are written; it is shown."""
    client.post(f"{API}/dags/etl_0/dagRuns", json={"logical_date": None}).raise_for_status()

    with counted(any_world) as asked:
        client.post(f"{API}/dags/etl_0/dagRuns", json={"logical_date": None}).raise_for_status()

    assert len(asked) == 6, asked


def test_the_same_list_is_asked_for_with_the_same_statement(any_world: World, client: TestClient) -> None:
    """Whatever the values: neither we nor the database work it out anew."""
    with counted(any_world) as first:
        client.get(f"{API}/dags/~/dagRuns", params={"limit": 2, "run_after_gte": "2020-01-01T00:00:00Z"})
    with counted(any_world) as second:
        client.get(f"{API}/dags/~/dagRuns", params={"limit": 1, "run_after_gte": "2021-01-01T00:00:00Z"})

    assert first == second
