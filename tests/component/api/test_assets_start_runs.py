"""Runs that updates of assets brought into being, and ticks that wait, by the REST API (B1, C2, C4)."""

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tests.instants import utc
from tradewind.model.asset import AllAssets, AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import AssetAndTime, AssetOrTime, AssetTriggered, CronTrigger, Delta
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.storage.interface.shared_stores import NewAssetEvent

ASSETS = "/api/v2/assets"
ORDERS = AssetRef("orders", "s3://orders")
STOCK = AssetRef("stock", "s3://stock")


@pytest.fixture
def world(any_world: World) -> World:
    """`report` waits for orders, `both` for orders and stock, `hourly` for orders and its tick."""
    any_world.dag(Task("load", outlets=(ORDERS, STOCK)))
    tasks = (Task("read"),)
    any_world.publish(Dag("report", tasks=tasks, timetable=AssetTriggered(), assets=ORDERS))
    any_world.publish(Dag("both", tasks=tasks, timetable=AssetTriggered(), assets=AllAssets((ORDERS, STOCK))))
    any_world.publish(
        Dag(
            "hourly",
            tasks=tasks,
            timetable=AssetAndTime(CronTrigger("0 * * * *"), deadline=Delta.of(timedelta(minutes=30))),
            assets=AllAssets((ORDERS, STOCK)),
            start_at=utc("2026-01-01T00:00:01"),
        )
    )
    any_world.scheduler()
    any_world.settle()
    return any_world


def update(client: TestClient, name: str) -> int:
    """Somebody tells of an update. Returns the id of the asset."""
    (asset,) = client.get(ASSETS, params={"name_pattern": name}).json()["assets"]
    answer = client.post(f"{ASSETS}/events", json={"asset_id": asset["id"], "extra": {"rows": 7}})
    assert answer.status_code == 200, answer.text
    asset_id: int = asset["id"]
    return asset_id


def test_an_update_and_its_run_know_each_other(client: TestClient, world: World) -> None:
    """C2."""
    update(client, "orders")
    world.settle()

    (run,) = client.get("/api/v2/dags/report/dagRuns").json()["dag_runs"]
    assert (run["run_type"], run["triggered_by"], run["logical_date"]) == ("asset_triggered", "asset", None)
    consumed = client.get(f"/api/v2/dags/report/dagRuns/{run['dag_run_id']}/upstreamAssetEvents").json()
    (event,) = consumed["asset_events"]
    assert (consumed["total_entries"], event["name"]) == (1, "orders")
    assert event["extra"] == {"rows": 7, "from_rest_api": True}
    (reference,) = event["created_dagruns"]
    assert (reference["dag_id"], reference["run_id"], reference["state"]) == ("report", run["dag_run_id"], "success")
    (listed,) = client.get(f"{ASSETS}/events").json()["asset_events"]
    assert listed == event


def test_all_updates_of_a_run_are_told_however_many(client: TestClient, world: World) -> None:
    """C2: the server reads them in pages, and the client gets one answer."""
    world.pause("report")  # which would have a run for each of them
    with world.database.begin() as tx:
        orders, stock = (
            record.key for record in sorted(tx.assets.named(["orders", "stock"], []), key=lambda r: r.name)
        )
        extra = {"words": 'a "quoted" — one'}
        keys = add_asset_events(tx, [NewAssetEvent(asset_key=orders, extra=extra)] * 2_100, world.clock.now())
        keys += add_asset_events(tx, [NewAssetEvent(asset_key=stock)], world.clock.now())
    world.settle()

    (run,) = client.get("/api/v2/dags/both/dagRuns").json()["dag_runs"]
    answer = client.get(f"/api/v2/dags/both/dagRuns/{run['dag_run_id']}/upstreamAssetEvents")

    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    consumed = answer.json()
    assert consumed["total_entries"] == 2_101
    assert [event["id"] for event in consumed["asset_events"]] == keys
    assert consumed["asset_events"][2_000]["extra"] == extra
    assert consumed["asset_events"][0] == client.get(f"{ASSETS}/events?limit=1").json()["asset_events"][0]


def test_runs_are_found_by_the_assets_that_they_were_made_for(client: TestClient, world: World) -> None:
    update(client, "orders")
    world.settle()

    for text, number in (("orders", 1), ("s3://ord", 1), ("stock", 0)):
        found = client.get("/api/v2/dags/~/dagRuns", params={"consuming_asset_pattern": text}).json()
        assert found["total_entries"] == number


