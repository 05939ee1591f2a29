"""Variables by the REST API (B1, D6): what is secret goes in, and does not come out."""

import json
from typing import Any

import pytest
from cryptography.fernet import Fernet
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tradewind.api.services import Services
from tradewind.operations.manage_variables import find_variable
from tradewind.secrets.encryption import Encryption

VARIABLES = "/api/v2/variables"


def make(client: TestClient, key: str, value: Any = "x", **more: Any) -> dict[str, Any]:
    answer = client.post(VARIABLES, json={"key": key, "value": value, **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def stored(services: Services, key: str) -> str | None:
    return services.store.read(lambda tx: find_variable(tx, key, services.cipher))


def test_a_variable_is_made_changed_shown_and_deleted(client: TestClient) -> None:
    shown = {"key": "a b/c", "value": "x", "description": "d", "is_encrypted": True, "team_name": None}
    assert make(client, "a b/c", description="d") == shown

    path = f"{VARIABLES}/a%20b/c"
    changes = {"key": "a b/c", "value": "y", "description": "e"}
    assert client.patch(path, json=changes, params={"update_mask": "description"}).json()["value"] == "x"
    assert client.patch(path, json={"key": "a b/c", "value": "y"}).json()["description"] == "e"
    assert client.get(path).json() == {**shown, "value": "y", "description": "e"}

    assert client.delete(path).status_code == 204
    gone = client.get(path)
    assert (gone.status_code, gone.json()) == (404, {"detail": "there is no variable 'a b/c'"})
    assert client.delete(path).status_code == 404


@pytest.mark.parametrize(
    ("value", "shown"),
    [(5, "5"), (None, "null"), (True, "true"), ([1, 2], "[1, 2]"), ({"a": 1}, '{"a": 1}'), ("", ""), ("{no", "{no")],
)
def test_what_is_no_text_is_stored_as_json(client: TestClient, value: Any, shown: str) -> None:
    assert make(client, "value", value)["value"] == shown


def test_what_is_secret_is_stored_encrypted_and_not_shown(client: TestClient, services: Services) -> None:
    assert make(client, "my_password", "hushhush")["value"] == "***"
    assert make(client, "settings", {"a": 1, "n": [{"api_key": "hushhush"}]})["value"] == (
        '{"a": 1, "n": [{"api_key": "***"}]}'
    )

    assert stored(services, "my_password") == "hushhush"
    records = services.store.read(lambda tx: tx.variables.all())
    assert not any("hushhush" in record.value for record in records)
    assert "hushhush" not in client.get(VARIABLES).text


def test_who_sends_back_what_hides_a_secret_does_not_overwrite_it(client: TestClient, services: Services) -> None:
    make(client, "my_password", "hushhush")
    make(client, "settings", {"a": 1, "n": [{"api_key": "hushhush"}]})

    client.patch(f"{VARIABLES}/my_password", json={"key": "my_password", "value": "***", "description": "d"})
    changed = {"a": 2, "n": [{"api_key": "***"}], "token": "***"}
    client.patch(f"{VARIABLES}/settings", json={"key": "settings", "value": changed})

    assert stored(services, "my_password") == "hushhush"
    assert json.loads(stored(services, "settings") or "") == {
        "a": 2,
        "n": [{"api_key": "hushhush"}],
        "token": "***",  # nothing was there that it could stand for
    }


def test_a_variable_of_another_encryption_key_is_shown_without_value_and_can_be_replaced(
    client: TestClient, services: Services
) -> None:
    make(client, "old")
    services.cipher = Encryption([Fernet.generate_key().decode()])

    assert [each["value"] for each in client.get(VARIABLES).json()["variables"]] == [None]
    described = client.patch(
        f"{VARIABLES}/old", json={"key": "old", "value": "", "description": "d"}, params={"update_mask": "description"}
    )
    assert (described.json()["value"], described.json()["description"]) == (None, "d")
    assert client.patch(f"{VARIABLES}/old", json={"key": "old", "value": "***"}).json()["value"] == "***"


def test_variables_are_listed_by_pages_order_and_key(client: TestClient) -> None:
    for key, description in (("a_1", "z"), ("a_2", "y"), ("b%", None)):
        make(client, key, description=description)

    def keys(**query: Any) -> list[str]:
        answer = client.get(VARIABLES, params=query)
        assert answer.status_code == 200, answer.text
        return [each["key"] for each in answer.json()["variables"]]

    assert keys() == ["a_1", "a_2", "b%"]
    assert keys(order_by="-key", limit=1, offset=1) == ["a_2"]
    assert keys(order_by="description") == ["a_2", "a_1", "b%"]
    assert keys(variable_key_pattern="A_|%") == ["a_1", "a_2", "b%"]
    assert keys(variable_key_prefix_pattern="b") == ["b%"]
    assert client.get(VARIABLES, params={"limit": 1}).json()["total_entries"] == 3
    assert client.get(VARIABLES, params={"order_by": "value"}).status_code == 400


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"key": "x"}, 422),
        ({"value": "x"}, 422),
        ({"key": "", "value": "x"}, 422),
        ({"key": "k" * 251, "value": "x"}, 422),
        ({"key": "x", "value": "x", "colour": "red"}, 422),
        ({"key": "x", "value": "x", "team_name": "red"}, 422),
        ({"key": "there", "value": "x"}, 409),
    ],
)
def test_what_makes_no_sense_is_refused(client: TestClient, body: dict[str, Any], status: int) -> None:
    make(client, "there")

    answer = client.post(VARIABLES, json=body)

    assert answer.status_code == status
    assert answer.json()["detail"]


