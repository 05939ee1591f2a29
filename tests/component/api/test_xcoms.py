"""XComs, extra links and what tasks remember, by the REST API (B1)."""

import json
import math
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.model.dag import Task
from tradewind.model.ids import TaskKey
from tradewind.storage.interface.kept_stores import XComValue

OF_RUN = "/api/v2/dags/sales/dagRuns/r1/taskInstances"
XCOMS = f"{OF_RUN}/a/xcomEntries"
STATES = f"{OF_RUN}/a/state-store"
DATE = {"__classname__": "datetime.datetime", "__version__": 2, "__data__": {"timestamp": 1.5, "tz": None}}


@pytest.fixture
def sales(any_world: World) -> World:
    links: Any = {"extra_links": ["Console", "Evil", "Missing"], "extra_link_keys": ["_link_C", "_link_E", "_link_M"]}
    any_world.dag(Task("a", details=links), Task("b", display_name="B!"))
    any_world.trigger()
    return any_world


def leave(world: World, key: str, value: Any, task_id: str = "a", map_index: int = -1) -> None:
    task = TaskKey(world.run().key, task_id, map_index)
    with world.database.begin() as tx:
        tx.xcoms.put([XComValue(task, key, value)], world.clock.now())


def test_an_xcom_is_made_shown_changed_and_deleted(client: TestClient, sales: World) -> None:
    made = client.post(XCOMS, json={"key": "some/key", "value": {"a": [1, None]}})
    assert (made.status_code, made.json()["value"]) == (201, {"a": [1, None]})

    assert client.patch(f"{XCOMS}/some/key", json={"value": "new"}).json()["value"] == "new"
    assert client.get(f"{XCOMS}/some/key").json() == {
        "key": "some/key",
        "timestamp": "2026-01-01T00:00:00Z",
        "logical_date": None,
        "map_index": -1,
        "task_id": "a",
        "dag_id": "sales",
        "run_id": "r1",
        "dag_display_name": "sales",
        "task_display_name": "a",
        "run_after": "2026-01-01T00:00:00Z",
        "value": "new",
    }

    assert client.delete(f"{XCOMS}/some/key").status_code == 204
    assert client.get(f"{XCOMS}/some/key").status_code == 404


VALUES: list[tuple[Any, Any, str | None, Any]] = [
    # (as stored, as shown, as a text, put into words); None where another row says it
    (None, None, None, None),
    ("ü", "ü", "ü", "ü"),
    ({"a": 1}, {"a": 1}, '{"a": 1}', {"a": 1}),
    (2**70, 2**70, str(2**70), 2**70),
    ([math.nan, math.inf], [None, None], "[NaN, Infinity]", [None, None]),
    ("\ud800", "\ud800", "\ud800", "\ud800"),
    ([DATE], [DATE], None, ["datetime.datetime@version=2(timestamp=1.5,tz=None)"]),
    ({"__classname__": "builtins.tuple", "__version__": 1, "__data__": [1]}, None, None, [1]),
]


def test_a_value_is_shown_as_it_is_stored(client: TestClient, sales: World) -> None:
    for value, plain, text, deserialized in VALUES:
        leave(sales, "k", value)
        if plain is not None:
            assert client.get(f"{XCOMS}/k").json()["value"] == plain
        if text is not None:
            assert client.get(f"{XCOMS}/k", params={"stringify": True}).json()["value"] == text
        assert client.get(f"{XCOMS}/k", params={"deserialize": True}).json()["value"] == deserialized


def test_xcoms_are_listed_by_what_is_asked_for(client: TestClient, sales: World) -> None:
    for key in ("return_value", "other"):
        leave(sales, key, 1)
    leave(sales, "return_value", 2, "b")

    def keys(path: str = XCOMS, **query: Any) -> list[str]:
        answer = client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        assert all("value" not in entry for entry in answer.json()["xcom_entries"])
        return [f"{entry['task_id']}.{entry['key']}" for entry in answer.json()["xcom_entries"]]

    everywhere = "/api/v2/dags/~/dagRuns/~/taskInstances/~/xcomEntries"
    assert keys() == ["a.other", "a.return_value"]
    assert keys(xcom_key="other") == ["a.other"]
    assert keys(f"{OF_RUN}/~/xcomEntries", order_by=["-task_id"]) == ["b.return_value", "a.return_value", "a.other"]
    assert keys(everywhere, xcom_key_pattern="RETURN") == ["a.return_value", "b.return_value"]
    assert keys(everywhere, xcom_key_prefix_pattern="oth") == ["a.other"]
    assert keys(everywhere, run_id_pattern="r2") == []
    assert keys(everywhere, task_id_prefix_pattern="b") == ["b.return_value"]
    assert keys(everywhere, map_index=0) == keys(everywhere, map_index_filter=0) == []
    assert keys(everywhere, run_after_gt="2026-01-01T00:00:00Z") == []
    assert keys(everywhere, limit=1, offset=1) == ["a.return_value"]
    assert client.get(XCOMS.replace("r1", "r9")).status_code == 404


