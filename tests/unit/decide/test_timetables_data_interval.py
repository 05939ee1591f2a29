"""Schedules that run at the end of each data interval (B2, C1)."""

from datetime import datetime
from itertools import pairwise

import pytest

from tests.instants import utc
from tradewind.decide.timetables import manual_interval, next_run, upcoming
from tradewind.model.timetable import (
    CronDataInterval,
    DataInterval,
    Delta,
    DeltaDataInterval,
    RunInfo,
    TimeRestriction,
    Timetable,
)

DAILY = CronDataInterval("0 0 * * *")
HOURLY = CronDataInterval("0 * * * *")
EVERY_6_HOURS = DeltaDataInterval(Delta(seconds=6 * 3600))
MONTHLY = DeltaDataInterval(Delta(months=1))
NOW = utc("2026-06-10 10:20")


def restriction(start: str | None, end: str | None = None, *, catchup: bool) -> TimeRestriction:
    return TimeRestriction(utc(start) if start else None, utc(end) if end else None, catchup)


def interval(start: str, end: str) -> DataInterval:
    return DataInterval(utc(start), utc(end))


def run(start: str, end: str) -> RunInfo:
    """A run about that interval, at its end."""
    return RunInfo(utc(end), interval(start, end))


def test_the_first_run_covers_the_interval_from_the_start_date_and_starts_at_its_end() -> None:
    """B2."""
    since = restriction("2026-01-01", catchup=True)
    first = next_run(DAILY, last=None, restriction=since, now=NOW)
    assert first == run("2026-01-01", "2026-01-02")
    assert first is not None
    assert first.logical_date == utc("2026-01-01")


def test_a_start_date_between_two_ticks_is_moved_up_to_the_next_tick() -> None:
    """B2."""
    since = restriction("2026-01-01 15:30", catchup=True)
    assert next_run(DAILY, last=None, restriction=since, now=NOW) == run("2026-01-02", "2026-01-03")


def test_a_delta_counts_from_the_start_date_itself() -> None:
    """B2."""
    since = restriction("2026-01-01 15:30", catchup=True)
    first = next_run(EVERY_6_HOURS, last=None, restriction=since, now=NOW)
    assert first == run("2026-01-01 15:30", "2026-01-01 21:30")


@pytest.mark.parametrize("timetable", [DAILY, EVERY_6_HOURS, MONTHLY])
def test_with_catchup_each_run_begins_where_the_last_one_ended(timetable: Timetable) -> None:
    """B2, C1: nothing left out, nothing twice."""
    since = restriction("2026-01-01", catchup=True)
    runs = list(upcoming(timetable, last=None, restriction=since, now=NOW, count=50))
    assert len(runs) == 50
    for earlier, later in pairwise(runs):
        assert earlier.data_interval is not None
        assert later.data_interval is not None
        assert later.data_interval.start == earlier.data_interval.end == earlier.run_after


def test_with_catchup_a_schedule_without_a_start_date_has_no_first_run() -> None:
    """C1: there is nothing to begin with."""
    assert next_run(DAILY, last=None, restriction=restriction(None, catchup=True), now=NOW) is None


@pytest.mark.parametrize(
    ("timetable", "now", "expected"),
    [
        (DAILY, "2026-06-10 10:20", run("2026-06-09", "2026-06-10")),
        (DAILY, "2026-06-10 00:00", run("2026-06-09", "2026-06-10")),
        (DAILY, "2026-06-09 23:59", run("2026-06-08", "2026-06-09")),
        (HOURLY, "2026-06-10 10:20", run("2026-06-10 09:00", "2026-06-10 10:00")),
        (EVERY_6_HOURS, "2026-06-10 10:20", run("2026-06-10 00:00", "2026-06-10 06:00")),
        (MONTHLY, "2026-06-10 10:20", run("2026-05-01", "2026-06-01")),
    ],
)
def test_without_catchup_the_newest_complete_interval_comes_first(
    timetable: Timetable, now: str, expected: RunInfo
) -> None:
    """C1."""
    since = restriction("2020-01-01", catchup=False)
    assert next_run(timetable, last=None, restriction=since, now=utc(now)) == expected


@pytest.mark.parametrize("timetable", [DAILY, EVERY_6_HOURS])
def test_without_catchup_and_start_date_the_newest_complete_interval_comes_first(timetable: Timetable) -> None:
    """C1."""
    first = next_run(timetable, last=None, restriction=restriction(None, catchup=False), now=NOW)
    assert first is not None
    assert first.run_after <= NOW
    following = next_run(timetable, last=first, restriction=restriction(None, catchup=False), now=NOW)
    assert following is not None
    assert following.run_after > NOW


