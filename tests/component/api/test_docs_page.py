"""The page that lists all operations: where it is, and that a deployment may hide it (A8, B1)."""

import dataclasses

import pytest
from fastapi.testclient import TestClient

from tradewind.api.services import Services
from tradewind.settings import ApiSettings

PAGE = {"accept": "text/html"}


@pytest.fixture
def hidden(services: Services, client: TestClient) -> TestClient:
    """A client of a server that was started with `[api] enable_swagger_ui = False`."""
    services.settings = dataclasses.replace(services.settings, api=ApiSettings(enable_swagger_ui=False))
    return client


def test_airflows_other_address_leads_to_the_page(client: TestClient) -> None:
    answer = client.get("/redoc", headers=PAGE)

    assert answer.status_code == 200
    assert answer.url.path == "/docs"


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
def test_a_deployment_may_hide_the_page(hidden: TestClient, path: str) -> None:
    answer = hidden.get(path, headers=PAGE)

    assert answer.status_code == 404
    assert answer.json() == {"detail": "[api] enable_swagger_ui hides this page"}


def test_tools_read_the_document_all_the_same(hidden: TestClient) -> None:
    assert "/api/v2/dags" in hidden.get("/openapi.json").json()["paths"]
