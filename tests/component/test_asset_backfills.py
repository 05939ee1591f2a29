"""DAGs that wait for assets alone are backfilled from past updates (C2, C6)."""

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.component.test_assets_start_runs import A, B, consumed, consumer, update
from tests.component.world import PatientExecutor, World
from tests.instants import utc
from tradewind.errors import InvalidRequest
from tradewind.model.asset import AllAssets, AnyAsset, AssetExpression
from tradewind.model.exchange import Exchange
from tradewind.model.run import Run
from tradewind.model.states import RunType
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.plan_backfill import BackfillRequest, plan_backfill, runs_to_make
from tradewind.operations.start_backfill import start_backfill
from tradewind.secrets.encryption import Encryption
from tradewind.storage.schema import dag_version

HOUR = 3600
FIRST, LAST = utc("2026-01-01T00:00"), utc("2026-01-01T09:00")


def past(world: World, *updates: str) -> list[list[int]]:
    """The keys of updates, one hour after the other from the time of the world on: `"a"`, `"ab"`, or none (`""`)."""
    made = []
    for names in updates:
        made.append(update(world, *({"a": A, "b": B}[name] for name in names)) if names else [])
        world.clock.advance(HOUR)
    return made


def backfill(
    world: World, first: datetime = FIRST, last: datetime = LAST, *, backwards: bool = False
) -> list[datetime | None]:
    """Begin one. Returns what its dry run said."""
    request = BackfillRequest("report", first, last, run_backwards=backwards)
    with world.database.begin() as tx:
        plan = plan_backfill(tx, request, world.structures, world.clock.now())
        foreseen = [info.logical_date for info in runs_to_make(tx, plan, world.structures)]
        start_backfill(tx, plan, world.structures, world.clock.now())
    return foreseen


def made(world: World) -> list[Run]:
    """By the order in which they were made."""
    runs = [run for run in world.runs("report") if run.run_type is RunType.BACKFILL]
    return sorted(runs, key=lambda run: run.key)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (A, [["a0"], ["a2"], ["a3"]]),
        (AnyAsset((A, B)), [["a0"], ["b1"], ["a2"], ["a3", "b3"]]),
        (AllAssets((A, B)), [["a0", "b1"], ["a2", "a3", "b3"]]),
    ],
    ids=["one", "any", "all"],
)
def test_each_moment_at_which_the_condition_held_gets_a_run_with_its_updates(
    any_world: World, condition: AssetExpression, expected: list[list[str]]
) -> None:
    """C2, C6: exactly what the dry run lists; nothing that waits for the DAG is consumed by it."""
    any_world.dag(dag_id="producer")
    consumer(any_world, condition)
    any_world.pause("report")
    began = any_world.clock.now()
    words = ("a", "b", "a", "ab")
    named = {
        f"{name}{hour}": key
        for hour, (word, keys) in enumerate(zip(words, past(any_world, *words), strict=True))
        for name, key in zip(word, keys, strict=True)
    }
    with any_world.database.begin() as tx:
        waiting = tx.deliveries.waiting("report")

    foreseen = backfill(any_world, began)

    runs = made(any_world)
    last_of_each = [max(int(name[1:]) for name in names) for names in expected]
    assert [run.logical_date for run in runs] == [began + timedelta(hours=hour) for hour in last_of_each]
    assert foreseen == [run.logical_date for run in runs]
    assert [sorted(of_run) for of_run in consumed(any_world)] == [
        sorted(named[name] for name in names) for names in expected
    ]
    with any_world.database.begin() as tx:
        assert tx.deliveries.waiting("report") == waiting


def test_what_was_consumed_before_is_told_to_the_run_again_also_backwards(any_world: World) -> None:
    """C2, C6: the run that consumed it keeps it."""
    consumer(any_world, A)
    updates: list[int] = []
    began = any_world.clock.now()
    any_world.scheduler()
    for _ in range(2):
        updates += update(any_world, A)
        any_world.settle()
        any_world.pass_time(HOUR)
    live = [run for run in any_world.runs("report") if run.run_type is RunType.ASSET_TRIGGERED]

    backfill(any_world, began, backwards=True)

    backward = made(any_world)
    moments = [run.run_after for run in backward]
    assert moments == sorted(moments, reverse=True)
    with any_world.database.begin() as tx:
        told = tx.asset_events.consumed_by([run.key for run in (*live, *backward)])
    assert [[event.event_key for event in told[run.key]] for run in (*live, *backward[::-1])] == [
        [key] for key in (*updates, *updates)
    ]


def test_tasks_of_a_backfill_are_told_of_the_updates_that_it_was_made_for(any_world: World) -> None:
    """C2, C6."""
    consumer(any_world, A)
    with any_world.database.engine.begin() as connection:
        connection.execute(sa.update(dag_version).values(bundle_name="files", path="report.py"))
    began = any_world.clock.now()
    updates = [key for keys in past(any_world, "a", "a") for key in keys]
    backfill(any_world, began)
    executor = PatientExecutor(any_world.clock, starts=False)
    any_world.scheduler(executor)

    any_world.settle()

    beginner = Beginner(any_world.structures, hostname="here", pid=1)
    worker = StoredEngine(any_world.database, any_world.clock, beginner, Encryption(), longest_delay_s=60)
    worker.begin_life(None)
    orders = worker.exchange(Exchange(begins=sorted(executor.work.values()))).orders
    runs = [order.assignment.dag_run for order in orders]
    backfilled = [run.consumed_asset_events for run in runs if run.run_type == RunType.BACKFILL]
    assert [[event.id for event in events] for events in backfilled] == [[key] for key in updates]


def test_a_range_without_updates_is_refused_and_one_with_too_many_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C6."""
    consumer(world, A)
    world.pause("report")
    began = world.clock.now()
    past(world, "a", "a", "a")
    with pytest.raises(InvalidRequest, match="has no dates to backfill from"):
        backfill(world, utc("2020-01-01"), utc("2020-01-02"))
    monkeypatch.setattr("tradewind.operations.backfill_updates.MOST_DATES", 2)
    with pytest.raises(InvalidRequest, match="more than 2 updates in this range"):
        backfill(world, began)
