"""Assets, their updates and what is kept about them by the REST API (B1, C2)."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.model.asset import AllAssets, AssetAliasRef, AssetRef, WatcherRef
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import OutletEvent
from tradewind.model.dag import Task
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.operations import post_webhook
from tradewind.operations.record_asset_events import AssetUpdate, record_asset_events
from tradewind.operations.register_assets import forget_assets
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.secrets.encryption import Encryption

ASSETS = "/api/v2/assets"
ORDERS = AssetRef("orders", "s3://orders", extra={"owner": "sales", "api_key": "hushhush"})
STOCK = AssetRef("stock", "s3://stock", group="g")
RAW = AssetRef("raw", "file:///raw")


@pytest.fixture
def world(any_world: World) -> World:
    """`sales` makes orders of raw, `stock_1` and `stock_2` make stock, `report` waits for both."""
    any_world.dag(Task("load", inlets=(RAW,), outlets=(ORDERS, AssetAliasRef("alias", "g"))))
    for dag_id in ("stock_1", "stock_2"):
        any_world.dag(Task("load", outlets=(STOCK,)), dag_id=dag_id)
    any_world.dag(Task("read", inlets=(ORDERS,)), dag_id="report", assets=AllAssets((ORDERS, STOCK)))
    any_world.trigger()
    return any_world


def ids(client: TestClient, **query: Any) -> dict[str, int]:
    answer = client.get(ASSETS, params=query)
    assert answer.status_code == 200, answer.text
    return {each["name"]: each["id"] for each in answer.json()["assets"]}


def asker(world: World) -> Asker:
    return Asker(TaskKey(world.run("r1").key, "load", UNMAPPED), "sales", "r1")


def update(world: World, *events: OutletEvent) -> None:
    """The task of the DAG sales has updated these."""
    updates = [AssetUpdate(asker(world), event) for event in events]
    with world.database.begin() as tx:
        record_asset_events(tx, updates, world.clock.now())


def test_an_asset_is_shown_with_all_that_name_it(client: TestClient, world: World) -> None:
    update(world, OutletEvent(name="orders", uri="s3://orders", alias="alias"))
    at = world.clock.now().isoformat().replace("+00:00", "Z")
    dated = {"created_at": at, "updated_at": at}

    shown = client.get(f"{ASSETS}/{ids(client)['orders']}").json()
    aliases = client.get(f"{ASSETS}/aliases").json()

    (event,) = client.get(f"{ASSETS}/events").json()["asset_events"]
    assert shown == {
        "id": shown["id"],
        "name": "orders",
        "uri": "s3://orders",
        "group": "asset",
        "extra": {"owner": "sales", "api_key": "***"},
        **dated,
        "scheduled_dags": [{"dag_id": "report", **dated}],
        "producing_tasks": [{"dag_id": "sales", "task_id": "load", **dated}],
        "consuming_tasks": [{"dag_id": "report", "task_id": "read", **dated}],
        "aliases": aliases["asset_aliases"],
        "watchers": [],
        "last_asset_event": {"id": event["id"], "timestamp": at},
    }
    (alias,) = aliases["asset_aliases"]
    assert (alias["name"], alias["group"], aliases["total_entries"]) == ("alias", "g", 1)
    assert client.get(f"{ASSETS}/aliases/{alias['id']}").json() == alias
    assert client.get(f"{ASSETS}/{ids(client)['raw']}").json()["last_asset_event"] == {"id": None, "timestamp": None}


def test_assets_are_listed_by_pages_order_names_and_dags(client: TestClient, world: World) -> None:
    assert set(ids(client)) == {"orders", "stock", "raw"}
    assert list(ids(client, order_by="-name", limit=2)) == ["stock", "raw"]
    assert list(ids(client, order_by="name", offset=1)) == ["raw", "stock"]
    assert set(ids(client, name_pattern="OR|aw")) == {"orders", "raw"}
    assert set(ids(client, name_prefix_pattern="st")) == {"stock"}
    assert set(ids(client, uri_pattern="S3")) == {"orders", "stock"}
    assert set(ids(client, uri_prefix_pattern="file:")) == {"raw"}
    assert set(ids(client, dag_ids=["sales"])) == {"orders", "raw"}
    assert set(ids(client, dag_ids=["report", "stock_1"])) == {"orders", "stock"}
    assert ids(client, dag_ids=["unknown"]) == {}
    assert client.get(ASSETS, params={"limit": 1}).json()["total_entries"] == 3

    with world.database.begin() as tx:
        forget_assets(tx, ["sales"])
    assert set(ids(client)) == {"orders", "stock"}
    assert set(ids(client, only_active=False)) == {"orders", "stock", "raw"}


def test_updates_are_listed_by_who_said_so_and_when(client: TestClient, world: World) -> None:
    update(world, OutletEvent(name="orders", uri="s3://orders", extra={"rows": 1, "token": "hushhush"}))
    world.clock.advance(60)
    later = world.clock.now()
    known = ids(client)
    by_hand = client.post(f"{ASSETS}/events", json={"asset_id": known["stock"], "extra": {"rows": 2}})

    def names(**query: Any) -> list[str]:
        answer = client.get(f"{ASSETS}/events", params=query)
        assert answer.status_code == 200, answer.text
        assert answer.json()["total_entries"] == len(answer.json()["asset_events"])
        return [event["name"] for event in answer.json()["asset_events"]]

    events = client.get(f"{ASSETS}/events").json()["asset_events"]
    assert events[0] == {
        "id": events[0]["id"],
        "asset_id": known["orders"],
        "uri": "s3://orders",
        "name": "orders",
        "group": "asset",
        "extra": {"rows": 1, "token": "***"},
        "source_task_id": "load",
        "source_dag_id": "sales",
        "source_run_id": "r1",
        "source_map_index": -1,
        "created_dagruns": [],
        "timestamp": events[0]["timestamp"],
        "partition_key": None,
    }
    assert (by_hand.status_code, events[1]) == (200, by_hand.json())
    assert (events[1]["source_dag_id"], events[1]["extra"]) == (None, {"rows": 2, "from_rest_api": True})
    assert names(order_by="-timestamp") == ["stock", "orders"]
    assert names(asset_id=known["stock"]) == ["stock"]
    assert names(source_dag_id="sales", source_task_id="load", source_run_id="r1", source_map_index=-1) == ["orders"]
    assert names(source_dag_id="other") == []
    assert names(name_pattern="ORD") == ["orders"]
    assert names(name_prefix_pattern="st") == ["stock"]
    assert names(timestamp_gte=later.isoformat()) == ["stock"]
    assert names(timestamp_lt=later.replace(tzinfo=None).isoformat()) == ["orders"]


def test_an_asset_is_made_by_the_one_dag_that_updates_it(client: TestClient, world: World) -> None:
    known = ids(client)
    at = "2026-01-01T00:00:00Z"

    run = client.post(f"{ASSETS}/{known['orders']}/materialize", json={"conf": {"a": 1}, "note": "now"})
    assert run.status_code == 200, run.text
    assert {name: run.json()[name] for name in ("dag_id", "run_type", "triggered_by", "triggering_user_name")} == {
        "dag_id": "sales",
        "run_type": "asset_materialization",
        "triggered_by": "rest_api",
        "triggering_user_name": "admin",
    }
    assert (run.json()["conf"], run.json()["note"], run.json()["state"]) == ({"a": 1}, "now", "queued")
    named = {"dag_run_id": "mine", "logical_date": at}
    assert client.post(f"{ASSETS}/{known['orders']}/materialize", json=named).json()["dag_run_id"] == "mine"
    assert client.post(f"{ASSETS}/{known['orders']}/materialize").status_code == 200

    def status(asset_id: int, **body: Any) -> int:
        return client.post(f"{ASSETS}/{asset_id}/materialize", json=body).status_code

    assert status(known["orders"], **named) == 409
    assert status(known["orders"], dag_run_id="a b") == 400
    assert status(known["orders"], partition_key="p") == 400
    assert status(known["orders"], data_interval_start=at) == 422
    assert status(known["stock"]) == 409
    assert status(known["raw"]) == 404
    assert status(10**9) == 404


def test_no_update_waits_for_a_run(client: TestClient, world: World) -> None:
    asset_id = ids(client)["orders"]
    nothing = {"queued_events": [], "total_entries": 0}
    of_asset, of_dag = f"{ASSETS}/{asset_id}/queuedEvents", "/api/v2/dags/report/assets/queuedEvents"
    of_both = f"/api/v2/dags/report/assets/{asset_id}/queuedEvents"

    assert [client.get(path).json() for path in (of_asset, of_dag)] == [nothing, nothing]
    assert client.get(of_both).status_code == 404
    assert [client.delete(path).status_code for path in (of_asset, of_dag, of_both)] == [404] * 3
    assert client.get(of_asset, params={"before": "2026-01-01T00:00:00Z"}).status_code == 200
    assert client.get(of_asset, params={"before": "yesterday"}).status_code == 400


def test_values_about_an_asset_are_kept(client: TestClient, world: World) -> None:
    values = f"{ASSETS}/{ids(client)['orders']}/state-store"
    who = asker(world)
    with world.database.begin() as tx:
        runtime = StoredRuntime(tx, who, now=world.clock.now(), structures=world.structures, secrets=Encryption())
        runtime.set_asset_state("cursor", [1], name="orders")

    assert client.put(f"{values}/a/b", json={"value": {"page": 2}}).status_code == 204
    listed = client.get(values).json()
    assert [(each["key"], each["value"]) for each in listed["asset_state_store"]] == [
        ("a/b", {"page": 2}),
        ("cursor", [1]),
    ]
    assert [each["last_updated_by"] for each in listed["asset_state_store"]] == [
        {"kind": "api", "dag_id": None, "run_id": None, "task_id": None, "map_index": None},
        {"kind": "task", "dag_id": "sales", "run_id": "r1", "task_id": "load", "map_index": -1},
    ]
    assert client.get(f"{values}/a/b").json() == listed["asset_state_store"][0]
    assert client.get(values, params={"limit": 1, "offset": 1}).json()["total_entries"] == 2

    assert client.delete(f"{values}/cursor").status_code == 204
    assert client.delete(f"{values}/cursor").status_code == 204
    assert client.get(f"{values}/cursor").status_code == 404
    assert client.delete(values).status_code == 204
    assert client.get(values).json() == {"asset_state_store": [], "total_entries": 0}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/999", None, 404),
        ("GET", "/none", None, 422),
        ("GET", "/aliases/999", None, 404),
        ("GET", "?order_by=secret", None, 400),
        ("GET", "/events?order_by=extra", None, 400),
        ("GET", "/events?timestamp_gte=yesterday", None, 422),
        ("POST", "/events", {"asset_id": 999}, 404),
        ("POST", "/events", {"asset_id": 1, "partition_key": " "}, 422),
        ("POST", "/events", {"asset_id": 1, "colour": "red"}, 422),
        ("GET", "/999/state-store", None, 404),
        ("GET", "/999/state-store/a", None, 404),
        ("PUT", "/999/state-store/a", {"value": 1}, 404),
        ("DELETE", "/999/state-store/a", None, 404),
        ("DELETE", "/999/state-store", None, 404),
        ("PUT", "/1/state-store/a", {"value": None}, 422),
        ("PUT", "/1/state-store/a", {}, 422),
        ("PUT", "/1/state-store/a", {"value": "x" * 65_535}, 422),
        ("PUT", f"/1/state-store/{'k' * 513}", {"value": 1}, 422),
    ],
)
def test_what_makes_no_sense_is_refused(
    client: TestClient, method: str, path: str, body: dict[str, Any] | None, status: int
) -> None:
    answer = client.request(method, f"{ASSETS}{path}", json=body)

    assert answer.status_code == status, answer.text
    assert answer.json()["detail"]


def test_ids_and_texts_that_no_asset_can_have_find_none(client: TestClient, world: World) -> None:
    for path in ("/99999999999999999999", "/99999999999999999999/state-store", "/aliases/99999999999999999999"):
        assert client.get(f"{ASSETS}{path}").status_code in {400, 404}
    assert ids(client, name_pattern="größer 😀") == {}
    assert ids(client, uri_prefix_pattern="größer 😀") == {}
    odd = client.get(f"{ASSETS}/events", params={"name_pattern": "ü", "source_dag_id": "ü", "source_map_index": 10**30})
    assert odd.status_code in {200, 400}


def test_who_may(connect: Connect, world: World) -> None:
    viewer, user = connect("viewer"), connect("user")
    asset_id = ids(viewer)["orders"]
    assert connect(None).get(ASSETS).status_code == 401
    assert connect("guest").get(ASSETS).status_code == 403
    assert connect("guest").get("/api/v2/dags/granted/assets/queuedEvents").status_code == 200
    assert connect("guest").get("/api/v2/dags/report/assets/queuedEvents").status_code == 403
    assert viewer.post(f"{ASSETS}/events", json={"asset_id": asset_id}).status_code == 403
    assert viewer.post(f"{ASSETS}/{asset_id}/materialize").status_code == 403
    assert viewer.put(f"{ASSETS}/{asset_id}/state-store/a", json={"value": 1}).status_code == 403
    assert user.post(f"{ASSETS}/events", json={"asset_id": asset_id}).status_code == 200
    assert user.post(f"{ASSETS}/{asset_id}/materialize").status_code == 200
    assert user.delete(f"{ASSETS}/{asset_id}/state-store").status_code == 204
    assert viewer.delete(f"{ASSETS}/{asset_id}/state-store").status_code == 403


@pytest.mark.parametrize("text", ["\u00e9", "\U0001f600", "orders\u202e", "%\u00e9"])
def test_text_that_no_asset_can_have_is_looked_for_in_vain(client: TestClient, world: World, text: str) -> None:
    """On MySQL, where names of assets are ASCII, it may not even be compared with one."""
    for name in ("name_pattern", "name_prefix_pattern", "uri_pattern", "uri_prefix_pattern"):
        assert ids(client, **{name: text}) == {}
    assert client.get(f"{ASSETS}/aliases", params={"name_pattern": text}).json()["total_entries"] == 0
    assert client.get(f"{ASSETS}/events", params={"name_pattern": text}).json()["total_entries"] == 0
    assert client.get("/api/v2/dags", params={"asset_dependency": text}).json()["total_entries"] == 0
    runs = client.get("/api/v2/dags/~/dagRuns", params={"consuming_asset_pattern": text})
    assert (runs.status_code, runs.json()["total_entries"]) == (200, 0)
    assert set(ids(client, name_prefix_pattern="or")) == {"orders"}
    with world.database.begin() as tx:
        assert tx.assets.find(name=text) is None
        assert tx.assets.find(uri=text) is None
        assert tx.assets.named([text, "orders"], [text]) == tx.assets.named(["orders"], [])


def test_an_asset_is_shown_with_its_watchers(client: TestClient, world: World) -> None:
    """One that several DAGs declare is one."""
    bell = WatcherRef("bell", "bells.Bell", {"token": "hush"})
    watched = AssetRef("watched", "file:///watched", watchers=(bell,))
    for dag_id in ("one", "two"):
        world.dag(Task("load"), dag_id=dag_id, assets=watched)

    answer = client.get(f"{ASSETS}/{ids(client)['watched']}")

    (shown,) = answer.json()["watchers"]
    assert (shown["name"], set(shown)) == ("bell", {"name", "trigger_id", "created_date"})
    assert "hush" not in answer.text


def test_what_is_posted_to_a_webhook_waits_for_its_watcher(client: TestClient, world: World) -> None:
    """Any JSON; nothing else, and not without end."""
    assert client.post("/webhooks/orders", json={"n": [1, None]}).status_code == 202
    assert client.post("/webhooks/orders", content=b"no json").status_code == 422
    with world.database.begin() as tx:
        ((_, body),) = tx.watchers.posted("orders", 0, 9)
        assert body == '{"n": [1, null]}'


def test_a_webhook_that_nobody_serves_is_full_some_day(
    client: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post_webhook, "MOST_WAITING", 1)

    assert [client.post("/webhooks/orders", json=number).status_code for number in (1, 2)] == [202, 409]
