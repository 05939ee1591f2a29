"""Connections by the REST API (B1, D6): what is secret goes in, and does not come out."""

import json
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tradewind.api.auth.identities import hash_of
from tradewind.api.services import Services
from tradewind.model.connection_test import ConnectionTestKey
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import opened_connection
from tradewind.operations.default_connections import DEFAULT_CONNECTIONS
from tradewind.operations.manage_connections import find_connection
from tradewind.settings import CoreSettings

CONNECTIONS = "/api/v2/connections"
DB = {"connection_id": "db", "conn_type": "postgres"}
FULL = {
    **DB,
    "host": "h",
    "login": "l",
    "schema": "s",
    "port": 5432,
    "password": "hushhush",
    "extra": '{"a": 1, "n": {"api_key": "hushhush"}}',
    "description": "d",
}


def make(client: TestClient, body: dict[str, Any] = FULL) -> dict[str, Any]:
    answer = client.post(CONNECTIONS, json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def stored(services: Services, conn_id: str = "db") -> ConnectionResult:
    found = services.store.read(lambda tx: find_connection(tx, conn_id, services.cipher))
    assert found is not None
    return found


def test_a_connection_is_made_changed_shown_and_deleted(client: TestClient, services: Services) -> None:
    shown = {**FULL, "password": "***", "extra": '{"a": 1, "n": {"api_key": "***"}}', "team_name": None}
    assert make(client) == shown
    assert (stored(services).password, stored(services).extra) == (FULL["password"], FULL["extra"])
    (record,) = services.store.read(lambda tx: tx.connections.all())
    assert "hushhush" not in f"{record.fields.password}{record.fields.extra}"

    assert client.patch(f"{CONNECTIONS}/db", json={**DB, "host": "i"}).json() == {**shown, "host": "i"}
    masked = client.patch(f"{CONNECTIONS}/db", json={**DB, "schema": "t"}, params={"update_mask": ["schema", "port"]})
    assert masked.json() == {**shown, "host": "i", "schema": "t", "port": None}
    assert client.get(f"{CONNECTIONS}/db").json() == masked.json()
    assert client.get(CONNECTIONS).json() == {"connections": [masked.json()], "total_entries": 1}

    assert client.delete(f"{CONNECTIONS}/db").status_code == 204
    gone = client.get(f"{CONNECTIONS}/db")
    assert (gone.status_code, gone.json()) == (404, {"detail": "there is no connection 'db'"})
    assert client.delete(f"{CONNECTIONS}/db").status_code == 404


def test_who_sends_back_what_hides_a_secret_does_not_overwrite_it(client: TestClient, services: Services) -> None:
    shown = make(client)
    del shown["team_name"]

    client.patch(f"{CONNECTIONS}/db", json={**shown, "host": "i"})
    assert stored(services) == replace(stored(services), host="i", password="hushhush", extra=str(FULL["extra"]))

    extra = {"a": 2, "n": {"api_key": "***", "token": "***"}}
    client.patch(f"{CONNECTIONS}/db", json={**shown, "extra": json.dumps(extra)})
    assert json.loads(stored(services).extra or "") == {"a": 2, "n": {"api_key": "hushhush", "token": "***"}}


@pytest.mark.parametrize(("password", "left"), [(None, "hushhush"), ("", None), ("other", "other")])
def test_a_password_is_replaced_or_removed(
    client: TestClient, services: Services, password: str | None, left: str | None
) -> None:
    make(client)
    client.patch(f"{CONNECTIONS}/db", json={**DB, "password": password})
    assert stored(services).password == left


def test_connections_are_listed_by_pages_order_and_id(client: TestClient) -> None:
    for conn_id, conn_type in (("a_1", "z"), ("a_2", "y"), ("b", "x")):
        make(client, {"connection_id": conn_id, "conn_type": conn_type})

    def ids(**query: Any) -> list[str]:
        answer = client.get(CONNECTIONS, params=query)
        assert answer.status_code == 200, answer.text
        return [each["connection_id"] for each in answer.json()["connections"]]

    assert ids() == ["a_1", "a_2", "b"]
    assert ids(order_by="-connection_id", limit=1, offset=1) == ["a_2"]
    assert ids(order_by="conn_type") == ["b", "a_2", "a_1"]
    assert ids(connection_id_pattern="A_") == ["a_1", "a_2"]
    assert ids(connection_id_prefix_pattern="b") == ["b"]
    # Their order would tell what they are.
    for field in ("password", "extra", "login"):
        assert client.get(CONNECTIONS, params={"order_by": field}).status_code == 400


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"connection_id": "a b"}, 422),
        ({"connection_id": ""}, 422),
        ({"conn_type": ""}, 422),
        ({"conn_type": None}, 422),
        ({"extra": "no json"}, 422),
        ({"extra": "[1]"}, 422),
        ({"extra": {"a": 1}}, 422),
        ({"port": -1}, 422),
        ({"port": 99_999_999_999}, 422),
        ({"team_name": "red"}, 422),
        ({"colour": "red"}, 422),
        ({}, 409),
    ],
)
def test_what_makes_no_sense_is_refused(client: TestClient, change: dict[str, Any], status: int) -> None:
    make(client)

    answer = client.post(CONNECTIONS, json={**DB, **change})

    assert answer.status_code == status
    assert answer.json()["detail"]


