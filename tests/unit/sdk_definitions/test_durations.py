"""Durations and time zones, of whichever library an author likes (C1)."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pendulum
import pytest
from dateutil.relativedelta import MO, relativedelta

from tradewind.model.timetable import Delta
from tradewind.sdk.durations import delta_of, is_relativedelta, zone_name
from tradewind.sdk.exceptions import AirflowTimetableInvalid


class Nameless(tzinfo):
    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return None if dt is None else timedelta(hours=1)

    def dst(self, dt: datetime | None) -> timedelta | None:
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        return None


class OfPytz(Nameless):
    zone = "Europe/Berlin"


@pytest.mark.parametrize(
    ("duration", "delta"),
    [
        (timedelta(days=1, seconds=2, microseconds=3), Delta(0, 1, 2, 3)),
        (timedelta(hours=-1), Delta(0, -1, 82800)),
        (relativedelta(years=1, months=2), Delta(14)),
        (relativedelta(months=1, hours=30, microseconds=5), Delta(1, 1, 21600, 5)),
        (relativedelta(weeks=1), Delta(0, 7)),
        (relativedelta(months=-1), Delta(-1)),
        (pendulum.duration(years=1, months=1, weeks=1, hours=2), Delta(13, 7, 7200)),
        (pendulum.duration(days=3), Delta(0, 3)),
    ],
)
def test_a_duration_is_months_and_a_fixed_rest(duration: Any, delta: Delta) -> None:
    assert delta_of(duration, "delta") == delta


@pytest.mark.parametrize(
    ("duration", "problem"),
    [
        (relativedelta(day=1), r"delta is relativedelta\(day=1\), which names a date \(day\)"),
        (relativedelta(weekday=MO, hour=3), r"\(weekday, hour\)"),
        (relativedelta(leapdays=1), r"\(leapdays\)"),
        (3600, "delta must be a timedelta or a relativedelta, not 3600"),
        ("1h", "not '1h'"),
    ],
)
def test_what_is_no_duration_is_refused(duration: Any, problem: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=problem):
        delta_of(duration, "delta")


def test_a_relativedelta_is_known_without_its_library() -> None:
    assert is_relativedelta(relativedelta())
    assert not is_relativedelta(timedelta())


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("utc", "UTC"),
        (UTC, "UTC"),
        (ZoneInfo("Asia/Tokyo"), "Asia/Tokyo"),
        (pendulum.timezone("Europe/Paris"), "Europe/Paris"),
        (pendulum.UTC, "UTC"),
        (pendulum.FixedTimezone(19800), "+05:30"),
        (pendulum.FixedTimezone(-5400, name="mine"), "-01:30"),
        (timezone(timedelta(hours=-3, minutes=-30)), "-03:30"),
        (timezone(timedelta(hours=1), "CET"), "+01:00"),
        (timezone(timedelta(minutes=19, seconds=32)), "+00:19:32"),
        (OfPytz(), "Europe/Berlin"),
    ],
)
def test_a_time_zone_has_a_name_or_an_offset(zone: str | tzinfo, name: str) -> None:
    assert zone_name(zone) == name


def test_a_time_zone_that_cannot_be_named_is_refused() -> None:
    with pytest.raises(AirflowTimetableInvalid, match="has no name"):
        zone_name(Nameless())
