"""Schedules that start a run at each tick (B2, C1)."""

import pytest

from tests.instants import utc
from tradewind.decide.timetables import manual_interval, next_run, upcoming
from tradewind.model.timetable import (
    CronTrigger,
    DataInterval,
    Delta,
    DeltaTrigger,
    RunInfo,
    TimeRestriction,
)

DAILY = CronTrigger("0 0 * * *")
HOURLY = CronTrigger("0 * * * *")
NOW = utc("2026-06-10 10:20")


def restriction(start: str | None, end: str | None = None, *, catchup: bool) -> TimeRestriction:
    return TimeRestriction(utc(start) if start else None, utc(end) if end else None, catchup)


def moment(instant: str) -> RunInfo:
    """A run at that instant, about that instant."""
    return RunInfo(utc(instant), DataInterval(utc(instant), utc(instant)))


def test_the_first_run_is_at_the_first_tick_from_the_start_date_on() -> None:
    """B2: its data interval ends, and here also begins, when it runs."""
    for start, expected in (("2026-01-01", "2026-01-01"), ("2026-01-01 00:00:01", "2026-01-02")):
        since = restriction(start, catchup=True)
        assert next_run(DAILY, last=None, restriction=since, now=NOW) == moment(expected)


def test_an_interval_of_its_own_ends_at_the_tick() -> None:
    """B2: the logical date is the start of that interval."""
    timetable = CronTrigger("0 0 * * *", interval=Delta(months=1))
    since = restriction("2026-03-31", catchup=True)
    first = next_run(timetable, last=None, restriction=since, now=NOW)
    assert first == RunInfo(utc("2026-03-31"), DataInterval(utc("2026-02-28"), utc("2026-03-31")))
    assert first is not None
    assert first.logical_date == utc("2026-02-28")
    following = next_run(timetable, last=first, restriction=since, now=NOW)
    assert following == RunInfo(utc("2026-04-01"), DataInterval(utc("2026-03-01"), utc("2026-04-01")))


def test_with_catchup_every_tick_has_its_run() -> None:
    """C1."""
    since = restriction("2026-01-01", catchup=True)
    runs = upcoming(DAILY, last=None, restriction=since, now=NOW, count=3)
    assert list(runs) == [moment("2026-01-01"), moment("2026-01-02"), moment("2026-01-03")]


def test_with_catchup_a_start_date_moved_past_the_last_run_is_obeyed() -> None:
    """C1: unlike Airflow, which would run before it."""
    since = restriction("2026-03-01", catchup=True)
    assert next_run(DAILY, last=moment("2026-01-05"), restriction=since, now=NOW) == moment("2026-03-01")


def test_without_catchup_the_newest_tick_comes_first_and_only_once() -> None:
    """C1."""
    since = restriction("2026-01-01", catchup=False)
    newest = next_run(DAILY, last=moment("2026-01-05"), restriction=since, now=NOW)
    assert newest == moment("2026-06-10")
    assert next_run(DAILY, last=newest, restriction=since, now=NOW) == moment("2026-06-11")


def test_without_catchup_a_start_date_to_come_is_waited_for() -> None:
    """C1."""
    since = restriction("2026-07-01 12:00", catchup=False)
    assert next_run(DAILY, last=None, restriction=since, now=NOW) == moment("2026-07-02")


def test_no_run_is_after_the_end_date() -> None:
    """C1: the end date itself still counts."""
    until = restriction("2026-01-01", "2026-01-02", catchup=True)
    runs = upcoming(DAILY, last=None, restriction=until, now=NOW, count=9)
    assert list(runs) == [moment("2026-01-01"), moment("2026-01-02")]


@pytest.mark.parametrize(
    ("run_immediately", "now", "expected"),
    [
        (True, "2026-06-10 10:59", "2026-06-10 10:00"),
        (False, "2026-06-10 10:06", "2026-06-10 10:00"),
        (False, "2026-06-10 10:07", "2026-06-10 11:00"),
        (None, "2026-06-10 10:06", "2026-06-10 10:00"),
        (None, "2026-06-10 10:07", "2026-06-10 11:00"),
        (Delta(seconds=1200), "2026-06-10 10:20", "2026-06-10 10:00"),
        (Delta(seconds=1200), "2026-06-10 10:21", "2026-06-10 11:00"),
        (Delta(), "2026-06-10 10:00", "2026-06-10 10:00"),
    ],
)
@pytest.mark.parametrize("catchup", [True, False])
def test_without_start_date_and_runs_a_tick_just_missed_may_still_count(
    run_immediately: bool | Delta | None, now: str, expected: str, catchup: bool
) -> None:
    """C1: `False` and `None` both allow a tenth of the distance, as Airflow's code (not its text) does."""
    timetable = CronTrigger("0 * * * *", run_immediately=run_immediately)
    anytime = restriction(None, catchup=catchup)
    # Without catchup the newest tick is a candidate anyway, so only what lies ahead can differ.
    assert next_run(timetable, last=None, restriction=anytime, now=utc(now)) == moment(expected)


