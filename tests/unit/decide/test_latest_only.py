"""Which runs a LatestOnlyOperator lets pass (C1)."""

from datetime import timedelta

import pytest

from tests.instants import utc
from tradewind.decide.latest_only import latest_only
from tradewind.model.states import RunType
from tradewind.model.timetable import (
    AssetTriggered,
    Continuous,
    CronDataInterval,
    CronTrigger,
    DataInterval,
    Delta,
    DeltaTrigger,
    Once,
    Timetable,
)

DAY = DataInterval(utc("2026-06-09"), utc("2026-06-10"))
TICK = DataInterval(utc("2026-06-10"), utc("2026-06-10"))
SCHEDULES: list[tuple[Timetable, DataInterval]] = [
    (CronDataInterval("0 0 * * *"), DAY),
    (CronTrigger("0 0 * * *"), TICK),
    (CronTrigger("0 0 * * *", interval=Delta(days=1)), DAY),
    (DeltaTrigger(Delta(days=1)), TICK),
]


def skips(timetable: Timetable, interval: DataInterval | None, now: str, run_type: RunType) -> bool:
    run_after = utc("2026-06-10")
    verdict = latest_only(
        run_type=run_type, run_after=run_after, data_interval=interval, timetable=timetable, now=utc(now)
    )
    assert verdict.reason
    return verdict.skip


@pytest.mark.parametrize(("timetable", "interval"), SCHEDULES)
@pytest.mark.parametrize("now", ["2026-06-10", "2026-06-10 00:00:01", "2026-06-10 23:59", "2026-06-11"])
def test_the_newest_run_passes_until_the_next_one_is_due(
    timetable: Timetable, interval: DataInterval, now: str
) -> None:
    """C1."""
    assert not skips(timetable, interval, now, RunType.SCHEDULED)


@pytest.mark.parametrize(("timetable", "interval"), SCHEDULES)
@pytest.mark.parametrize("run_type", [RunType.SCHEDULED, RunType.BACKFILL])
def test_a_run_that_has_a_successor_is_skipped_with_the_instant_of_that_one(
    timetable: Timetable, interval: DataInterval, run_type: RunType
) -> None:
    """C1."""
    assert skips(timetable, interval, "2026-06-11 00:00:01", run_type)
    verdict = latest_only(
        run_type=run_type,
        run_after=interval.end,
        data_interval=interval,
        timetable=timetable,
        now=utc("2026-06-20"),
    )
    assert verdict.reason == "a newer run was due at 2026-06-11T00:00:00+00:00"


@pytest.mark.parametrize(("timetable", "interval"), SCHEDULES)
def test_a_run_by_hand_is_never_skipped(timetable: Timetable, interval: DataInterval) -> None:
    """C1."""
    assert not skips(timetable, interval, "2030-01-01", RunType.MANUAL)


@pytest.mark.parametrize("timetable", [Once(), AssetTriggered(), Continuous()])
def test_a_run_that_no_run_is_due_after_is_never_skipped(timetable: Timetable) -> None:
    """C1."""
    interval = None if isinstance(timetable, AssetTriggered) else TICK
    assert not skips(timetable, interval, "2030-01-01", RunType.SCHEDULED)


def test_the_schedule_counts_even_where_catchup_is_off_and_the_run_is_long_past() -> None:
    """C1: what is asked is what the schedule names, not what was created."""
    week = timedelta(weeks=1)
    old = DataInterval(DAY.start - week, DAY.end - week)
    assert skips(CronDataInterval("0 0 * * *"), old, "2026-06-10 10:00", RunType.SCHEDULED)
