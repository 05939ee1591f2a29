"""Partition keys that stand for times (C2): rounded down in their zone, written, and read again."""

from datetime import datetime

import pytest

from tests.instants import utc
from tradewind.model.partition import Direction, Period, PeriodWindow, StartOfPeriod
from tradewind.model.partition_time import (
    DEFAULT_FORMATS,
    downstream_key,
    key_pattern,
    period_date,
    read_period,
    require_readable,
    start_of,
    upstream_key,
    window_members,
)


def mapper(period: Period, timezone: str = "UTC", output_format: str | None = None) -> StartOfPeriod:
    return StartOfPeriod(period, output_format or DEFAULT_FORMATS[period], timezone)


def wall(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("period", "start", "key"),
    [
        (Period.HOUR, "2024-03-13T10:00:00", "2024-03-13T10"),
        (Period.DAY, "2024-03-13T00:00:00", "2024-03-13"),
        (Period.WEEK, "2024-03-11T00:00:00", "2024-03-11 (W11)"),
        (Period.MONTH, "2024-03-01T00:00:00", "2024-03"),
        (Period.QUARTER, "2024-01-01T00:00:00", "2024-Q1"),
        (Period.YEAR, "2024-01-01T00:00:00", "2024"),
    ],
)
def test_a_key_is_rounded_down_to_its_period(period: Period, start: str, key: str) -> None:
    assert start_of(period, wall("2024-03-13T10:42:15.5")) == wall(start)
    assert downstream_key(mapper(period), "2024-03-13T10:42:15") == key
    assert read_period(mapper(period), key) == wall(start)
    assert period_date(mapper(period), key) == wall(start + "+00:00")


@pytest.mark.parametrize("month", range(1, 13))
def test_each_month_has_its_quarter(month: int) -> None:
    key = downstream_key(mapper(Period.QUARTER), f"2024-{month:02}-28T00:00:00")

    assert key == f"2024-Q{(month - 1) // 3 + 1}"
    assert read_period(mapper(Period.QUARTER), key).month in (1, 4, 7, 10)


def test_a_key_with_an_offset_is_moved_to_the_zone_of_the_mapper() -> None:
    days = StartOfPeriod(Period.DAY, "%Y-%m-%d", "Asia/Tokyo", input_format="%Y-%m-%dT%H:%M%z")

    assert downstream_key(days, "2024-03-13T20:00+0000") == "2024-03-14"
    assert upstream_key(days, utc("2024-03-13 20:00")) == "2024-03-14T05:00+0900"


def test_the_date_of_a_partition_is_the_instant_in_the_zone_of_the_mapper() -> None:
    assert period_date(mapper(Period.DAY, "Europe/Berlin"), "2024-07-01") == utc("2024-06-30 22:00")


def test_around_clock_changes_a_reading_is_the_second_showing_or_moved_forward() -> None:
    hours = mapper(Period.HOUR, "Europe/Berlin", "%Y-%m-%dT%H%z")

    assert downstream_key(hours, "2026-10-25T02:30:00") == "2026-10-25T02+0100"
    assert downstream_key(hours, "2026-03-29T02:30:00") == "2026-03-29T03+0200"


def test_a_key_in_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="does not match format"):
        downstream_key(mapper(Period.DAY), "13.03.2024")
    with pytest.raises(ValueError, match="'2024-Q5' cannot be read"):
        read_period(mapper(Period.QUARTER), "2024-Q5")
    with pytest.raises(ValueError, match="needs %Y, %m, %d"):
        read_period(mapper(Period.WEEK, output_format="%Y-W%V"), "2024-W11")


@pytest.mark.parametrize("output_format", ["%Y-{half}", "%Y-%Y", "{quarter}{quarter}", "{}"])
def test_a_format_that_cannot_be_read_again_is_refused_early(output_format: str) -> None:
    with pytest.raises(ValueError, match="the format"):
        require_readable(mapper(Period.QUARTER, output_format=output_format))


def test_signs_in_a_format_are_only_signs() -> None:
    assert key_pattern("%Y.(%m)+").fullmatch("2024.(03)+")
    assert key_pattern("%Y.%m").fullmatch("2024x03") is None


@pytest.mark.parametrize(
    ("period", "anchor", "count", "second", "last"),
    [
        (Period.HOUR, "2024-03-13T10:00", 60, "2024-03-13T10:01:00", "2024-03-13T10:59:00"),
        (Period.DAY, "2024-03-13", 24, "2024-03-13T01:00:00", "2024-03-13T23:00:00"),
        (Period.WEEK, "2024-03-11", 7, "2024-03-12T00:00:00", "2024-03-17T00:00:00"),
        (Period.MONTH, "2024-02-01", 29, "2024-02-02T00:00:00", "2024-02-29T00:00:00"),
        (Period.MONTH, "2023-02-01", 28, "2023-02-02T00:00:00", "2023-02-28T00:00:00"),
        (Period.QUARTER, "2024-10-01", 3, "2024-11-01T00:00:00", "2024-12-01T00:00:00"),
        (Period.YEAR, "2024-01-01", 12, "2024-02-01T00:00:00", "2024-12-01T00:00:00"),
    ],
)
def test_a_window_has_the_parts_of_its_period(period: Period, anchor: str, count: int, second: str, last: str) -> None:
    members = list(window_members(PeriodWindow(period), wall(anchor)))

    assert (len(members), members[0], members[1], members[-1]) == (count, wall(anchor), wall(second), wall(last))


@pytest.mark.parametrize(
    ("period", "anchor", "count", "first"),
    [
        (Period.HOUR, "2024-03-13T10:00", 60, "2024-03-13T09:01"),
        (Period.DAY, "2024-03-13T23:00", 24, "2024-03-13T00:00"),
        (Period.WEEK, "2024-03-11", 7, "2024-03-05"),
        (Period.MONTH, "2024-03-01", 29, "2024-02-02"),
        (Period.QUARTER, "2024-01-01", 3, "2023-11-01"),
        (Period.YEAR, "2024-01-01", 12, "2023-02-01"),
    ],
)
def test_a_backward_window_ends_with_its_anchor(period: Period, anchor: str, count: int, first: str) -> None:
    members = list(window_members(PeriodWindow(period, Direction.BACKWARD), wall(anchor)))

    assert (len(members), members[0], members[-1]) == (count, wall(first), wall(anchor))


@pytest.mark.parametrize("period", [Period.MONTH, Period.QUARTER, Period.YEAR])
def test_a_window_of_months_begins_on_the_first(period: Period) -> None:
    with pytest.raises(ValueError, match="begins on the first of a month"):
        window_members(PeriodWindow(period), wall("2024-01-31"))