def test_a_change_names_the_same_variable_twice(client: TestClient) -> None:
    make(client, "a")
    assert client.patch(f"{VARIABLES}/a", json={"key": "b", "value": "x"}).status_code == 400
    assert client.patch(f"{VARIABLES}/b", json={"key": "b", "value": "x"}).status_code == 404


def test_many_at_once(client: TestClient) -> None:
    make(client, "old", "before")

    def entities(*keys: str) -> list[dict[str, str]]:
        return [{"key": key, "value": "after"} for key in keys]

    refused = [
        {"action": "create", "entities": entities("old", "new")},
        {"action": "update", "entities": entities("old", "missing")},
        {"action": "delete", "entities": ["old", "missing"]},
    ]
    answer = client.patch(VARIABLES, json={"actions": refused}).json()
    assert {kind: [error["status_code"] for error in each["errors"]] for kind, each in answer.items()} == {
        "create": [409],
        "update": [404],
        "delete": [404],
    }
    assert client.get(VARIABLES).json()["variables"][0]["value"] == "before"

    done = [
        {"action": "create", "entities": entities("old", "new"), "action_on_existence": "skip"},
        {"action": "update", "entities": entities("old", "missing"), "action_on_non_existence": "skip"},
        {"action": "delete", "entities": ["new", "missing"], "action_on_non_existence": "skip"},
    ]
    answer = client.patch(VARIABLES, json={"actions": done}).json()
    assert {kind: each["success"] for kind, each in answer.items()} == {
        "create": ["new"],
        "update": ["old"],
        "delete": ["new"],
    }
    assert [(each["key"], each["value"]) for each in client.get(VARIABLES).json()["variables"]] == [("old", "after")]


def test_the_audit_log_says_who_changed_what_and_not_what_is_secret(client: TestClient) -> None:
    make(client, "place", "hushhush")
    client.patch(f"{VARIABLES}/place", json={"key": "place", "value": {"a": "hushhush"}})
    many = {"action": "create", "entities": [{"key": "other", "value": "hushhush"}]}
    client.patch(VARIABLES, json={"actions": [many]})

    log = client.get("/api/v2/eventLogs")

    assert [entry["event"] for entry in log.json()["event_logs"]] == [
        "post_variable",
        "patch_variable",
        "bulk_variables",
    ]
    assert "place" in log.text
    assert "hushhush" not in log.text


def test_who_may(connect: Connect) -> None:
    body = {"key": "x", "value": "x"}
    assert connect(None).get(VARIABLES).status_code == 401
    assert connect("user").get(VARIABLES).status_code == 403
    assert connect("user").post(VARIABLES, json=body).status_code == 403
    assert connect("op").post(VARIABLES, json=body).status_code == 201
    assert connect("op").get(f"{VARIABLES}/x").status_code == 200
    assert connect("guest").delete(f"{VARIABLES}/x").status_code == 403
