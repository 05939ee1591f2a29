"""Schedules that are a list of instants, and schedules of several cron expressions (C1)."""

from datetime import datetime, timedelta, timezone

import pytest

from tests.instants import utc
from tradewind.decide.timetables import manual_interval, names_run, next_run, upcoming
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.timetable import (
    AssetOrTime,
    CronDataInterval,
    CronTrigger,
    Custom,
    DataInterval,
    Delta,
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    Never,
    Once,
    RunInfo,
    TimeRestriction,
    Timetable,
)

NOW = utc("2026-06-10 10:20")
EVENTS = Events((utc("2026-06-01"), utc("2026-06-10 10:20"), utc("2026-06-20")))
HALVES = MultipleCronTrigger(("0 * * * *", "30 * * * *"))


def restriction(start: str | None, end: str | None = None, *, catchup: bool) -> TimeRestriction:
    return TimeRestriction(utc(start) if start else None, utc(end) if end else None, catchup)


def moment(instant: str) -> RunInfo:
    """A run at that instant, about that instant."""
    return RunInfo(utc(instant), DataInterval(utc(instant), utc(instant)))


def test_each_event_is_a_run_about_its_own_moment() -> None:
    runs = list(upcoming(EVENTS, last=None, restriction=restriction(None, catchup=True), now=NOW, count=9))

    assert runs == [moment("2026-06-01"), moment("2026-06-10 10:20"), moment("2026-06-20")]


def test_without_catchup_events_before_now_are_gone() -> None:
    runs = list(upcoming(EVENTS, last=None, restriction=restriction("2020-01-01", catchup=False), now=NOW, count=9))

    assert runs == [moment("2026-06-10 10:20"), moment("2026-06-20")]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2026-06-01 00:00:01", None, ["2026-06-10 10:20", "2026-06-20"]),
        ("2026-06-20", None, ["2026-06-20"]),
        (None, "2026-06-10 10:20", ["2026-06-01", "2026-06-10 10:20"]),
        ("2026-06-21", None, []),
        (None, "2026-05-31", []),
    ],
)
def test_events_outside_the_dates_of_the_dag_do_not_count(
    start: str | None, end: str | None, expected: list[str]
) -> None:
    within = restriction(start, end, catchup=True)

    assert list(upcoming(EVENTS, last=None, restriction=within, now=NOW, count=9)) == [*map(moment, expected)]


def test_no_events_are_no_runs() -> None:
    assert next_run(Events(), last=None, restriction=restriction(None, catchup=True), now=NOW) is None


def test_events_in_another_zone_make_runs_in_utc() -> None:
    tokyo = timezone(timedelta(hours=9))
    events = Events((utc("2026-06-20").astimezone(tokyo),))

    run = next_run(events, last=None, restriction=restriction(None, catchup=True), now=NOW)

    assert run == moment("2026-06-20")
    assert run.run_after.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        ("2026-06-15", "2026-06-10 10:20"),
        ("2026-06-10 10:20", "2026-06-10 10:20"),
        ("2020-01-01", "2026-06-01"),
        ("2030-01-01", "2026-06-20"),
    ],
)
def test_a_run_by_hand_may_be_about_the_newest_event(asked: str, about: str) -> None:
    restricted = Events(EVENTS.instants, restrict_to_events=True)

    assert manual_interval(restricted, utc(asked)) == moment(about).data_interval
    assert manual_interval(EVENTS, utc(asked)) == moment(asked).data_interval


def test_a_run_by_hand_without_any_event_is_about_its_own_moment() -> None:
    assert manual_interval(Events(restrict_to_events=True), NOW) == DataInterval(NOW, NOW)


def test_a_list_of_events_is_sorted_and_knows_its_zone() -> None:
    with pytest.raises(ValueError, match="ascending"):
        Events((utc("2026-06-02"), utc("2026-06-01")))
    with pytest.raises(ValueError, match="ascending"):
        Events((utc("2026-06-01"), utc("2026-06-01")))
    with pytest.raises(ValueError, match="has no time zone"):
        Events((datetime.fromisoformat("2026-06-01"),))


def test_with_catchup_the_ticks_of_all_expressions_come_in_turn() -> None:
    since = restriction("2026-06-10 08:00", catchup=True)

    runs = list(upcoming(HALVES, last=None, restriction=since, now=NOW, count=4))

    assert runs == [moment(f"2026-06-10 {time}") for time in ("08:00", "08:30", "09:00", "09:30")]


