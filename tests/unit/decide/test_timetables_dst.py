"""What cron does when clocks are moved (C1): a table of instants, worked out by hand."""

from datetime import datetime, timedelta

import pytest

from tests.instants import utc
from tradewind.decide.timetables.cron import cron_grid
from tradewind.model.clock_changes import ClockChanges, RepeatedTime, SkippedTime

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


SPRING, AUTUMN = utc("2026-03-28 12:00"), utc("2026-10-24 12:00")
POLICIES = [
    # Clocks go from 1:59 to 3:00; the expression names 2:30.
    ("30 2 * * *", SPRING, {"skipped": "later"}, ["2026-03-29 01:30", "2026-03-30 00:30"]),
    ("30 2 * * *", SPRING, {"skipped": "at_change"}, ["2026-03-29 01:00", "2026-03-30 00:30"]),
    ("30 2 * * *", SPRING, {"skipped": "omit"}, ["2026-03-30 00:30", "2026-03-31 00:30"]),
    # Two readings that are skipped are one tick at the change, and none more where 3:00 is named as well.
    ("0,30 2,3 * * *", SPRING, {"skipped": "at_change"}, ["2026-03-29 01:00", "2026-03-29 01:30", "2026-03-30 00:00"]),
    ("0,30 2,3 * * *", SPRING, {"skipped": "omit"}, ["2026-03-29 01:00", "2026-03-29 01:30", "2026-03-30 00:00"]),
    # Every hour: what is skipped would come together with what is not.
    ("30 * * * *", SPRING, {"skipped": "omit"}, ["2026-03-28 12:30"]),
    # Clocks go from 2:59 to 2:00.
    ("30 2 * * *", AUTUMN, {"repeated": "usual"}, ["2026-10-25 01:30", "2026-10-26 01:30"]),
    ("30 2 * * *", AUTUMN, {"repeated": "first"}, ["2026-10-25 00:30", "2026-10-26 01:30"]),
    ("30 2 * * *", AUTUMN, {"repeated": "second"}, ["2026-10-25 01:30", "2026-10-26 01:30"]),
    ("30 2 * * *", AUTUMN, {"repeated": "both"}, ["2026-10-25 00:30", "2026-10-25 01:30", "2026-10-26 01:30"]),
    (
        "30 * * * *",
        utc("2026-10-24 23:45"),
        {"repeated": "first"},
        ["2026-10-25 00:30", "2026-10-25 02:30", "2026-10-25 03:30"],
    ),
    (
        "30 * * * *",
        utc("2026-10-24 23:45"),
        {"repeated": "second"},
        ["2026-10-25 01:30", "2026-10-25 02:30", "2026-10-25 03:30"],
    ),
    ("30 * * * *", utc("2026-10-24 23:45"), {"repeated": "both"}, ["2026-10-25 00:30", "2026-10-25 01:30"]),
]


@pytest.mark.parametrize(("expression", "start", "policy", "expected"), POLICIES)
def test_the_author_may_choose_what_a_moved_clock_means(
    expression: str, start: datetime, policy: dict[str, str], expected: list[str]
) -> None:
    """C1: for readings that are skipped and for those that are shown twice."""
    changes = ClockChanges(SkippedTime(policy.get("skipped", "later")), RepeatedTime(policy.get("repeated", "usual")))
    grid = cron_grid(expression, "Europe/Berlin", changes)

    found: list[datetime] = []
    at: datetime | None = start
    while at is not None and len(found) < len(expected):
        at = grid.after(at)
        if at is not None:
            found.append(at)

    assert found == [utc(each) for each in expected]
    assert [grid.before(each) for each in found[1:]] == found[:-1]


@pytest.mark.parametrize("skipped", SkippedTime)
@pytest.mark.parametrize("repeated", RepeatedTime)
@pytest.mark.parametrize("expression", ["*/20 * * * *", "*/20 2 * * *", "5,45 1-3 * * *", "0 0 * * *"])
@pytest.mark.parametrize(
    ("zone", "day"),
    [("Europe/Berlin", SPRING), ("Europe/Berlin", AUTUMN), ("Australia/Lord_Howe", utc("2026-10-02 12:00")),
     ("Australia/Lord_Howe", utc("2026-04-03 12:00")), ("America/Sao_Paulo", utc("2018-11-03 00:00"))],
)  # fmt: skip
def test_with_every_policy_the_way_back_meets_the_same_ticks(
    zone: str, day: datetime, expression: str, skipped: SkippedTime, repeated: RepeatedTime
) -> None:
    """C1: no tick depends on where one looks from."""
    grid = cron_grid(expression, zone, ClockChanges(skipped, repeated))
    ahead = [day]
    while ahead[-1] < day + timedelta(days=3):
        following = grid.after(ahead[-1])
        assert following is not None
        ahead.append(following)

    back = [ahead[-1]]
    while len(back) < len(ahead) - 1:
        earlier = grid.before(back[-1])
        assert earlier is not None
        back.append(earlier)

    assert back[::-1] == ahead[1:]
    for minutes in range(0, 4 * 1440, 37):
        instant = day + timedelta(minutes=minutes)
        following = grid.after(instant)
        assert following in ahead or following is None or following > ahead[-1]
