"""Each moment is in the window of its period, and the keys of a period lead back to it (C2)."""

from collections.abc import Callable
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tradewind.model.partition import Period, PeriodWindow, StartOfPeriod
from tradewind.model.partition_time import (
    DEFAULT_FORMATS,
    downstream_key,
    read_period,
    start_of,
    upstream_key,
    window_members,
    write_period,
)

moments = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(microsecond=0))  # noqa: DTZ001
periods = st.sampled_from(Period)
# The step of its window that a moment belongs to.
STEPS: dict[Period, Callable[[datetime], datetime]] = {
    Period.HOUR: lambda moment: moment.replace(second=0),
    Period.DAY: lambda moment: start_of(Period.HOUR, moment),
    Period.WEEK: lambda moment: start_of(Period.DAY, moment),
    Period.MONTH: lambda moment: start_of(Period.DAY, moment),
    Period.QUARTER: lambda moment: start_of(Period.MONTH, moment),
    Period.YEAR: lambda moment: start_of(Period.MONTH, moment),
}


@given(periods, moments)
def test_every_moment_lies_in_exactly_one_step_of_its_period(period: Period, moment: datetime) -> None:
    members = list(window_members(PeriodWindow(period), start_of(period, moment)))

    assert members == sorted(set(members))
    assert members.count(STEPS[period](moment)) == 1


@given(periods, moments)
def test_the_start_of_a_period_is_its_own_start(period: Period, moment: datetime) -> None:
    start = start_of(period, moment)

    assert start <= moment
    assert start_of(period, start) == start
    assert start_of(period, start - timedelta(seconds=1)) < start


@given(periods, moments, st.sampled_from(["UTC", "Asia/Kolkata", "+05:45"]))
def test_what_makes_up_a_downstream_key_leads_to_it(period: Period, moment: datetime, timezone: str) -> None:
    """The rule that roll-ups rely on: an upstream key is waited for if and only if it counts for the run."""
    mapper = StartOfPeriod(period, DEFAULT_FORMATS[period], timezone)
    key = downstream_key(mapper, moment.strftime(mapper.input_format))

    anchor = read_period(mapper, key)

    assert write_period(mapper, anchor) == key
    for member in window_members(PeriodWindow(period), anchor):
        assert downstream_key(mapper, upstream_key(mapper, member)) == key
