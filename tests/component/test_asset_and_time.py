"""Ticks that wait for assets: `AssetAndTimeSchedule` (C4)."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.component.test_assets_start_runs import A, B, consumed, update
from tests.component.world import PatientExecutor, World
from tests.instants import utc
from tradewind.model.asset import AllAssets, AssetExpression, AssetKey
from tradewind.model.dag import Dag, Task
from tradewind.model.run import Run
from tradewind.model.slot_policy import Match, OnDeadline, SlotState
from tradewind.model.states import RunState, RunType
from tradewind.model.timetable import (
    AssetAndTime,
    AssetTriggered,
    CronDataInterval,
    CronTrigger,
    Delta,
    Never,
    Timetable,
)
from tradewind.operations.plan_backfill import BackfillRequest, plan_backfill, runs_to_make
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.operations.start_backfill import start_backfill
from tradewind.scheduler import run_for_assets
from tradewind.storage.interface.shared_stores import NewAssetEvent
from tradewind.storage.schema import schedule_slot
from tradewind.telemetry.events import SlotOverdue

HOUR = 3600
HOURLY = CronTrigger("0 * * * *")


def gated(
    world: World,
    condition: AssetExpression = A,
    *,
    inner: Any = HOURLY,
    catchup: bool = False,
    max_active_runs: int = 16,
    note: str | None = None,
    **gate: Any,
) -> None:
    """A DAG that runs every hour once its assets are there; it starts after the hour that the world begins with."""
    world.dag(Task("source", outlets=(A, B)), dag_id="producer")
    world.publish(
        Dag(
            "report",
            tasks=(Task("work"),),
            timetable=AssetAndTime(inner, **gate),
            assets=condition,
            start_at=utc("2026-01-01T00:00:01"),
            catchup=catchup,
            max_active_runs=max_active_runs,
            description=note,
        )
    )


def slots(world: World) -> list[tuple[int, str]]:
    """The hour and the state of each."""
    with world.database.engine.begin() as connection:
        rows = connection.execute(schedule_slot.select().order_by(schedule_slot.c.run_after)).all()
    return [(row.run_after.hour, row.state) for row in rows]


def dates(world: World) -> list[int]:
    """The hours of the logical dates of its runs, by the order in which they were made."""
    return [_hour(run) for run in sorted(world.runs("report"), key=lambda run: run.key)]


def _hour(run: Run) -> int:
    assert run.logical_date is not None
    return run.logical_date.hour


def update_at(world: World, at: datetime, partition: str | None = None) -> None:
    with world.database.begin() as tx:
        (key,) = (record.key for record in tx.assets.named(["a"], []))
        add_asset_events(tx, [NewAssetEvent(asset_key=AssetKey(key), partition_key=partition)], at)


def test_a_tick_waits_for_its_assets_and_then_gets_its_run(any_world: World) -> None:
    """C4."""
    gated(any_world, AllAssets((A, B)))
    any_world.scheduler()

    any_world.pass_time(HOUR)
    first = update(any_world, A)
    any_world.settle()
    assert slots(any_world) == [(1, SlotState.WAITING)]
    assert any_world.runs("report") == []
    any_world.pass_time(600)
    second = update(any_world, B)
    any_world.settle()

    (run,) = any_world.runs("report")
    assert (run.run_id, run.run_type) == ("scheduled__2026-01-01T01:00:00+00:00", RunType.SCHEDULED)
    assert (run.logical_date, run.state) == (utc("2026-01-01T01:00"), RunState.SUCCESS)
    assert consumed(any_world) == [[*first, *second]]
    assert slots(any_world) == [(1, SlotState.OPEN)]


def test_assets_that_come_before_the_tick_open_it_when_it_is_due(any_world: World) -> None:
    """C4."""
    gated(any_world)
    any_world.scheduler()
    any_world.settle()

    update(any_world, A)
    update(any_world, A)
    any_world.pass_time(HOUR - 1)
    assert any_world.runs("report") == []
    any_world.pass_time(1)
    any_world.pass_time(HOUR)

    assert dates(any_world) == [1]
    assert [len(events) for events in consumed(any_world)] == [2]
    assert slots(any_world) == [(1, SlotState.OPEN), (2, SlotState.WAITING)]


def test_with_catchup_each_update_opens_the_earliest_tick_that_waits(any_world: World) -> None:
    """C4."""
    gated(any_world, catchup=True)
    any_world.scheduler()
    any_world.pass_time(3 * HOUR, step_s=HOUR)

    update(any_world, A)
    any_world.settle()
    assert dates(any_world) == [1]
    update(any_world, A)
    any_world.settle()

    assert dates(any_world) == [1, 2]
    assert slots(any_world) == [(1, SlotState.OPEN), (2, SlotState.OPEN), (3, SlotState.WAITING)]


def test_without_catchup_the_next_tick_supersedes_and_nothing_else_does(any_world: World) -> None:
    """C4: a file that is read again and again changes nothing."""
    gated(any_world)
    any_world.scheduler()
    any_world.pass_time(HOUR)
    for minute in range(3):
        any_world.pass_time(600)
        gated(any_world, note=f"read at minute {minute}")
        any_world.settle()
    assert slots(any_world) == [(1, SlotState.WAITING)]

    any_world.pass_time(HOUR)
    update(any_world, A)
    any_world.settle()

    assert slots(any_world) == [(1, SlotState.SUPERSEDED), (2, SlotState.OPEN)]
    assert dates(any_world) == [2]


def test_a_tick_that_has_come_survives_a_file_that_is_read_before_a_scheduler_looks(world: World) -> None:
    """C4."""
    gated(world)
    world.clock.advance(1.5 * HOUR)
    update(world, A)
    world.clock.advance(HOUR)
    gated(world, note="read anew")

    world.scheduler()
    world.settle()

    assert dates(world) == [1]
    assert slots(world) == [(1, SlotState.OPEN), (2, SlotState.WAITING)]


@pytest.mark.parametrize(
    ("gate", "partition"),
    [
        ({"match": Match.IN_INTERVAL}, None),
        ({"match": Match.PARTITION, "key_format": "%H"}, "02"),
        ({"fresh_within": Delta.of(timedelta(minutes=45))}, None),
    ],
)
def test_a_tick_that_opens_at_once_supersedes_those_that_wait(
    any_world: World, gate: dict[str, Any], partition: str | None
) -> None:
    """C4: without catchup, whichever updates count."""
    gated(any_world, inner=CronDataInterval("0 * * * *"), **gate)
    any_world.scheduler()
    any_world.pass_time(2 * HOUR)
    assert slots(any_world) == [(2, SlotState.WAITING)]

    any_world.clock.advance(HOUR)
    happened = timedelta(0) if "fresh_within" in gate else timedelta(minutes=30)
    update_at(any_world, any_world.clock.now() - happened, partition)
    any_world.settle()

    assert slots(any_world) == [(2, SlotState.SUPERSEDED), (3, SlotState.OPEN)]
    assert dates(any_world) == [2]


def test_an_update_counts_for_the_tick_before_it_although_no_scheduler_looked(any_world: World) -> None:
    """C4: the update of half past one is for the tick of one, whoever was there at two."""
    gated(any_world)
    any_world.scheduler()
    any_world.pass_time(HOUR)
    any_world.clock.advance(HOUR / 2)
    update(any_world, A)
    any_world.clock.advance(HOUR * 2 / 3)

    any_world.settle()

    assert slots(any_world) == [(1, SlotState.OPEN), (2, SlotState.WAITING)]
    assert dates(any_world) == [1]


def test_an_update_after_the_next_tick_opens_no_earlier_one_when_a_pause_ends(any_world: World) -> None:
    """C4."""
    gated(any_world)
    any_world.scheduler()
    any_world.pass_time(HOUR + 600)
    any_world.pause("report")
    any_world.pass_time(HOUR + 1200)
    update(any_world, A)
    any_world.settle()

    any_world.pause("report", is_paused=False)
    any_world.settle()
    any_world.pass_time(60)

    assert slots(any_world) == [(1, SlotState.SUPERSEDED), (2, SlotState.OPEN)]


def test_a_tick_gives_way_to_the_next_one_although_nobody_noted_that(world: World) -> None:
    """C4: from one o'clock until after five no scheduler runs; only the newest tick is made up for."""
    gated(world)
    world.scheduler()
    world.pass_time(HOUR)
    world.clock.advance(2.5 * HOUR)
    update(world, A)
    world.clock.advance(2 * HOUR)

    world.settle()

    assert slots(world) == [(1, SlotState.SUPERSEDED), (2, SlotState.SUPERSEDED), (5, SlotState.OPEN)]