def test_updates_that_wait_are_listed_and_forgotten(client: TestClient, world: World) -> None:
    """C2."""
    asset_id = update(client, "orders")
    update(client, "orders")
    world.settle()
    of_dag, of_asset = "/api/v2/dags/both/assets/queuedEvents", f"{ASSETS}/{asset_id}/queuedEvents"
    of_both = f"/api/v2/dags/both/assets/{asset_id}/queuedEvents"
    at = world.clock.now().isoformat().replace("+00:00", "Z")

    shown = {"dag_id": "both", "asset_id": asset_id, "created_at": at, "dag_display_name": "both"}
    assert client.get(of_dag).json() == {"queued_events": [shown], "total_entries": 1}
    assert client.get(of_both).json() == shown
    assert [each["dag_id"] for each in client.get(of_asset).json()["queued_events"]] == ["both", "hourly"]
    assert client.get(of_dag, params={"before": "2025-01-01T00:00:00"}).json()["total_entries"] == 0
    assert client.get(of_both, params={"before": "2025-01-01T00:00:00Z"}).status_code == 404
    assert client.delete(of_both, params={"before": "2025-01-01T00:00:00Z"}).status_code == 404
    assert client.delete(of_both).status_code == 204
    assert client.delete(of_both).status_code == client.delete(of_dag).status_code == 404
    assert client.delete(of_asset).status_code == 204
    assert client.delete(of_asset).status_code == 404

    update(client, "stock")
    world.settle()
    assert client.get("/api/v2/dags/both/dagRuns").json()["total_entries"] == 0


def test_who_may_run_a_dag_may_forget_what_waits_for_it(connect: Connect, world: World) -> None:
    viewer, op = connect("viewer"), connect("op")
    update(op, "orders")
    world.settle()
    path = "/api/v2/dags/both/assets/queuedEvents"

    assert viewer.get(path).json()["total_entries"] == 1
    assert viewer.delete(path).status_code == 403
    assert op.delete(path).status_code == 204


def test_what_a_dag_waits_for_is_explained(client: TestClient, world: World) -> None:
    """C2: which assets are missing."""
    update(client, "orders")
    world.settle()

    reasons = client.get("/api/v2/dags/both/explain").json()["reasons"]

    assert [(reason["code"], reason["details"]["missing"]) for reason in reasons] == [("assets_missing", "stock")]
    assert reasons[0]["text"] == "the DAG waits for an update of stock"


def test_a_dag_whose_list_of_assets_is_empty_waits_for_none(client: TestClient, world: World) -> None:
    """C3: as in Airflow, it runs by time."""
    timetable = AssetOrTime(CronTrigger("@hourly"))
    world.dag(Task("a"), dag_id="empty", timetable=timetable, assets=AllAssets(()), start_at=utc("2026-01-01"))
    world.pass_time(3600)

    assert len(world.runs("empty")) == 2
    reasons = client.get("/api/v2/dags/empty/explain").json()["reasons"]
    assert [reason["code"] for reason in reasons] == ["not_due"]


def test_updates_count_in_an_explanation_before_a_scheduler_has_handed_them_out(
    client: TestClient, world: World
) -> None:
    """C2: while none runs, who asks what is missing shall not be told of what is there."""
    update(client, "orders")

    (reason,) = client.get("/api/v2/dags/both/explain").json()["reasons"]
    assert (reason["code"], reason["details"]["missing"]) == ("assets_missing", "stock")

    update(client, "stock")

    assert client.get("/api/v2/dags/both/explain").json()["reasons"] == []
    assert world.runs("both") == []


def test_ticks_that_wait_are_shown_with_what_is_missing(client: TestClient, world: World) -> None:
    """C4."""
    world.pass_time(3600)
    update(client, "orders")
    world.settle()

    answer = client.get("/api/v2/dags/hourly/slots").json()

    (slot,) = answer["slots"]
    assert (slot["dag_id"], slot["state"], slot["run_after"]) == ("hourly", "waiting", "2026-01-01T01:00:00Z")
    assert (slot["logical_date"], slot["deadline_at"]) == ("2026-01-01T01:00:00Z", "2026-01-01T01:30:00Z")
    assert (slot["missing"], slot["missing_assets"]) == ("stock", ["stock"])
    reasons = client.get("/api/v2/dags/hourly/explain").json()["reasons"]
    assert ("slot_waiting", "stock") in [(each["code"], each["details"].get("missing")) for each in reasons]
    assert client.get("/api/v2/dags/~/slots", params={"state": "open"}).json() == {"slots": [], "total_entries": 0}

    update(client, "stock")
    world.settle()

    (slot,) = client.get("/api/v2/dags/~/slots", params={"state": "open"}).json()["slots"]
    assert (slot["dag_run_id"], slot["missing"]) == ("scheduled__2026-01-01T01:00:00+00:00", None)
    assert client.get("/api/v2/dags/hourly/slots", params={"state": "lost"}).status_code == 422
    assert client.get("/api/v2/dags/none/slots").status_code == 404


def test_who_may_not_see_a_dag_does_not_see_its_ticks(connect: Connect, world: World) -> None:
    world.pass_time(3600)

    assert connect("viewer").get("/api/v2/dags/~/slots").json()["total_entries"] == 1
    assert connect("guest").get("/api/v2/dags/hourly/slots").status_code == 403
    assert connect("guest").get("/api/v2/dags/~/slots").json()["total_entries"] == 0
