"""Reading cron expressions, and refusing what is none (C1)."""

from datetime import datetime

import pytest

from tradewind.decide.timetables import BadCron
from tradewind.model.cron_calendar import cron_calendar

NEW_YEAR = datetime.fromisoformat("2026-01-01 00:00:00")


def readings(expression: str, count: int, start: datetime = NEW_YEAR) -> list[str]:
    calendar = cron_calendar(expression)
    found: list[str] = []
    reading = calendar.after(start)
    while reading is not None and len(found) < count:
        found.append(reading.isoformat(" ").removesuffix(":00"))
        reading = calendar.after(reading)
    return found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("*/20 1 * * *", ["2026-01-01 01:00", "2026-01-01 01:20", "2026-01-01 01:40", "2026-01-02 01:00"]),
        ("5/30 23 * * *", ["2026-01-01 23:05", "2026-01-01 23:35"]),
        ("0 22-1/2 * * *", ["2026-01-01 22:00", "2026-01-02 00:00", "2026-01-02 22:00"]),
        ("0 0 1 jan,Dec *", ["2026-12-01 00:00", "2027-01-01 00:00"]),
        ("0 0 ? * FRI", ["2026-01-02 00:00", "2026-01-09 00:00"]),
        ("0 0 * * 7", ["2026-01-04 00:00", "2026-01-11 00:00"]),
        ("0 0 * * sat-mon", ["2026-01-03 00:00", "2026-01-04 00:00", "2026-01-05 00:00", "2026-01-10 00:00"]),
        ("0 0 29 2 *", ["2028-02-29 00:00", "2032-02-29 00:00"]),
        ("0 0 31 * *", ["2026-01-31 00:00", "2026-03-31 00:00"]),
        ("0 0 L * *", ["2026-01-31 00:00", "2026-02-28 00:00"]),
        ("0 0 15W 8 *", ["2026-08-14 00:00", "2027-08-16 00:00"]),
        ("0 0 1W 8 *", ["2026-08-03 00:00", "2027-08-02 00:00"]),
        ("0 0 * * 5#3", ["2026-01-16 00:00", "2026-02-20 00:00"]),
        ("0 0 * * L5", ["2026-01-30 00:00", "2026-02-27 00:00"]),
        ("0 0 * 2 mon#5", ["2044-02-29 00:00", "2072-02-29 00:00"]),
        ("0 0 1 1 * */30", ["2026-01-01 00:00:30", "2027-01-01 00:00"]),
        ("0 0 1 7 * 0 2030-2031", ["2030-07-01 00:00", "2031-07-01 00:00"]),
        ("@quarterly", ["2026-04-01 00:00", "2026-07-01 00:00"]),
    ],
)
def test_an_expression_names_these_readings_of_the_clock(expression: str, expected: list[str]) -> None:
    """C1."""
    assert readings(expression, len(expected)) == expected


def test_a_day_of_the_month_and_a_weekday_are_joined_by_or() -> None:
    """C1."""
    assert readings("0 0 13 * 5", 4) == [
        "2026-01-02 00:00",
        "2026-01-09 00:00",
        "2026-01-13 00:00",
        "2026-01-16 00:00",
    ]
    assert "2026-01-13 00:00" in readings("0 0 13 * 5#3", 3)


def test_years_that_are_over_leave_no_reading() -> None:
    """C1: Airflow's scheduler fails over such a schedule; here it has merely ended."""
    assert readings("0 0 1 1 * 0 2020", 1) == []
    assert cron_calendar("0 0 1 1 * 0 2020").before(NEW_YEAR) == datetime.fromisoformat("2020-01-01")


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "0 fields"),
        ("* * * *", "4 fields"),
        ("* * * * * * * *", "8 fields; minute, hour, day, month, weekday, and if need be second and year are meant"),
        ("0 30 6 * * *", "hour 30 is not within 0-23; with six fields the seconds come last"),
        ("0 0 6 * * mon", "'mon' is no second; with six fields the seconds come last"),
        ("0 30 6 * * * 2027", "hour 30 is not within 0-23; with seven fields the seconds come before the year"),
        ("60 * * * *", "minute 60 is not within 0-59"),
        ("* 24 * * *", "hour 24 is not within 0-23"),
        ("0 0 0 * * 0", "day of month 0 is not within 1-31; with six fields the seconds come last"),
        ("* * * 13 *", "month 13 is not within 1-12"),
        ("* * * * 8", "day of week 8 is not within 0-6"),
        ("* * * foo *", "'foo' is no month"),
        ("*/0 * * * *", "a step of 0 in the minute '*/0'"),
        ("5- * * * *", "'5-' is no minute"),
        ("1,,2 * * * *", "'' is no minute"),
        ("-1 * * * *", "'-1' is no minute"),
        ("* * * * 5#6", "no month has a weekday number 6"),
        ("* * 32W * *", "day of month 32 is not within 1-31"),
        ("H * * * *", "hashed (H) and random (R) values would differ"),
        ("R(0-5) * * * *", "hashed (H) and random (R) values would differ"),
        ("@fortnightly", "no such preset; there are @hourly, @daily"),
        ("² * * * *", "'²' is no minute"),
    ],
)
def test_what_is_no_cron_expression_is_refused_with_the_reason(expression: str, reason: str) -> None:
    """C1."""
    with pytest.raises(BadCron) as refused:
        cron_calendar(expression)
    assert reason in str(refused.value)
    assert repr(expression) in str(refused.value)


@pytest.mark.parametrize("expression", ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 29 2 * 0 2027,2029", "0 0 31 2 *"])
def test_a_date_that_never_comes_is_refused(expression: str) -> None:
    """C1: a search for it would not end."""
    with pytest.raises(BadCron, match="does not exist in any year"):
        cron_calendar(expression)


def test_an_impossible_date_beside_a_weekday_is_no_error() -> None:
    """C1: the two are joined by "or"."""
    assert readings("0 0 30 2 1", 1) == ["2026-02-02 00:00"]