def test_a_change_names_the_same_connection_twice(client: TestClient) -> None:
    make(client)
    assert client.patch(f"{CONNECTIONS}/db", json={**DB, "connection_id": "other"}).status_code == 400
    assert client.patch(f"{CONNECTIONS}/other", json={**DB, "connection_id": "other"}).status_code == 404


def test_many_at_once(client: TestClient, services: Services) -> None:
    make(client)
    actions = [
        {"action": "create", "entities": [DB]},
        {"action": "create", "entities": [{**DB, "host": "i"}], "action_on_existence": "overwrite"},
        {"action": "update", "entities": [{**DB, "port": 1, "host": "j"}], "update_mask": ["port"]},
        {"action": "delete", "entities": ["missing"]},
    ]

    refused = client.patch(CONNECTIONS, json={"actions": actions[:1]}).json()
    answer = client.patch(CONNECTIONS, json={"actions": actions[1:]}).json()

    assert [error["status_code"] for error in refused["create"]["errors"]] == [409]
    assert (answer["create"]["success"], answer["update"]["success"]) == (["db"], ["db"])
    assert [error["status_code"] for error in answer["delete"]["errors"]] == [404]
    assert stored(services) == ConnectionResult(conn_id="db", conn_type="postgres", host="i", port=1)


def test_the_default_connections_are_made_and_none_is_overwritten(client: TestClient) -> None:
    make(client, {"connection_id": "http_default", "conn_type": "http", "host": "mine"})

    assert client.post(f"{CONNECTIONS}/defaults").status_code == 204
    assert client.post(f"{CONNECTIONS}/defaults").status_code == 204

    assert client.get(CONNECTIONS).json()["total_entries"] == len(DEFAULT_CONNECTIONS)
    assert client.get(f"{CONNECTIONS}/http_default").json()["host"] == "mine"
    assert client.get(f"{CONNECTIONS}/postgres_default").json()["conn_type"] == "postgres"


def test_connections_are_not_tried_out_unless_the_configuration_allows_it(client: TestClient) -> None:
    for path in ("test", "enqueue-test"):
        answer = client.post(f"{CONNECTIONS}/{path}", json=FULL)
        assert answer.status_code == 403
        assert "[core] test_connection" in answer.json()["detail"]
    unknown = client.get(f"{CONNECTIONS}/enqueue-test", headers={"Airflow-Connection-Test-Token": "hushhush"})
    assert unknown.status_code == 404
    assert "hushhush" not in unknown.text
    assert client.get(f"{CONNECTIONS}/enqueue-test").status_code == 422