@pytest.mark.parametrize(("minutes", "states"), [(30, [SlotState.EXPIRED]), (90, [SlotState.SUPERSEDED])])
def test_the_next_tick_or_the_deadline_counts_whichever_came_first(
    world: World, minutes: int, states: list[SlotState]
) -> None:
    """C4: also where a scheduler looks after both."""
    gated(world, deadline=Delta.of(timedelta(minutes=minutes)), on_deadline=OnDeadline.SKIP)
    world.scheduler()
    world.pass_time(HOUR)
    world.pause("report")
    world.clock.advance(HOUR + 2400)

    world.pause("report", is_paused=False)
    world.settle()

    assert [state for hour, state in slots(world) if hour == 1] == states


def test_updates_on_their_way_are_waited_for_before_a_tick_is_superseded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C4: another scheduler has begun to hand them out, and this one does not see them yet."""
    gated(world)
    world.scheduler()
    world.pass_time(HOUR)
    world.clock.advance(HOUR / 2)
    update(world, A)
    world.clock.advance(HOUR)
    with monkeypatch.context() as patch:
        patch.setattr(run_for_assets, "hand_out_events", lambda *_: 0)
        world.settle()
        assert slots(world) == [(1, SlotState.WAITING), (2, SlotState.WAITING)]

    world.pass_time(60)

    assert slots(world) == [(1, SlotState.OPEN), (2, SlotState.WAITING)]


def test_ticks_that_caught_up_give_way_to_the_newest_when_the_dag_no_longer_does(world: World) -> None:
    """C4."""
    gated(world, catchup=True)
    world.scheduler()
    world.pass_time(3 * HOUR, step_s=HOUR)

    gated(world, catchup=False)
    world.settle()

    assert slots(world) == [(1, SlotState.SUPERSEDED), (2, SlotState.SUPERSEDED), (3, SlotState.WAITING)]


@pytest.mark.parametrize(
    ("timetable", "assets"),
    [
        pytest.param(HOURLY, None, id="cron"),
        pytest.param(Never(), None, id="none"),
        pytest.param(AssetTriggered(), A, id="assets"),
    ],
)
def test_ticks_wait_no_more_when_the_schedule_is_another_kind(
    any_world: World, timetable: Timetable, assets: AssetExpression | None
) -> None:
    """C4."""
    gated(any_world, deadline=Delta.of(timedelta(minutes=10)))
    any_world.scheduler()
    any_world.pass_time(HOUR)

    other = Dag("report", tasks=(Task("work"),), timetable=timetable, assets=assets, start_at=utc("2026-01-01T00:30"))
    any_world.publish(other)

    assert slots(any_world) == [(1, SlotState.SUPERSEDED)]
    with any_world.database.begin() as tx:
        slot = tx.slots.at("report", utc("2026-01-01T01:00"))
    assert slot is not None
    assert slot.reason == "the schedule of the DAG waits no more for a time and assets"
    any_world.pass_time(1200)
    assert any_world.told(SlotOverdue) == []


def test_a_paused_dag_keeps_its_slot_and_the_updates(any_world: World) -> None:
    """C4."""
    gated(any_world)
    any_world.scheduler()
    any_world.pass_time(HOUR)
    any_world.pause("report")
    update(any_world, A)
    any_world.settle()
    assert slots(any_world) == [(1, SlotState.WAITING)]

    any_world.pause("report", is_paused=False)
    any_world.settle()

    assert dates(any_world) == [1]


def test_only_fresh_updates_count(any_world: World) -> None:
    """C4: fresh_within, measured from the tick."""
    gated(any_world, fresh_within=Delta.of(timedelta(minutes=30)))
    any_world.scheduler()
    any_world.settle()
    update_at(any_world, utc("2026-01-01T00:20"))

    any_world.pass_time(HOUR + 60)
    assert slots(any_world) == [(1, SlotState.WAITING)]
    update_at(any_world, utc("2026-01-01T00:30"))
    any_world.settle()

    assert dates(any_world) == [1]
    assert [len(events) for events in consumed(any_world)] == [1]


def test_updates_since_the_last_run_count(world: World) -> None:
    """C4: match."""
    gated(world, match=Match.SINCE_LAST_RUN, deadline=Delta.of(timedelta(minutes=10)))
    world.scheduler()
    world.pass_time(HOUR + 700)  # the deadline has made a run
    assert dates(world) == [1]
    update_at(world, utc("2026-01-01T01:05"))

    world.pass_time(HOUR - 660)
    assert slots(world)[-1] == (2, SlotState.WAITING)
    update(world, A)
    world.settle()

    assert dates(world) == [1, 2]


def test_a_run_that_is_cleared_was_made_no_later(world: World) -> None:
    """C4: match."""
    gated(world, match=Match.SINCE_LAST_RUN)
    world.scheduler()
    update(world, A)
    world.pass_time(HOUR + 600)
    update(world, A)
    world.pass_time(600)

    (run,) = world.runs("report")
    world.clear("work", dag_id="report", run_id=run.run_id)
    world.settle()
    world.pass_time(HOUR - 1200)

    assert dates(world) == [1, 2]


def test_updates_since_a_run_from_before_the_gate_count(world: World) -> None:
    """C4: match."""
    world.publish(Dag("report", tasks=(Task("work"),), timetable=HOURLY, start_at=utc("2026-01-01T00:00:01")))
    world.scheduler()
    world.pass_time(HOUR)

    gated(world, match=Match.SINCE_LAST_RUN)
    update_at(world, utc("2026-01-01T00:59"))
    world.pass_time(HOUR)
    assert dates(world) == [1]
    update(world, A)
    world.settle()

    assert dates(world) == [1, 2]


def test_updates_within_the_data_interval_count(world: World) -> None:
    """C4: match."""
    gated(world, inner=CronDataInterval("0 * * * *"), match=Match.IN_INTERVAL, catchup=True)
    world.scheduler()
    world.pass_time(3 * HOUR, step_s=HOUR)
    update_at(world, utc("2026-01-01T02:00"))

    world.settle()

    assert slots(world) == [(2, SlotState.WAITING), (3, SlotState.OPEN)]
    assert dates(world) == [2]


def test_updates_of_the_partition_of_the_tick_count(world: World) -> None:
    """C4: match."""
    inner = CronTrigger("0 * * * *", "Europe/Berlin")
    gated(world, inner=inner, match=Match.PARTITION, key_format="%Y-%m-%d %H", catchup=True)
    world.scheduler()
    world.pass_time(2 * HOUR, step_s=HOUR)
    update_at(world, world.clock.now())
    world.settle()
    assert dates(world) == []

    update_at(world, world.clock.now(), "2026-01-01 03")
    world.settle()

    assert dates(world) == [2]
    assert slots(world) == [(1, SlotState.WAITING), (2, SlotState.OPEN)]


@pytest.mark.parametrize(
    ("policy", "state", "runs"),
    [
        (OnDeadline.RUN, SlotState.OPEN, [RunState.SUCCESS]),
        (OnDeadline.SKIP, SlotState.EXPIRED, []),
        (OnDeadline.FAIL, SlotState.EXPIRED, [RunState.FAILED]),
        (OnDeadline.ALERT, SlotState.WAITING, []),
    ],
)
def test_a_deadline_has_its_policy(
    any_world: World, policy: OnDeadline, state: SlotState, runs: list[RunState]
) -> None:
    """C4: deadline and fallback."""
    gated(any_world, AllAssets((A, B)), deadline=Delta.of(timedelta(minutes=10)), on_deadline=policy)
    any_world.scheduler()
    any_world.pass_time(HOUR)
    update(any_world, A)
    any_world.pass_time(599)
    assert slots(any_world) == [(1, SlotState.WAITING)]
    assert any_world.told(SlotOverdue) == []

    any_world.pass_time(1)
    any_world.pass_time(60)

    assert slots(any_world) == [(1, state)]
    assert [run.state for run in any_world.runs("report")] == runs
    (told,) = any_world.told(SlotOverdue)
    assert (told.dag_id, told.missing) == ("report", "b")
    update(any_world, B)
    any_world.settle()
    assert dates(any_world) == ([1] if runs or policy is OnDeadline.ALERT else [])


def test_the_deadline_of_a_paused_dag_is_dealt_with_when_it_goes_on(world: World) -> None:
    gated(world, deadline=Delta.of(timedelta(minutes=10)), on_deadline=OnDeadline.SKIP)
    world.scheduler()
    world.pass_time(HOUR)
    world.pause("report")
    world.pass_time(1200)
    assert slots(world) == [(1, SlotState.WAITING)]

    world.pause("report", is_paused=False)
    world.pass_time(1)

    assert slots(world) == [(1, SlotState.EXPIRED)]


def test_a_run_of_that_date_that_somebody_asked_for_settles_the_slot_and_consumes_nothing(world: World) -> None:
    """C4."""
    gated(world)
    world.scheduler()
    world.pass_time(HOUR)
    world.trigger("report", "mine", logical_date=utc("2026-01-01T01:00"))
    update(world, A)
    world.settle()

    assert slots(world) == [(1, SlotState.OPEN)]
    assert consumed(world) == [[]]
    world.pass_time(HOUR)
    assert dates(world) == [1, 2]


def test_a_run_by_hand_settles_the_slot_of_its_date_at_once(any_world: World) -> None:
    """C4: no update and no tick is needed for that."""
    gated(any_world, catchup=True)
    any_world.scheduler()
    any_world.pass_time(3 * HOUR, step_s=HOUR)

    any_world.trigger("report", "mine", logical_date=utc("2026-01-01T02:00"))

    assert slots(any_world) == [(1, SlotState.WAITING), (2, SlotState.OPEN), (3, SlotState.WAITING)]
    with any_world.database.begin() as tx:
        slot = tx.slots.at("report", utc("2026-01-01T02:00"))
    assert slot is not None
    assert slot.run_key == any_world.run("mine", "report").key


def test_a_backfill_settles_the_slot_of_its_date_at_once(world: World) -> None:
    """C4, C6."""
    gated(world)
    world.scheduler()
    world.pass_time(HOUR + 600)
    request = BackfillRequest("report", utc("2026-01-01T01:00"), utc("2026-01-01T01:00"))

    with world.database.begin() as tx:
        plan = plan_backfill(tx, request, world.structures, world.clock.now())
        start_backfill(tx, plan, world.structures, world.clock.now())

    assert slots(world) == [(1, SlotState.OPEN)]
    world.settle()
    assert dates(world) == [1]


def test_a_tick_whose_run_somebody_asked_for_before_waits_for_nothing(world: World) -> None:
    """C4."""
    gated(world)
    world.scheduler()
    world.trigger("report", "mine", logical_date=utc("2026-01-01T01:00"))

    world.pass_time(HOUR)

    assert slots(world) == [(1, SlotState.OPEN)]
    assert dates(world) == [1]


def test_an_open_slot_has_its_run_although_no_other_may_start(any_world: World) -> None:
    """B4, C4: an update that comes early opens the next tick; its run waits in the queue."""
    gated(any_world, max_active_runs=1)
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    for _ in range(2):
        update(any_world, A)
        any_world.pass_time(HOUR)

    states = [run.state for run in any_world.runs("report")]
    assert sorted(states) == [RunState.QUEUED, RunState.RUNNING]
    executor.end()
    any_world.settle()
    executor.end()
    any_world.settle()

    assert {run.state for run in any_world.runs("report")} == {RunState.SUCCESS}
    assert dates(any_world) == [1, 2]


def test_several_schedulers_make_one_run_of_each_slot(any_world: World) -> None:
    """A2, C4."""
    gated(any_world, catchup=True)
    for _ in range(3):
        any_world.scheduler()
    for _ in range(4):
        update(any_world, A)
        any_world.pass_time(HOUR)

    assert dates(any_world) == [1, 2, 3, 4]
    assert {state for _, state in slots(any_world)} == {SlotState.OPEN}


@pytest.mark.parametrize(("is_gated", "hours"), [(False, [1, 2, 3]), (True, [2])])
def test_a_backfill_asks_for_past_updates_only_if_it_is_gated(world: World, is_gated: bool, hours: list[int]) -> None:
    """C4, C6."""
    gated(world, inner=CronDataInterval("0 * * * *"), gates_backfill=is_gated)
    world.pause("report")
    update_at(world, utc("2026-01-01T02:30"))
    world.clock.advance(9 * HOUR)
    request = BackfillRequest("report", utc("2026-01-01T01:00"), utc("2026-01-01T03:00"))

    with world.database.begin() as tx:
        plan = plan_backfill(tx, request, world.structures, world.clock.now())
        foreseen = [info.logical_date for info in runs_to_make(tx, plan, world.structures)]
        start_backfill(tx, plan, world.structures, world.clock.now())

    assert dates(world) == hours
    assert [date.hour for date in foreseen if date is not None] == hours
    assert consumed(world) == [[] for _ in hours]
