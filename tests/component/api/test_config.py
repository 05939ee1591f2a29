"""The configuration by the REST API (B1, D6): secrets never, and nothing unless it is allowed."""

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tradewind.api.services import Services
from tradewind.settings import ApiSettings, option_sources

CONFIG = "/api/v2/config"
OPTION = f"{CONFIG}/section/core/option/parallelism"


@pytest.fixture
def exposed(services: Services) -> Services:
    """A server that may show it."""
    services.settings = replace(services.settings, api=ApiSettings(expose_config="non-sensitive-only"))
    services.option_sources = option_sources(
        {
            "TRADEWIND_HOME": str(services.settings.home),
            "TRADEWIND__CORE__PARALLELISM": "7",
            "TRADEWIND__CORE__FERNET_KEY": "hushhush",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD": "no-such-command",
            "TRADEWIND__CORE__MY_PASSWORD": "hushhush",
        }
    )
    return services


def test_nothing_is_shown_unless_the_configuration_allows_it(client: TestClient) -> None:
    for path in (CONFIG, OPTION):
        answer = client.get(path)
        assert (answer.status_code, "[api] expose_config" in answer.json()["detail"]) == (403, True)


def test_all_options_are_shown_but_secrets(client: TestClient, exposed: Services) -> None:
    answer = client.get(CONFIG)

    assert answer.status_code == 200, answer.text
    assert "hushhush" not in answer.text
    sections = {
        section["name"]: {option["key"]: option["value"] for option in section["options"]}
        for section in answer.json()["sections"]
    }
    assert {"core", "database", "scheduler", "api", "triggerer"} <= set(sections)
    assert (sections["core"]["parallelism"], sections["core"]["executor"]) == ("7", "LocalExecutor")
    assert sections["core"]["fernet_key"] == sections["core"]["my_password"] == "< hidden >"
    assert sections["database"]["sql_alchemy_conn"] == "< hidden >"


def test_a_section_and_an_option_are_shown_as_json_or_as_text(client: TestClient, exposed: Services) -> None:
    (section,) = client.get(CONFIG, params={"section": "Scheduler"}).json()["sections"]
    assert section["name"] == "scheduler"
    assert client.get(OPTION).json() == {
        "sections": [{"name": "core", "options": [{"key": "parallelism", "value": "7"}]}]
    }

    text = client.get(OPTION, headers={"Accept": "text/plain"})
    assert text.headers["content-type"].startswith("text/plain")
    assert text.text == "[core]\nparallelism = 7\n"
    whole = client.get(CONFIG, headers={"Accept": "text/plain"}).text
    assert "[core]\n" in whole
    assert "hushhush" not in whole
    mixed = client.get(OPTION, headers={"Accept": "text/html, application/json;q=0.9"})
    assert mixed.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        (f"{CONFIG}?section=nope", "*/*", 404),
        (f"{CONFIG}/section/core/option/nope", "*/*", 404),
        (f"{CONFIG}/section/nope/option/nope", "*/*", 404),
        (CONFIG, "application/xml", 406),
    ],
)
def test_what_there_is_not_is_refused(
    client: TestClient, exposed: Services, path: str, accept: str, status: int
) -> None:
    answer = client.get(path, headers={"Accept": accept})

    assert answer.status_code == status
    assert answer.json()["detail"]


def test_who_may(connect: Connect, exposed: Services) -> None:
    assert connect(None).get(CONFIG).status_code == 401
    assert connect("user").get(CONFIG).status_code == 403
    assert connect("op").get(CONFIG).status_code == 200
