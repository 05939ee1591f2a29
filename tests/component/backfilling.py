"""Shortcuts to backfills of a `World`."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.component.world import World
from tradewind.decide.backfill import BackfillProgress
from tradewind.decide.explain import Reason
from tradewind.model.backfill import Backfill
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import BackfillKey
from tradewind.model.timetable import CronTrigger
from tradewind.operations.explain import why_run_waits
from tradewind.operations.manage_backfills import cancel_backfill, find_backfill, pause_backfill, progress_of
from tradewind.operations.plan_backfill import BackfillRequest, plan_backfill, runs_to_make
from tradewind.operations.start_backfill import start_backfill

DAILY = CronTrigger("0 0 * * *")


def december(day: int, hour: int = 0) -> datetime:
    """A date before the clock of the tests begins."""
    return datetime(2025, 12, day, hour, tzinfo=UTC)


def daily(world: World, *tasks: Task, **values: Any) -> Dag:
    """A DAG that runs each day, but not before all tests are over: nobody but backfills makes runs."""
    plain = {"timetable": DAILY, "start_at": world.clock.now() + timedelta(days=31)}
    return world.dag(*(tasks or (Task("load"),)), **{**plain, **values})


def begin(world: World, first: int = 1, last: int = 5, *, dag_id: str = "sales", **values: Any) -> Backfill:
    """Backfill these days of December."""
    request = BackfillRequest(dag_id, december(first), december(last), **values)
    plan = world.database.read(lambda tx: plan_backfill(tx, request, world.structures, world.clock.now()))
    with world.database.begin() as tx:
        return start_backfill(tx, plan, world.structures, world.clock.now())


def would_make(world: World, first: int = 1, last: int = 5, *, dag_id: str = "sales", **values: Any) -> list[int]:
    """The days of a dry run."""
    request = BackfillRequest(dag_id, december(first), december(last), **values)

    def work(tx: Any) -> list[int]:
        plan = plan_backfill(tx, request, world.structures, world.clock.now())
        return [info.run_after.day for info in runs_to_make(tx, plan, world.structures)]

    return world.database.read(work)


def pause(world: World, backfill: Backfill, *, is_paused: bool = True) -> None:
    with world.database.begin() as tx:
        pause_backfill(tx, backfill.key, world.clock.now(), is_paused=is_paused)


def cancel(world: World, backfill: Backfill) -> None:
    with world.database.begin() as tx:
        cancel_backfill(tx, backfill.key, world.structures, world.clock.now())


def find(world: World, key: BackfillKey) -> Backfill:
    with world.database.begin() as tx:
        return find_backfill(tx, key)


def progress(world: World, backfill: Backfill) -> BackfillProgress:
    with world.database.begin() as tx:
        return progress_of(tx, find_backfill(tx, backfill.key))


def states(world: World, dag_id: str = "sales") -> dict[int, str]:
    """Of each day: what became of its run."""
    return {run.run_after.day: run.state.value for run in world.runs(dag_id)}


def reasons(world: World, run_id: str) -> list[Reason]:
    """Why the run waits."""
    with world.database.begin() as tx:
        return why_run_waits(tx, "sales", run_id, world.structures, world.clock.now())
