"""What holds for the dates of every backfill, whatever its schedule (B7, C1)."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.instants import utc
from tests.unit.decide.backfill_plans import plan
from tradewind.decide.backfill import Span, dates, planned_dates
from tradewind.decide.timetables import next_run
from tradewind.model.timetable import (
    CronDataInterval,
    CronTrigger,
    Delta,
    DeltaDataInterval,
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    RunInfo,
    TimeRestriction,
    Timetable,
)

ZONES = st.sampled_from(("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"))
CRON = st.sampled_from(("0 * * * *", "*/20 2 * * *", "30 2 * * *", "0 0 1 * *", "15,45 */3 * * 1-5", "0 0 31 * *"))
DELTA = st.sampled_from((Delta(seconds=3_600), Delta(seconds=86_399), Delta(months=1), Delta(days=1, microseconds=7)))
START = st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 1), timezones=st.just(UTC))  # noqa: DTZ001 - it is given one
LENGTH = st.timedeltas(timedelta(0), timedelta(days=20))


@st.composite
def timetables(draw: st.DrawFn) -> Timetable:
    """Each kind that names dates."""
    zone = draw(ZONES)
    match draw(st.integers(0, 5)):
        case 0:
            return CronTrigger(draw(CRON), zone)
        case 1:
            return CronDataInterval(draw(CRON), zone)
        case 2:
            return MultipleCronTrigger((draw(CRON), draw(CRON)), zone, interval=Delta(seconds=600))
        case 3:
            return DeltaDataInterval(draw(DELTA))
        case 4:
            return DeltaTrigger(draw(DELTA), interval=Delta(seconds=60))
        case _:
            moments = draw(st.sets(st.integers(0, 500), max_size=20))
            return Events(tuple(utc("2026-03-01") + timedelta(hours=hour) for hour in sorted(moments)))


@st.composite
def spans(draw: st.DrawFn) -> Span:
    """Some end in the future."""
    start = draw(START)
    end = start + draw(LENGTH)
    return Span(start, end, draw(st.sampled_from((end + timedelta(days=99), start + (end - start) / 2 + timedelta(1)))))


def by_hand(timetable: Timetable, span: Span) -> list[RunInfo]:
    """Asked as a scheduler would ask, of a DAG that exists in that span only and makes up for all that it missed."""
    found: list[RunInfo] = []
    within = TimeRestriction(span.start, span.end, catchup=True)
    while (
        info := next_run(timetable, last=found[-1] if found else None, restriction=within, now=span.end)
    ) is not None:
        found.append(info)
    return [info for info in found if info.data_interval is not None and info.data_interval.end < span.until]


@given(timetables(), spans())
def test_the_dates_are_those_that_the_scheduler_would_have_made(timetable: Timetable, span: Span) -> None:
    found = list(dates(timetable, span))

    assert found == by_hand(timetable, span)
    logical = [info.logical_date for info in found]
    assert len(set(logical)) == len(logical)
    assert all(span.start <= info.run_after for info in found)


@given(timetables(), spans(), st.booleans(), st.data())
def test_whoever_goes_on_from_anywhere_comes_to_the_same_dates(
    timetable: Timetable, span: Span, is_backward: bool, data: st.DataObject
) -> None:
    planned = plan(timetable, span, is_backward=is_backward)
    everything = list(dates(timetable, span))
    if is_backward:
        everything.reverse()
    position = data.draw(st.integers(0, planned.total))

    assert len(everything) == planned.total
    assert list(planned_dates(timetable, planned, position=position)) == everything[position:]