def test_ticks_that_fall_together_make_one_run() -> None:
    since = restriction("2026-06-10", catchup=True)
    overlapping = MultipleCronTrigger(("0 0 * * *", "0 */12 * * *"))

    runs = list(upcoming(overlapping, last=None, restriction=since, now=NOW, count=3))

    assert runs == [moment("2026-06-10"), moment("2026-06-10 12:00"), moment("2026-06-11")]


def test_without_catchup_the_newest_missed_tick_runs_and_then_the_soonest_to_come() -> None:
    since = restriction("2026-01-01", catchup=False)

    runs = list(upcoming(HALVES, last=None, restriction=since, now=NOW, count=3))

    assert runs == [moment(f"2026-06-10 {time}") for time in ("10:00", "10:30", "11:00")]


def test_the_sooner_of_two_ticks_to_come_is_not_lost_to_a_long_interval() -> None:
    """Airflow compares logical dates, which lie in the past here, and takes the later tick."""
    days = MultipleCronTrigger(HALVES.expressions, interval=Delta(days=1))
    last = RunInfo(utc("2026-06-10 10:00"), DataInterval(utc("2026-06-09 10:00"), utc("2026-06-10 10:00")))

    following = next_run(days, last=last, restriction=restriction("2026-01-01", catchup=False), now=NOW)

    assert following is not None
    assert following.run_after == utc("2026-06-10 10:30")
    assert following.logical_date == utc("2026-06-09 10:30")


def test_an_expression_that_is_over_leaves_the_others() -> None:
    timetable = MultipleCronTrigger(("0 0 1 1 * 0 2020", "0 0 * * *"))

    run = next_run(timetable, last=None, restriction=restriction("2026-06-10", catchup=True), now=NOW)

    assert run == moment("2026-06-10")


def test_the_end_date_ends_all_expressions() -> None:
    until = restriction("2026-06-10", "2026-06-10 00:20", catchup=True)

    assert list(upcoming(HALVES, last=None, restriction=until, now=NOW, count=3)) == [moment("2026-06-10")]


def test_a_run_by_hand_is_about_the_interval_until_it_was_asked_for() -> None:
    days = MultipleCronTrigger(HALVES.expressions, interval=Delta(days=1))

    assert manual_interval(days, NOW) == DataInterval(utc("2026-06-09 10:20"), NOW)


def test_several_expressions_are_at_least_one() -> None:
    with pytest.raises(ValueError, match="at least one"):
        MultipleCronTrigger(())


@pytest.mark.parametrize(
    ("timetable", "start", "expected"),
    [
        (EVENTS, None, True),
        (EVENTS, "2026-06-02", False),
        (Events((utc("2026-06-20"),)), None, False),
        (CronTrigger("0 0 * * *"), None, True),
        (CronTrigger("0 1 * * *"), None, False),
        (CronTrigger("0 0 * * *", interval=Delta(days=1)), None, False),
        (CronDataInterval("0 0 * * *"), None, False),
        (DeltaTrigger(Delta(days=1)), None, True),
        (Once(), None, False),
        (Never(), None, False),
        (AssetOrTime(EVENTS), None, True),
    ],
)
def test_a_schedule_knows_a_run_of_the_past_that_it_names(
    timetable: Timetable, start: str | None, expected: bool
) -> None:
    within = restriction(start, catchup=False)

    assert names_run(timetable, moment("2026-06-01"), restriction=within) is expected


def test_a_schedule_of_data_intervals_knows_the_spans_of_the_past_that_it_names() -> None:
    within = restriction(None, catchup=False)
    day = RunInfo(utc("2026-06-02"), DataInterval(utc("2026-06-01"), utc("2026-06-02")))

    assert names_run(CronDataInterval("0 0 * * *"), day, restriction=within)
    assert names_run(CronTrigger("0 0 * * *", interval=Delta(days=1)), day, restriction=within)
    assert not names_run(CronDataInterval("0 */12 * * *"), day, restriction=within)


def test_of_a_timetable_of_an_authors_own_the_plan_knows_its_runs() -> None:
    within = restriction(None, catchup=False)
    plan = PlannedRuns((moment("2026-06-01"),))

    assert names_run(Custom("mine.Workdays"), moment("2026-06-01"), restriction=within, plan=plan)
    assert not names_run(Custom("mine.Workdays"), moment("2026-06-02"), restriction=within, plan=plan)