NONSENSE: list[tuple[str, dict[str, Any], int]] = [
    (XCOMS, {"key": "k"}, 422),
    (XCOMS, {"key": "", "value": 1}, 400),
    (XCOMS, {"key": "\ud800", "value": 1}, 400),
    (XCOMS, {"key": "a\0b", "value": 1}, 400),
    (XCOMS, {"key": "x" * 600, "value": 1}, 400),
    (XCOMS, {"key": "k", "value": [{"__classname__": "os.system"}]}, 400),
    (XCOMS, {"key": "there", "value": 1}, 409),
    (XCOMS, {"key": "k", "value": 1, "map_index": 3}, 404),
    (f"{OF_RUN}/nothing/xcomEntries", {"key": "k", "value": 1}, 404),
]


def test_what_makes_no_sense_is_refused(client: TestClient, sales: World) -> None:
    leave(sales, "there", 1)

    statuses = [
        client.post(path, content=json.dumps(body), headers={"content-type": "application/json"}).status_code
        for path, body, _ in NONSENSE
    ]

    assert statuses == [status for _, _, status in NONSENSE]


def test_links_are_what_the_task_left(client: TestClient, sales: World) -> None:
    leave(sales, "_link_C", "https://console.example/1")
    leave(sales, "_link_E", "javascript:alert(1)")

    answer = client.get(f"{OF_RUN}/a/links").json()

    assert answer["extra_links"] == {"Console": "https://console.example/1", "Evil": None, "Missing": None}
    assert answer["total_entries"] == 3
    assert client.get(f"{OF_RUN}/b/links").json()["extra_links"] == {}
    assert client.get(f"{OF_RUN}/c/links").status_code == 404


def test_what_a_task_remembers(client: TestClient, sales: World) -> None:
    assert client.put(f"{STATES}/job/id", json={"value": {"n": 1}}).status_code == 204
    assert client.put(f"{STATES}/other", json={"value": None, "expires_at": None}).status_code == 204
    at = (sales.clock.now() + timedelta(hours=1)).isoformat()
    assert client.put(f"{STATES}/short", json={"value": 1, "expires_at": at}).status_code == 204

    shown = client.get(f"{STATES}/job/id").json()
    assert (shown["value"], shown["expires_at"]) == ({"n": 1}, "2026-01-31T00:00:00+00:00")
    changed = client.patch(f"{STATES}/job/id", json={"value": 2})
    assert (changed.status_code, changed.json()) == (200, None)
    assert client.get(f"{STATES}/job/id").json() == {**shown, "value": 2}
    sales.clock.advance(7200)
    listed = client.get(STATES).json()
    assert ([each["key"] for each in listed["task_state_store"]], listed["total_entries"]) == (["job/id", "other"], 2)

    assert client.delete(f"{STATES}/other").status_code == 204
    assert client.delete(f"{STATES}/other").status_code == 204
    assert client.delete(STATES, params={"all_map_indices": True}).status_code == 204
    assert client.get(STATES).json()["total_entries"] == 0


def test_what_nobody_remembers(client: TestClient, sales: World) -> None:
    assert client.get(f"{STATES}/k").status_code == 404
    assert client.patch(f"{STATES}/k", json={"value": 1}).status_code == 404
    assert client.put(f"{OF_RUN}/nothing/state-store/k", json={"value": 1}).status_code == 404
    assert client.put(f"{STATES}/k", json={"value": 1, "expires_at": "2020-01-01T00:00:00Z"}).status_code == 400
    assert client.put(f"{STATES}/k", json={"value": 1, "expires_at": "soon"}).status_code == 422


def test_who_may(connect: Connect, sales: World) -> None:
    leave(sales, "k", 1)
    viewer, guest = connect("viewer"), connect("guest")
    assert viewer.get(f"{XCOMS}/k").status_code == 200
    assert viewer.post(XCOMS, json={"key": "x", "value": 1}).status_code == 403
    assert viewer.put(f"{STATES}/k", json={"value": 1}).status_code == 403
    assert guest.get(XCOMS).status_code == 403
    assert guest.get("/api/v2/dags/~/dagRuns/~/taskInstances/~/xcomEntries").json()["total_entries"] == 0
    assert connect(None).get(XCOMS).status_code == 401
