"""Backfills, as each database keeps them (B7)."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.backfill import Backfill, BackfillPlan, BackfillRuns, ReprocessBehavior
from tradewind.model.ids import BackfillKey, RunKey
from tradewind.model.states import RunState, RunType, TriggeredBy
from tradewind.model.timetable import DataInterval
from tradewind.storage.database import Database

DAY = timedelta(days=1)


def plan(world: World, dag_id: str = "sales", **values: Any) -> BackfillPlan:
    plain = {"from_date": NOW - 9 * DAY, "to_date": NOW - DAY, "until": NOW, "total": 9}
    return BackfillPlan(dag_id=dag_id, version_key=world.dag(dag_id), **{**plain, **values})


def begin(world: World, dag_id: str = "sales", **values: Any) -> Backfill:
    return store_plan(world, plan(world, dag_id, **values))


def store_plan(world: World, planned: BackfillPlan) -> Backfill:
    with world.store.begin() as tx:
        key = tx.backfills.create(planned, NOW)
    return find(world, key)


def find(world: World, key: BackfillKey) -> Backfill:
    with world.store.begin() as tx:
        found = tx.backfills.find(key)
    assert found is not None
    return found


def run_of(world: World, backfill: Backfill, name: str, days: int, **values: Any) -> RunKey:
    return world.run(
        name,
        run_type=RunType.BACKFILL,
        backfill_key=backfill.key,
        logical_date=NOW - days * DAY,
        run_after=NOW - days * DAY,
        **values,
    )


def test_what_was_planned_comes_back_as_it_was(world: World, store: Database) -> None:
    mark = DataInterval(NOW - 3 * DAY, NOW - 2 * DAY)
    planned = plan(
        world,
        is_backward=True,
        reprocess=ReprocessBehavior.FAILED,
        max_active_runs=3,
        conf={"n": [1]},
        uses_latest_version=False,
        marks=(mark, mark),
        run_ids=("first", "second"),
        triggering_user_name="ann",
    )

    found = store_plan(world, planned)

    assert found == Backfill(
        key=found.key, plan=planned, is_paused=False, looked_at=0, passed_over=0, created_at=NOW, updated_at=NOW
    )
    with store.begin() as tx:
        assert tx.backfills.read([found.key, BackfillKey(10**12)]) == [found]
        assert tx.backfills.find(BackfillKey(10**12)) is None


def test_each_step_is_taken_once_and_none_after_the_end(world: World, store: Database) -> None:
    key = begin(world).key

    with store.begin() as tx:
        assert tx.backfills.advance(key, since=0, looked_at=5, passed_over=2, now=NOW + DAY)
        assert not tx.backfills.advance(key, since=0, looked_at=5, passed_over=2, now=NOW)
        assert tx.backfills.set_paused(key, True, NOW + DAY)
    found = find(world, key)
    assert (found.looked_at, found.passed_over, found.is_paused, found.updated_at) == (5, 2, True, NOW + DAY)

    with store.begin() as tx:
        assert tx.backfills.complete(key, NOW + DAY)
        assert not tx.backfills.complete(key, NOW + 2 * DAY)
        assert not tx.backfills.set_paused(key, False, NOW)
        assert not tx.backfills.advance(key, since=5, looked_at=1, passed_over=0, now=NOW)
    assert find(world, key) == replace(found, completed_at=NOW + DAY)


def test_those_that_are_not_complete_are_open(world: World, store: Database) -> None:
    done, first, second = begin(world).key, begin(world, "stock").key, begin(world, "staff").key
    with store.begin() as tx:
        tx.backfills.complete(done, NOW)
        tx.backfills.set_paused(second, True, NOW)

        assert tx.backfills.open() == [(first, "stock"), (second, "staff")]
        assert [tx.backfills.open_of_dag(dag_id) for dag_id in ("sales", "stock", "nothing")] == [None, first, None]


def test_a_dag_takes_its_backfills_along(world: World, store: Database) -> None:
    key = begin(world).key
    with store.begin() as tx:
        tx.dags.delete("sales")

        assert tx.backfills.find(key) is None


def test_its_runs_are_counted_by_what_became_of_them(world: World, store: Database) -> None:
    mine, other = begin(world), begin(world, "stock")
    run_of(world, mine, "queued", 1)
    world.running("running", run_type=RunType.BACKFILL, backfill_key=mine.key)
    for number, state in enumerate((RunState.SUCCESS, RunState.FAILED)):
        world.ended(f"ended {number}", state, run_type=RunType.BACKFILL, backfill_key=mine.key)
    world.run("of nobody", run_type=RunType.BACKFILL)

    with store.begin() as tx:
        counts = tx.backfills.count_runs(mine.key)
        assert (counts.queued, counts.running, counts.succeeded, counts.failed, counts.active) == (1, 1, 1, 1, 2)
        assert counts.mean_duration_s is not None
        assert tx.backfills.count_active(mine.key) == (1, 1)
        assert tx.backfills.count_runs(other.key) == BackfillRuns()
        assert tx.backfills.count_active(other.key) == (0, 0)


def test_its_runs_start_in_its_direction_when_their_time_has_come(world: World, store: Database) -> None:
    forward, backward = begin(world), begin(world, "stock", is_backward=True)
    keys = [run_of(world, forward, f"f{days}", days) for days in (2, 3, 1)]
    for days in (2, 3, 1):
        run_of(world, backward, f"b{days}", days, dag_id="stock")
    world.run("later", run_after=NOW + DAY, run_type=RunType.BACKFILL, backfill_key=forward.key)
    world.run("ordinary", run_after=NOW - 9 * DAY)

    with store.begin() as tx:
        tx.dags.lock(["sales", "stock"])
        assert [run.run_id for run in tx.backfills.startable(forward, NOW, 9)] == ["f3", "f2", "f1"]
        assert [run.run_id for run in tx.backfills.startable(backward, NOW, 2)] == ["b1", "b2"]
        assert [run.run_id for run in tx.runs.startable(["sales"], NOW, 9)] == ["ordinary"]
        assert tx.backfills.queued_runs(forward.key)[:3] == sorted(keys)


def test_runs_of_dates_are_found_whoever_made_them(world: World, store: Database) -> None:
    key = world.run("scheduled__x", logical_date=NOW - DAY, run_type=RunType.SCHEDULED)
    world.run("of another", "stock", logical_date=NOW - 2 * DAY)

    with store.begin() as tx:
        found = tx.backfills.existing_runs("sales", [NOW - DAY, NOW - 2 * DAY])
        assert found == {NOW - DAY: (key, "scheduled__x", RunState.QUEUED)}
        assert tx.backfills.existing_runs("sales", []) == {}


def test_the_newest_run_of_a_partition_is_found_by_its_date(world: World, store: Database) -> None:
    """C6: whatever its key looks like; runs of other DAGs and of no partition do not count."""
    date = NOW - DAY
    world.run("older", partition_key="old format", partition_date=date)
    key = world.run("newer", partition_key="yesterday", partition_date=date)
    world.run("of another", "stock", partition_key="yesterday", partition_date=date)
    world.run("of none", logical_date=date)

    with store.begin() as tx:
        found = tx.backfills.existing_partitions("sales", [date, NOW - 2 * DAY])
        assert found == {date: (key, "newer", RunState.QUEUED)}
        assert tx.backfills.existing_partitions("sales", []) == {}


def test_a_queued_run_becomes_one_of_the_backfill(world: World, store: Database) -> None:
    plain, given = begin(world), begin(world, "stock", conf={"n": 1})
    keys = [world.run("r1", run_type=RunType.SCHEDULED, conf={"old": 1}), world.run("r2", conf={"old": 2})]
    running = world.running("r3", run_after=NOW - minutes(1))

    with store.begin() as tx:
        assert tx.backfills.take_over(keys[0], plain, NOW)
        assert tx.backfills.take_over(keys[1], given, NOW)
        assert not tx.backfills.take_over(running, plain, NOW)

    first, second, third = (world.find(name) for name in ("r1", "r2", "r3"))
    assert (first.run_type, first.triggered_by, first.backfill_key) == (
        RunType.BACKFILL,
        TriggeredBy.BACKFILL,
        plain.key,
    )
    assert (first.conf, second.conf) == ({"old": 1}, {"n": 1})
    assert (third.run_type, third.backfill_key) == (RunType.MANUAL, None)
