"""Whether runs keep up with an asset that is updated all the time, where many DAGs wait for it."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import sqlalchemy as sa

from benchmarks.figures import Figure, at_most
from benchmarks.harness import Meter, Plan, SchedulerProcess, Stalled, World
from tradewind.model.asset import AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import AssetTriggered
from tradewind.operations.record_asset_events import record_outside_event
from tradewind.storage.schema import asset, asset_delivery, asset_event, dag_run, delivery_is_pending, event_is_new

BEHIND: Final = at_most(1.0)
_ASSET: Final = AssetRef("orders", "s3://orders")
_IS_ANY_PENDING: Final = sa.exists().where(delivery_is_pending)
_CLIENTS: Final = 4
_POLL_S: Final = 0.05
_PATIENCE_S: Final = 300.0


def asset_flood(plan: Plan) -> Iterator[Figure]:
    """Updates come at a steady pace, each in a transaction of its own as the REST API makes it, whatever the scheduler
    does; a few clients tell of them in turn, so that no pace is missed for the sake of one commit's wait for the disk.
    The scheduler is a process with an executor that answers at once, and `batch_asset_events`, so that a run
    consumes what there is by then: a run for each would be a million. Behind is the time from when the last update
    was due until no DAG has an update left that no run consumed; who writes updates late is behind, too.
    """
    events, consumers, seconds = plan.pick((10_000, 100, 60.0), (500, 100, 3.0), (10, 3, 0.1))
    for kind in plan.on("sqlite", "postgres"):
        with plan.world(kind) as world:
            dags = [
                Dag(f"consumer_{number:03}", (Task("a"),), timetable=AssetTriggered(), assets=_ASSET)
                for number in range(consumers)
            ]
            world.publish(*dags)
            with SchedulerProcess(world, {"TRADEWIND__SCHEDULER__BATCH_ASSET_EVENTS": "True"}) as scheduler:
                writing, working = Meter(world), Meter(world, [scheduler.process])
                behind_s, late_s = _flood(world, scheduler, events, seconds)
                written, worked = writing.read(), working.read()
            details = {
                "of that the writers'": late_s,
                "runs": float(_check(world, events * consumers)),
                "scheduler CPU ms per event": worked.scheduler_cpu_s * 1000 / events,
                "writer CPU ms per event": written.scheduler_cpu_s * 1000 / events,
            }
            if worked.server_cpu_s is not None:
                details["server CPU ms per event"] = worked.server_cpu_s * 1000 / events
        name = f"{events:,} events in {seconds:g} s, {consumers} consumers: behind at the end"
        yield Figure("asset_flood", name, kind, "s", [behind_s], BEHIND, None, details)


def _flood(world: World, scheduler: SchedulerProcess, events: int, seconds: float) -> tuple[float, float]:
    """Returns how many seconds after the last update was due all was consumed, and all was written."""
    with world.wiring.database.begin() as tx:
        asset_key: int = tx.connection.execute(sa.select(asset.c.asset_key)).scalar_one()
    began = time.monotonic()

    def write(number: int) -> None:
        time.sleep(max(0.0, began + seconds * number / events - time.monotonic()))
        with world.wiring.database.begin() as tx:
            record_outside_event(tx, asset_key, extra={}, partition_key=None, now=world.wiring.clock.now())

    with ThreadPoolExecutor(_CLIENTS) as clients:
        for _ in clients.map(write, range(events)):
            pass
    last_due = began + seconds * (events - 1) / events
    late_s = time.monotonic() - last_due
    deadline = time.monotonic() + _PATIENCE_S
    while _is_any_pending(world):
        scheduler.check()
        if time.monotonic() > deadline:
            raise Stalled("updates are left that no run consumes")
        time.sleep(_POLL_S)
    return time.monotonic() - last_due, late_s


def _is_any_pending(world: World) -> bool:
    with world.wiring.database.engine.connect() as connection:
        waiting = sa.union_all(
            sa.select(asset_event.c.event_key).where(event_is_new), sa.select(sa.literal(0)).where(_IS_ANY_PENDING)
        )
        return connection.execute(waiting.limit(1)).first() is not None


def _check(world: World, expected: int) -> int:
    """That each DAG has consumed each update. Returns how many runs that took."""
    with world.wiring.database.engine.connect() as connection:
        consumed = connection.execute(sa.select(sa.func.sum(asset_delivery.c.number))).scalar_one()
        runs: int = connection.execute(sa.select(sa.func.count()).select_from(dag_run)).scalar_one()
    if consumed != expected:
        raise RuntimeError(f"{consumed} deliveries were made where {expected} were due")
    return runs
