"""Pages of others call the API where the configuration lets them, and with a token of their own only (B1, D6)."""

import dataclasses

import pytest
from fastapi.testclient import TestClient

from tests.component.world import World
from tradewind.api.app import make_app
from tradewind.api.auth.principal import COOKIE
from tradewind.api.services import Services
from tradewind.settings import ApiSettings

DAGS = "/api/v2/dags"
DASHBOARD = "https://dash.example.org"
LET_IN = ApiSettings(
    access_control_allow_origins=(DASHBOARD,),
    access_control_allow_methods=("GET", "POST"),
    access_control_allow_headers=("Authorization",),
)


@pytest.fixture
def any_world(world: World) -> World:
    """Nothing here depends on the database: one kind will do."""
    return world


def client_of(services: Services, api: ApiSettings) -> TestClient:
    services.settings = dataclasses.replace(services.settings, api=api)
    return TestClient(make_app(services))


def asked_first(client: TestClient, origin: str, method: str = "GET") -> int:
    """As browsers do before they send a token for a page of somebody else."""
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "Authorization",
    }
    return client.options(DAGS, headers=headers).status_code


def test_a_page_that_is_let_in_reads_with_its_token(services: Services) -> None:
    client = client_of(services, LET_IN)
    token = services.tokens.make("viewer", services.clock.now())

    answer = client.get(DAGS, headers={"Origin": DASHBOARD, "Authorization": f"Bearer {token}"})

    assert asked_first(client, DASHBOARD) == 200
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == DASHBOARD
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_nobody_else_and_nothing_else_is_let_in(services: Services) -> None:
    client = client_of(services, LET_IN)

    answer = client.get(DAGS, headers={"Origin": "https://evil.example.org"})

    assert asked_first(client, "https://evil.example.org") == 400
    assert asked_first(client, DASHBOARD, "DELETE") == 400
    assert "access-control-allow-origin" not in answer.headers


def test_the_cookie_of_somebody_who_is_logged_in_is_of_no_use_to_them(services: Services) -> None:
    client = client_of(services, LET_IN)
    client.cookies[COOKIE] = services.tokens.make("admin", services.clock.now())
    headers = {"Origin": DASHBOARD, "Sec-Fetch-Site": "cross-site"}

    read = client.get(DAGS, headers=headers)
    changed = client.post("/api/v2/variables", json={"key": "k", "value": "v"}, headers=headers)

    assert "access-control-allow-credentials" not in read.headers, "so no browser shows it to the page"
    assert changed.status_code == 403


def test_without_a_word_pages_of_others_are_not_let_in(services: Services) -> None:
    client = client_of(services, ApiSettings())

    assert asked_first(client, DASHBOARD) == 405
