"""What cron does when clocks are moved (C1): a table of instants, worked out by hand."""

import pytest

from tests.instants import utc
from tradewind.decide.timetables.cron import cron_grid

# Clocks in 2026:                put forward (UTC)         put back (UTC)
#   Europe/Berlin                29 March    01:00         25 October   01:00
#   America/New_York              8 March    07:00          1 November  06:00
#   Australia/Lord_Howe           3 October  15:30          4 April     15:00   (by half an hour)
#   Asia/Kathmandu               never; 5:45 ahead of UTC
TABLE = [
    # The wall clock counts: the same reading each day.
    ("Europe/Berlin", "0 9 * * *", "2026-03-28 00:00", ["2026-03-28 08:00", "2026-03-29 07:00"]),
    ("Europe/Berlin", "0 9 * * *", "2026-10-24 00:00", ["2026-10-24 07:00", "2026-10-25 08:00"]),
    ("Asia/Kathmandu", "0 9 * * *", "2026-03-28 00:00", ["2026-03-28 03:15", "2026-03-29 03:15"]),
    # A reading that is skipped moves forward with the clock.
    (
        "Europe/Berlin",
        "30 2 * * *",
        "2026-03-27 12:00",
        ["2026-03-28 01:30", "2026-03-29 01:30", "2026-03-30 00:30"],
    ),
    ("America/New_York", "30 2 * * *", "2026-03-07 12:00", ["2026-03-08 07:30", "2026-03-09 06:30"]),
    ("America/Sao_Paulo", "0 0 * * *", "2018-11-03 12:00", ["2018-11-04 03:00", "2018-11-05 02:00"]),
    # Two readings that become the same instant are one tick.
    ("Europe/Berlin", "0 2,3 * * *", "2026-03-28 12:00", ["2026-03-29 01:00", "2026-03-30 00:00"]),
    (
        "Europe/Berlin",
        "0 */2 * * *",
        "2026-03-28 22:30",
        ["2026-03-28 23:00", "2026-03-29 01:00", "2026-03-29 02:00"],
    ),
    # A reading that is shown twice counts the second time.
    (
        "Europe/Berlin",
        "30 2 * * *",
        "2026-10-23 12:00",
        ["2026-10-24 00:30", "2026-10-25 01:30", "2026-10-26 01:30"],
    ),
    ("America/New_York", "30 1 * * *", "2026-10-31 12:00", ["2026-11-01 06:30", "2026-11-02 06:30"]),
    (
        "Europe/Berlin",
        "0 */2 * * *",
        "2026-10-24 21:30",
        ["2026-10-24 22:00", "2026-10-25 01:00", "2026-10-25 03:00"],
    ),
    ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04 00:00", ["2026-04-04 15:15", "2026-04-05 15:15"]),
    # Every hour is named: elapsed time counts, and what is shown twice fires twice.
    (
        "Europe/Berlin",
        "30 * * * *",
        "2026-03-28 23:45",
        ["2026-03-29 00:30", "2026-03-29 01:30", "2026-03-29 02:30"],
    ),
    (
        "Europe/Berlin",
        "30 * * * *",
        "2026-10-24 23:45",
        ["2026-10-25 00:30", "2026-10-25 01:30", "2026-10-25 02:30"],
    ),
    (
        "America/New_York",
        "*/30 * * * *",
        "2026-11-01 04:45",
        ["2026-11-01 05:00", "2026-11-01 05:30", "2026-11-01 06:00", "2026-11-01 06:30", "2026-11-01 07:00"],
    ),
    # Clocks that move by half an hour: the minutes named are kept.
    (
        "Australia/Lord_Howe",
        "0 * * * *",
        "2026-04-04 13:30",
        ["2026-04-04 14:00", "2026-04-04 15:30", "2026-04-04 16:30"],
    ),
    (
        "Australia/Lord_Howe",
        "30 * * * *",
        "2026-04-04 14:15",
        ["2026-04-04 14:30", "2026-04-04 15:00", "2026-04-04 16:00"],
    ),
    (
        "Australia/Lord_Howe",
        "0 * * * *",
        "2026-10-03 14:00",
        ["2026-10-03 14:30", "2026-10-03 15:30", "2026-10-03 16:00"],
    ),
    # 2:00, 2:20 and 2:40 become 2:30, 2:50 and 2:40: none is lost, and they come in the order of time.
    (
        "Australia/Lord_Howe",
        "*/20 2 * * *",
        "2026-10-03 12:00",
        ["2026-10-03 15:30", "2026-10-03 15:40", "2026-10-03 15:50", "2026-10-04 15:00"],
    ),
    # Days that are left out stay left out: the Monday after the change begins at its own midnight.
    ("Europe/Berlin", "0 * * * 1", "2026-10-19 20:30", ["2026-10-19 21:00", "2026-10-25 23:00"]),
    ("Europe/Berlin", "0 * * * 1", "2026-03-23 21:30", ["2026-03-23 22:00", "2026-03-29 22:00"]),
    # Samoa had no 30 December 2011.
    (
        "Pacific/Apia",
        "0 12 * * *",
        "2011-12-29 00:00",
        ["2011-12-29 22:00", "2011-12-30 22:00", "2011-12-31 22:00"],
    ),
]


@pytest.mark.parametrize(("zone", "expression", "start", "expected"), TABLE)
def test_ticks_around_a_clock_change_are_these(zone: str, expression: str, start: str, expected: list[str]) -> None:
    """C1, forwards."""
    grid = cron_grid(expression, zone)
    instant = utc(start)
    for tick in expected:
        following = grid.after(instant)
        assert following == utc(tick)
        instant = following


@pytest.mark.parametrize(("zone", "expression", "start", "expected"), TABLE)
def test_ticks_around_a_clock_change_are_the_same_backwards(
    zone: str, expression: str, start: str, expected: list[str]
) -> None:
    """C1, backwards."""
    grid = cron_grid(expression, zone)
    instant = utc(expected[-1])
    assert grid.at_or_before(instant) == instant
    for tick in reversed(expected[:-1]):
        preceding = grid.before(instant)
        assert preceding == utc(tick)
        instant = preceding
    earlier = grid.before(instant)
    assert earlier is not None
    assert earlier <= utc(start)