@pytest.fixture
def tested(services: Services) -> list[ConnectionResult]:
    """What is tried out, by a hook that always fails and says why."""
    asked: list[ConnectionResult] = []

    def fail(connection: ConnectionResult) -> tuple[bool, str]:
        asked.append(connection)
        return False, f"cannot log in with {connection.password} and {connection.extra}"

    services.settings = replace(services.settings, core=CoreSettings(test_connection="enabled"))
    services.try_connection = fail
    return asked


def test_a_connection_is_tried_out_with_the_secrets_that_are_stored(
    client: TestClient, tested: list[ConnectionResult]
) -> None:
    shown = make(client)

    answer = client.post(f"{CONNECTIONS}/test", json={**shown, "host": "i"})

    assert answer.json() == {
        "status": False,
        "message": 'cannot log in with *** and {"a": 1, "n": {"api_key": "***"}}',
    }
    (connection,) = tested
    assert (connection.host, connection.password) == ("i", "hushhush")
    new = {"connection_id": "new", "conn_type": "http", "password": "secret of the new one"}
    assert "secret" not in client.post(f"{CONNECTIONS}/test", json=new).text
    assert tested[1].password == "secret of the new one"
    assert client.get(f"{CONNECTIONS}/new").status_code == 404


def test_a_connection_can_be_tried_out_by_a_worker(
    client: TestClient, services: Services, tested: list[ConnectionResult]
) -> None:
    shown = make(client)

    queued = client.post(f"{CONNECTIONS}/enqueue-test", json={**shown, "host": "i"})

    assert queued.status_code == 202
    token = queued.json().pop("token")
    assert queued.json() == {"token": token, "connection_id": "db", "state": "pending"}
    known = {"Airflow-Connection-Test-Token": token}
    state = client.get(f"{CONNECTIONS}/enqueue-test", headers=known).json()
    assert {**state, "created_at": ""} == {**queued.json(), "result_message": None, "created_at": ""}
    again = client.post(f"{CONNECTIONS}/enqueue-test", json=shown)
    assert (again.status_code, "'db' has not ended" in again.json()["detail"]) == (409, True)
    nobody = client.post(f"{CONNECTIONS}/enqueue-test", json={**shown, "executor": "Nobody"})
    assert (nobody.status_code, "'Nobody'" in nobody.json()["detail"]) == (422, True)
    key = _key(services, token)
    stored = services.store.transact(lambda tx: tx.connection_tests.connections([key])[key])
    assert opened_connection(stored, services.cipher).password == "hushhush"
    assert (tested, token in client.get("/api/v2/eventLogs").text) == ([], False)


def _key(services: Services, token: str) -> ConnectionTestKey:
    test = services.store.transact(lambda tx: tx.connection_tests.find(hash_of(token)))
    assert test is not None
    return test.key


def test_the_audit_log_says_who_changed_what_and_not_what_is_secret(client: TestClient) -> None:
    make(client)
    client.patch(CONNECTIONS, json={"actions": [{"action": "update", "entities": [FULL]}]})

    log = client.get("/api/v2/eventLogs")

    assert [entry["event"] for entry in log.json()["event_logs"]] == ["post_connection", "bulk_connections"]
    assert "hushhush" not in log.text


def test_who_may(connect: Connect) -> None:
    assert connect(None).get(CONNECTIONS).status_code == 401
    assert connect("user").get(CONNECTIONS).status_code == 403
    assert connect("user").post(CONNECTIONS, json=DB).status_code == 403
    assert connect("user").post(f"{CONNECTIONS}/test", json=DB).status_code == 403
    assert connect("op").post(CONNECTIONS, json=DB).status_code == 201
    assert connect("guest").delete(f"{CONNECTIONS}/db").status_code == 403
