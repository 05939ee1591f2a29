"""How long pages are, as the configuration says (B1, D6)."""

import dataclasses
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.component.world import World
from tradewind.api.app import ALL, make_app
from tradewind.api.page_sizes import use_page_sizes
from tradewind.api.services import Services
from tradewind.model.dag import Task
from tradewind.settings import ApiSettings

VARIABLES = "/api/v2/variables"


@pytest.fixture
def app(services: Services) -> Iterator[FastAPI]:
    """With short pages. Routes belong to all apps of the process, so they get their usual sizes back."""
    api = ApiSettings(maximum_page_limit=3, fallback_page_limit=2)
    services.settings = dataclasses.replace(services.settings, api=api)
    yield make_app(services)
    use_page_sizes((route for each in ALL for route in each.routes), ApiSettings())


@pytest.fixture
def client(app: FastAPI, services: Services) -> Iterator[TestClient]:
    token = services.tokens.make("admin", services.clock.now())
    with TestClient(app, headers={"Authorization": f"Bearer {token}"}) as made:
        for number in range(5):
            made.post(VARIABLES, json={"key": f"v{number}", "value": "1"}).raise_for_status()
        yield made


@pytest.mark.parametrize(
    ("query", "expected"), [("", 2), ("?limit=1", 1), ("?limit=3", 3), ("?limit=50", 3), ("?offset=4", 1)]
)
def test_pages_are_as_long_as_the_configuration_says(client: TestClient, query: str, expected: int) -> None:
    page = client.get(f"{VARIABLES}{query}").json()

    assert len(page["variables"]) == expected
    assert page["total_entries"] == 5


def test_the_document_names_the_length(app: FastAPI) -> None:
    (limit,) = [each for each in app.openapi()["paths"][VARIABLES]["get"]["parameters"] if each["name"] == "limit"]

    assert limit["schema"] == {"type": "integer", "minimum": 0, "default": 2, "title": "Limit"}


def test_a_list_of_a_body_is_as_long_at_most(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"), dag_id="etl")
    for number in range(4):
        run = {"dag_run_id": f"r{number}", "logical_date": None}
        client.post("/api/v2/dags/etl/dagRuns", json=run).raise_for_status()

    page = client.post("/api/v2/dags/~/dagRuns/list", json={"page_limit": 50}).json()

    assert len(page["dag_runs"]) == 3
    assert page["total_entries"] == 4
