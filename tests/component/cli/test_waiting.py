"""`tradewind dags waiting`: ticks that wait for assets (A7, C4)."""

from tests.component.cli.deployment import CliDeployment
from tests.instants import utc
from tradewind.bootstrap import wired
from tradewind.model.asset import AllAssets, AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.slot import NewSlot
from tradewind.model.timetable import AssetAndTime, CronTrigger, RunInfo
from tradewind.operations.record_asset_events import record_outside_event
from tradewind.settings import load_settings

ORDERS, STOCK = AssetRef("orders", "s3://orders"), AssetRef("stock", "s3://stock")
HOURLY = Dag(
    "hourly",
    tasks=(Task("a"),),
    timetable=AssetAndTime(CronTrigger("0 * * * *")),
    assets=AllAssets((ORDERS, STOCK)),
)


def test_ticks_are_listed_with_what_they_wait_for(deployment: CliDeployment) -> None:
    deployment.publish(HOURLY)
    assert deployment.rows("dags", "waiting") == []
    tick = utc("2026-01-01T01:00")
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        tx.slots.add([NewSlot("hourly", RunInfo(tick, None), deadline_at=utc("2026-01-01T02:00"))], tick)

    (row,) = deployment.rows("dags", "waiting", "hourly")

    assert (row["dag_id"], row["missing"]) == ("hourly", "orders & stock")
    assert row["tick"].startswith("2026-01-01T01:00")
    assert row["deadline"].startswith("2026-01-01T02:00")
    assert deployment.rows("dags", "waiting") == [row]
    assert "waits for an update of orders & stock" in " ".join(deployment.run("dags", "explain", "hourly").split())
    assert "no DAG" in deployment.run("dags", "waiting", "none", code=1)


def test_updates_that_no_scheduler_has_handed_out_are_not_missing(deployment: CliDeployment) -> None:
    """C4."""
    deployment.publish(HOURLY)
    tick = utc("2026-01-01T01:00")
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        tx.slots.add([NewSlot("hourly", RunInfo(tick, None))], tick)
        (orders,) = tx.assets.named(["orders"], [])
        record_outside_event(tx, orders.key, extra={}, partition_key=None, now=tick)

    (row,) = deployment.rows("dags", "waiting", "hourly")

    assert row["missing"] == "stock"
    assert "waits for an update of stock" in " ".join(deployment.run("dags", "explain", "hourly").split())