def test_without_catchup_what_was_missed_since_the_last_run_is_left_out() -> None:
    """C1."""
    since = restriction("2026-01-01", catchup=False)
    last = interval("2026-02-01", "2026-02-02")
    assert next_run(DAILY, last=last, restriction=since, now=NOW) == run("2026-06-09", "2026-06-10")


def test_without_catchup_nothing_runs_twice() -> None:
    """C1: the newest complete interval was covered, so the next one is still to end."""
    since = restriction("2026-01-01", catchup=False)
    last = interval("2026-06-09", "2026-06-10")
    assert next_run(DAILY, last=last, restriction=since, now=NOW) == run("2026-06-10", "2026-06-11")


def test_a_start_date_to_come_is_waited_for_with_and_without_catchup() -> None:
    """B2."""
    for catchup in (True, False):
        later = restriction("2026-07-01", catchup=catchup)
        assert next_run(DAILY, last=None, restriction=later, now=NOW) == run("2026-07-01", "2026-07-02")


def test_the_end_date_is_the_last_logical_date() -> None:
    """C1."""
    until = restriction("2026-01-01", "2026-01-03", catchup=True)
    runs = list(upcoming(DAILY, last=None, restriction=until, now=NOW, count=10))
    assert [str(info.logical_date)[:10] for info in runs] == ["2026-01-01", "2026-01-02", "2026-01-03"]


def test_months_step_one_by_one_so_that_a_short_one_leaves_its_mark() -> None:
    """C1: as Airflow's relativedelta does, with and without catchup on the same dates."""
    since = restriction("2026-01-31", catchup=True)
    runs = list(upcoming(MONTHLY, last=None, restriction=since, now=NOW, count=4))
    assert [str(info.logical_date)[:10] for info in runs] == [
        "2026-01-31",
        "2026-02-28",
        "2026-03-28",
        "2026-04-28",
    ]
    since = restriction("2026-01-31", catchup=False)
    assert next_run(MONTHLY, last=None, restriction=since, now=NOW) == run("2026-04-28", "2026-05-28")


def test_a_finer_schedule_goes_on_at_the_end_of_the_last_interval() -> None:
    """C1: schedule change."""
    since = restriction("2026-01-01", catchup=True)
    last = interval("2026-06-01", "2026-06-02")
    assert next_run(HOURLY, last=last, restriction=since, now=NOW) == run("2026-06-02", "2026-06-02 01:00")


def test_a_coarser_schedule_goes_back_to_its_own_tick_but_repeats_no_logical_date() -> None:
    """C1: schedule change. The second case would have the logical date of the last run once more."""
    since = restriction("2026-01-01", catchup=True)
    last = interval("2026-06-02 05:00", "2026-06-02 06:00")
    assert next_run(DAILY, last=last, restriction=since, now=NOW) == run("2026-06-03", "2026-06-04")
    last = interval("2026-06-02 00:00", "2026-06-02 01:00")
    assert next_run(DAILY, last=last, restriction=since, now=NOW) == run("2026-06-03", "2026-06-04")
    last = interval("2026-06-01 23:30", "2026-06-02 00:30")
    assert next_run(DAILY, last=last, restriction=since, now=NOW) == run("2026-06-02", "2026-06-03")


def test_a_former_trigger_schedule_leaves_a_moment_as_its_last_interval() -> None:
    """C1: schedule change; the logical date of that moment exists already."""
    since = restriction("2026-01-01", catchup=True)
    last = interval("2026-06-02", "2026-06-02")
    assert next_run(DAILY, last=last, restriction=since, now=NOW) == run("2026-06-03", "2026-06-04")


@pytest.mark.parametrize(
    ("timetable", "run_after", "expected"),
    [
        (DAILY, NOW, interval("2026-06-09", "2026-06-10")),
        (DAILY, utc("2026-06-10"), interval("2026-06-09", "2026-06-10")),
        (EVERY_6_HOURS, NOW, interval("2026-06-10 04:20", "2026-06-10 10:20")),
        (CronDataInterval("0 0 1 1 * 0 2030"), NOW, None),
    ],
)
def test_a_run_by_hand_is_about_the_last_complete_interval(
    timetable: Timetable, run_after: datetime, expected: DataInterval | None
) -> None:
    """C1."""
    assert manual_interval(timetable, run_after) == expected


def test_a_schedule_of_certain_years_begins_and_ends_with_them() -> None:
    """C1."""
    years = CronDataInterval("0 0 1 1 * 0 2030-2032")
    for catchup in (True, False):
        since = restriction("2026-01-01", catchup=catchup)
        runs = list(upcoming(years, last=None, restriction=since, now=NOW, count=9))
        assert runs == [run("2030-01-01", "2031-01-01"), run("2031-01-01", "2032-01-01")]
    over = CronDataInterval("0 0 1 1 * 0 2020-2022")
    assert next_run(over, last=None, restriction=restriction("2026-01-01", catchup=False), now=NOW) is None
