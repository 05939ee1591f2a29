"""The audit log: who changed what (B1, D6)."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.model.audit import AuditEntry
from tradewind.model.dag import Dag, Task

LOGS = "/api/v2/eventLogs"
POOLS = "/api/v2/pools"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def entries(client: TestClient, **parameters: Any) -> list[dict[str, Any]]:
    answer = client.get(LOGS, params=parameters)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["event_logs"]
    return found


def test_a_change_is_written_down_with_who_made_it(connect: Connect) -> None:
    client, op = connect("admin"), connect("op")
    op.post(POOLS, json={"name": "narrow", "slots": 3})
    op.get(POOLS)
    op.patch(f"{POOLS}/narrow", json={"slots": 4}, params={"update_mask": "slots"})
    client.delete(f"{POOLS}/narrow")

    found = entries(client)

    assert [(entry["event"], entry["owner"]) for entry in found] == [
        ("post_pool", "op"),
        ("patch_pool", "op"),
        ("delete_pool", "admin"),
    ]
    assert found[0]["when"] == "2026-01-01T00:00:00Z"
    assert json.loads(found[1]["extra"]) == {"update_mask": "slots", "pool_name": "narrow", "slots": 4}
    assert client.get(f"{LOGS}/{found[1]['event_log_id']}").json() == found[1]


def test_what_is_refused_is_no_change(connect: Connect) -> None:
    connect("viewer").post(POOLS, json={"name": "narrow", "slots": 3})
    connect("admin").post(POOLS, json={"name": "default_pool", "slots": 3})
    connect("admin").delete(f"{POOLS}/none")
    connect("admin").post(POOLS, json={"slots": "many"})

    assert entries(connect("admin")) == []


def test_a_change_of_a_dag_is_found_by_it(client: TestClient, any_world: World) -> None:
    any_world.publish(Dag("sales", (Task("load"),), display_name="Sales"))

    answer = client.post(
        "/api/v2/dags/sales/dagRuns", json={"dag_run_id": "one", "logical_date": None, "conf": {"password": "hunter22"}}
    )

    assert answer.status_code == 200
    (entry,) = entries(client, dag_id="sales")
    assert (entry["event"], entry["run_id"], entry["dag_display_name"]) == ("trigger_dag_run", "one", "Sales")
    assert json.loads(entry["extra"])["conf"] == {"password": "***"}


def test_secrets_are_not_in_the_log(client: TestClient) -> None:
    secret = "hunter22hunter22"
    entity = {"connection_id": "two", "conn_type": "http", "password": secret}
    for method, path, body in (
        ("POST", "variables", {"key": "place", "value": secret}),
        ("PATCH", "variables/place", {"key": "place", "value": secret, "description": "x"}),
        ("PATCH", "variables", {"actions": [{"action": "create", "entities": [{"key": "b", "value": secret}]}]}),
        ("POST", "connections", {"connection_id": "one", "conn_type": "http", "password": secret}),
        ("PATCH", "connections/one", {"connection_id": "one", "conn_type": "http", "extra": f'{{"a": "{secret}"}}'}),
        ("PATCH", "connections", {"actions": [{"action": "create", "entities": [entity]}]}),
    ):
        answer = client.request(method, f"/api/v2/{path}", json=body)
        assert answer.status_code < 300, answer.text

    found = entries(client)

    assert len(found) == 6
    assert [entry["event"] for entry in found if secret in str(entry)] == []
    assert all("***" in entry["extra"] for entry in found)


def test_what_is_long_is_cut(client: TestClient) -> None:
    client.post(POOLS, json={"name": "narrow", "slots": 3, "description": "x" * 100_000})

    (entry,) = entries(client)

    assert len(entry["extra"]) < 1_000


@pytest.fixture
def written(any_world: World) -> None:
    """Four entries, a minute apart."""
    with any_world.database.begin() as tx:
        for number, entry in enumerate(
            (
                AuditEntry("clear", "anna", NOW, "sales", "load", "r1", 1, 2),
                AuditEntry("trigger_dag_run", "bert", NOW, "stock", None, "r2"),
                AuditEntry("cli_pools_set", None, NOW),
                AuditEntry("post_pool", "anna", NOW),
            )
        ):
            at = NOW + timedelta(minutes=number)
            tx.audit_log.add(AuditEntry(entry.event, entry.owner, at, *_rest(entry)))


def _rest(entry: AuditEntry) -> tuple[Any, ...]:
    return entry.dag_id, entry.task_id, entry.run_id, entry.map_index, entry.try_number


FOUND: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["clear", "trigger_dag_run", "cli_pools_set", "post_pool"]),
    ({"order_by": "-id"}, ["post_pool", "cli_pools_set", "trigger_dag_run", "clear"]),
    ({"order_by": ["-when"], "limit": 1}, ["post_pool"]),
    ({"order_by": "event", "offset": 3}, ["trigger_dag_run"]),
    ({"dag_id": "sales"}, ["clear"]),
    ({"task_id": "load"}, ["clear"]),
    ({"run_id": "r2"}, ["trigger_dag_run"]),
    ({"map_index": 1}, ["clear"]),
    ({"try_number": 2}, ["clear"]),
    ({"owner": "anna"}, ["clear", "post_pool"]),
    ({"event": "clear"}, ["clear"]),
    ({"included_events": ["clear", "post_pool"]}, ["clear", "post_pool"]),
    ({"excluded_events": ["clear", "post_pool"]}, ["trigger_dag_run", "cli_pools_set"]),
    ({"before": "2026-01-01T00:01:00Z"}, ["clear"]),
    ({"after": "2026-01-01T00:01:00"}, ["cli_pools_set", "post_pool"]),
    ({"dag_id_pattern": "s%k"}, ["trigger_dag_run"]),
    ({"task_id_pattern": "LOA"}, ["clear"]),
    ({"run_id_pattern": "r1|r2"}, ["clear", "trigger_dag_run"]),
    ({"owner_pattern": "ert"}, ["trigger_dag_run"]),
    ({"event_pattern": "pool"}, ["cli_pools_set", "post_pool"]),
    ({"dag_id_prefix_pattern": "s"}, ["clear", "trigger_dag_run"]),
    ({"task_id_prefix_pattern": "lo"}, ["clear"]),
    ({"run_id_prefix_pattern": "r"}, ["clear", "trigger_dag_run"]),
    ({"owner_prefix_pattern": "a"}, ["clear", "post_pool"]),
    ({"event_prefix_pattern": "cli_"}, ["cli_pools_set"]),
]


@pytest.mark.usefixtures("written")
def test_entries_are_found_by_what_they_say(client: TestClient) -> None:
    found = [(parameters, [entry["event"] for entry in entries(client, **parameters)]) for parameters, _ in FOUND]

    assert found == FOUND


@pytest.mark.usefixtures("written")
def test_all_are_counted_whatever_the_page(client: TestClient) -> None:
    assert client.get(LOGS, params={"limit": 1}).json()["total_entries"] == 4


def test_what_makes_no_sense_is_refused(client: TestClient) -> None:
    asked = {
        f"{LOGS}/999": 404,
        f"{LOGS}/x": 422,
        f"{LOGS}?order_by=nonsense": 400,
        f"{LOGS}?limit=-1": 422,
        f"{LOGS}?before=yesterday": 422,
    }

    assert {path: client.get(path).status_code for path in asked} == asked
    # Databases differ in whether a number that they cannot hold is refused or just not found.
    assert client.get(f"{LOGS}?map_index=99999999999999999999").status_code in (200, 400)


def test_the_log_is_for_those_who_run_the_place(connect: Connect) -> None:
    """CVE-2026-46764: entries that a list hides were shown one by one."""
    for role, status in ((None, 401), ("guest", 403), ("viewer", 403), ("user", 403), ("op", 200)):
        assert connect(role).get(LOGS).status_code == status
        assert connect(role).get(f"{LOGS}/1").status_code == (404 if status == 200 else status)