def test_five_minutes_are_always_allowed_to_a_tick_just_missed() -> None:
    """C1."""
    timetable = CronTrigger("*/20 * * * *")
    anytime = restriction(None, catchup=True)
    for now, expected in (("2026-06-10 10:05", "2026-06-10 10:00"), ("2026-06-10 10:06", "2026-06-10 10:20")):
        assert next_run(timetable, last=None, restriction=anytime, now=utc(now)) == moment(expected)


def test_run_immediately_means_nothing_once_there_is_a_start_date() -> None:
    """C1."""
    timetable = CronTrigger("0 * * * *", run_immediately=True)
    since = restriction("2026-06-10 10:10", catchup=True)
    assert next_run(timetable, last=None, restriction=since, now=NOW) == moment("2026-06-10 11:00")


def test_a_delta_trigger_starts_at_its_start_date_or_else_now_and_steps_from_its_last_run() -> None:
    """C1."""
    timetable = DeltaTrigger(Delta(seconds=5400), interval=Delta(seconds=600))
    since = restriction("2026-06-01 00:10", catchup=True)
    runs = list(upcoming(timetable, last=None, restriction=since, now=NOW, count=2))
    assert [info.run_after for info in runs] == [utc("2026-06-01 00:10"), utc("2026-06-01 01:40")]
    assert runs[0].logical_date == utc("2026-06-01 00:00")
    for catchup in (True, False):
        anytime = restriction(None, catchup=catchup)
        first = next_run(timetable, last=None, restriction=anytime, now=NOW)
        assert first is not None
        assert first.run_after == NOW


def test_a_delta_trigger_without_catchup_leaves_out_what_it_missed() -> None:
    """C1."""
    timetable = DeltaTrigger(Delta(days=1))
    since = restriction("2026-01-01", catchup=False)
    late = next_run(timetable, last=moment("2026-06-01"), restriction=since, now=NOW)
    assert late is not None
    assert late.run_after == NOW
    on_time = next_run(timetable, last=moment("2026-06-10"), restriction=since, now=NOW)
    assert on_time == moment("2026-06-11")


def test_a_run_by_hand_ends_when_it_is_started() -> None:
    """C1."""
    assert manual_interval(DAILY, NOW) == DataInterval(NOW, NOW)
    hourly = DeltaTrigger(Delta(days=1), interval=Delta(seconds=3600))
    assert manual_interval(hourly, NOW) == DataInterval(utc("2026-06-10 09:20"), NOW)


def test_a_schedule_of_years_that_are_over_or_to_come_ends_or_waits() -> None:
    """C1."""
    for catchup in (True, False):
        since = restriction("2026-01-01", catchup=catchup)
        over = CronTrigger("0 0 1 1 * 0 2020")
        assert next_run(over, last=None, restriction=since, now=NOW) is None
        ahead = CronTrigger("0 0 1 1 * 0 2030")
        assert next_run(ahead, last=None, restriction=since, now=NOW) == moment("2030-01-01")
        anytime = restriction(None, catchup=catchup)
        assert next_run(ahead, last=None, restriction=anytime, now=NOW) == moment("2030-01-01")


def test_a_start_date_at_the_edge_of_the_calendar_is_no_error() -> None:
    """C1: people write `datetime.min` for "since ever"."""
    timetable = CronTrigger("0 0 * * *", "America/New_York")
    since = restriction("0001-01-01", catchup=False)
    assert next_run(timetable, last=None, restriction=since, now=NOW) == moment("2026-06-10 04:00")
    assert next_run(timetable, last=moment("9999-12-31 12:00"), restriction=since, now=NOW) is None
    assert next_run(DeltaTrigger(Delta(months=1)), last=moment("9999-12-31"), restriction=since, now=NOW) is None
