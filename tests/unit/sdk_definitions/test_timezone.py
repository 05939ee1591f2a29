"""Dates and times of templates and DAG files (C1)."""

import datetime as dt
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import pendulum
import pytest

from tests.instants import utc
from tradewind.sdk import timezone

NOON = dt.datetime.fromisoformat("2026-01-01 12:00")


@pytest.fixture(autouse=True)
def default_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test makes the default zone is forgotten after it."""
    timezone._Default.zone = None
    yield
    timezone._Default.zone = None


@pytest.fixture
def tokyo() -> None:
    timezone.initialize("Asia/Tokyo")


def test_now_is_in_utc() -> None:
    assert timezone.utcnow().utcoffset() == dt.timedelta(0)
    assert timezone.utc == pendulum.UTC


@pytest.mark.usefixtures("tokyo")
def test_what_has_no_zone_is_in_the_default_one() -> None:
    assert timezone.convert_to_utc(NOON) == utc("2026-01-01 03:00")
    assert timezone.make_aware(NOON) == utc("2026-01-01 03:00")
    assert timezone.coerce_datetime(NOON) == utc("2026-01-01 03:00")
    assert timezone.datetime(2026, 1, 1, 12) == utc("2026-01-01 03:00")
    assert timezone.parse("2026-01-01 12:00") == utc("2026-01-01 03:00")
    assert timezone.make_naive(utc("2026-01-01 03:00")) == NOON


def test_the_default_zone_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__DEFAULT_TIMEZONE", "Europe/Berlin")

    assert timezone.default_timezone().name == "Europe/Berlin"
    timezone.initialize("utc")
    assert timezone.default_timezone() == pendulum.UTC
    timezone.initialize("system")
    assert timezone.default_timezone() == timezone.local_timezone()


def test_what_has_a_zone_keeps_its_instant() -> None:
    tokyo = utc("2026-01-01").astimezone(ZoneInfo("Asia/Tokyo"))

    converted = timezone.convert_to_utc(tokyo)
    assert converted == tokyo
    assert isinstance(converted, pendulum.DateTime)
    assert converted.utcoffset() == dt.timedelta(0)
    coerced = timezone.coerce_datetime(tokyo, pendulum.UTC)
    assert isinstance(coerced, pendulum.DateTime)
    assert coerced.utcoffset() == dt.timedelta(hours=9)
    assert timezone.coerce_datetime(coerced) is coerced
    assert timezone.parse("2026-01-01T09:00:00+09:00") == tokyo
    assert timezone.datetime(2026, 1, 1, tzinfo=dt.UTC) == utc("2026-01-01")


def test_nothing_stays_nothing() -> None:
    assert timezone.convert_to_utc(None) is None
    assert timezone.coerce_datetime(None) is None
    assert timezone.make_aware(None) is None
    assert timezone.td_format(None) is None


@pytest.mark.parametrize("zone", [ZoneInfo("Europe/Berlin"), timezone.parse_timezone("Europe/Berlin")])
@pytest.mark.parametrize(
    ("reading", "instant"), [("2026-10-25 02:30", "2026-10-25 01:30"), ("2026-03-29 02:30", "2026-03-29 01:30")]
)
def test_a_reading_shown_twice_is_its_second_showing_and_a_skipped_one_comes_later(
    zone: dt.tzinfo, reading: str, instant: str
) -> None:
    aware = timezone.make_aware(dt.datetime.fromisoformat(reading), zone)

    assert aware.astimezone(dt.UTC) == utc(instant)


def test_a_zone_of_pytz_is_asked_in_its_own_way() -> None:
    class Pytz(dt.tzinfo):
        def localize(self, reading: dt.datetime) -> dt.datetime:
            return reading.replace(tzinfo=dt.timezone(dt.timedelta(hours=2)))

        def utcoffset(self, reading: dt.datetime | None) -> dt.timedelta | None:
            raise AssertionError

        dst = tzname = utcoffset  # type: ignore[assignment]

    assert timezone.make_aware(NOON, Pytz()) == utc("2026-01-01 10:00")


def test_what_has_a_zone_gets_no_second_and_what_has_none_cannot_lose_it() -> None:
    with pytest.raises(ValueError, match="has a time zone already"):
        timezone.make_aware(utc("2026-01-01"))
    with pytest.raises(ValueError, match="has no time zone"):
        timezone.make_naive(NOON)
    assert timezone.is_localized(utc("2026-01-01"))
    assert timezone.is_naive(NOON)


def test_a_text_that_is_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="'P1D' is no date and time"):
        timezone.parse("P1D")


def test_a_timestamp_is_an_instant() -> None:
    seconds = utc("2026-01-01").timestamp()

    assert timezone.from_timestamp(seconds) == utc("2026-01-01")
    assert timezone.from_timestamp(seconds, "Asia/Tokyo").hour == 9
    assert timezone.from_timestamp(seconds, "local") == utc("2026-01-01")


@pytest.mark.parametrize(("name", "offset"), [("Asia/Tokyo", 9), (3600, 1), ("UTC", 0)])
def test_a_zone_has_a_name_or_an_offset(name: Any, offset: int) -> None:
    zone = timezone.parse_timezone(name)

    assert utc("2026-01-01").astimezone(zone).utcoffset() == dt.timedelta(hours=offset)


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (dt.timedelta(seconds=3752), "1h:2M:32s"),
        (3752, "1h:2M:32s"),
        (-3600.0, "-1h"),
        (dt.timedelta(days=400), "1y:1m:10d"),
        (0.5, "<1s"),
        (0, "<1s"),
    ],
)
def test_a_duration_is_told_to_people(duration: Any, text: str) -> None:
    assert timezone.td_format(duration) == text
