"""What holds for every schedule, in every zone, around every clock change (B2, C1)."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from types import FrameType
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.instants import utc
from tradewind.decide.timetables import manual_interval, next_run, upcoming
from tradewind.decide.timetables.cron import cron_grid
from tradewind.model.timetable import (
    CronDataInterval,
    CronTrigger,
    DataInterval,
    Delta,
    DeltaDataInterval,
    DeltaTrigger,
    TimeRestriction,
    Timetable,
)

MINUTE = timedelta(minutes=1)
DAYS_LOOKED_AT = 4

# A zone and an instant at which its clocks are moved, or an ordinary one.
CHANGES = [
    ("Europe/Berlin", utc("2026-03-29 01:00")),
    ("Europe/Berlin", utc("2026-10-25 01:00")),
    ("America/New_York", utc("2026-03-08 07:00")),
    ("America/New_York", utc("2026-11-01 06:00")),
    ("Australia/Lord_Howe", utc("2026-04-04 15:00")),
    ("Australia/Lord_Howe", utc("2026-10-03 15:30")),
    ("America/Sao_Paulo", utc("2018-11-04 03:00")),
    ("Africa/Casablanca", utc("2026-02-15 02:00")),
    ("Pacific/Apia", utc("2011-12-30 10:00")),
    ("Asia/Kathmandu", utc("2026-03-29 00:15")),
    ("UTC", utc("2026-03-29 01:00")),
]


@dataclass(frozen=True)
class Fields:
    """A cron expression of which we know the meaning without reading it."""

    minutes: frozenset[int]
    hours: frozenset[int]
    weekdays: frozenset[int]

    @property
    def expression(self) -> str:
        minutes, hours, weekdays = (
            ",".join(map(str, sorted(values))) for values in (self.minutes, self.hours, self.weekdays)
        )
        return f"{minutes} {hours} * * {weekdays}"

    def names(self, reading: datetime) -> bool:
        weekday = reading.isoweekday() % 7
        return reading.minute in self.minutes and reading.hour in self.hours and weekday in self.weekdays


def some_of(low: int, high: int) -> st.SearchStrategy[frozenset[int]]:
    return st.frozensets(st.integers(low, high), min_size=1, max_size=4)


cron_fields = st.builds(
    Fields,
    minutes=some_of(0, 59) | st.sampled_from([frozenset({0}), frozenset({30}), frozenset(range(0, 60, 10))]),
    hours=some_of(0, 23) | st.sampled_from([frozenset(range(24)), frozenset({0, 1, 2, 3}), frozenset(range(0, 24, 2))]),
    weekdays=st.just(frozenset(range(7))) | some_of(0, 6),
)
changes = st.sampled_from(CHANGES)
offsets_in_minutes = st.integers(-2 * 1440, 2 * 1440)
deltas = st.builds(
    Delta,
    months=st.integers(0, 14),
    days=st.integers(0, 40),
    seconds=st.integers(0, 90_000),
    microseconds=st.sampled_from([0, 0, 1]),
).filter(lambda delta: delta != Delta())


@st.composite
def periodic_timetables(draw: st.DrawFn, zone: str = "Europe/Berlin") -> Timetable:
    expression = draw(cron_fields).expression
    return draw(
        st.one_of(
            st.just(CronDataInterval(expression, zone)),
            st.builds(CronTrigger, st.just(expression), st.just(zone), st.just(Delta()) | deltas),
            st.builds(DeltaDataInterval, deltas),
            st.builds(DeltaTrigger, deltas, st.just(Delta()) | deltas),
        )
    )


@lru_cache
def minutes_around(zone: str, change: datetime) -> dict[datetime, list[datetime]]:
    """Each reading of the wall clock, with the instants at which it is shown: seen by looking at the clock."""
    shown: dict[datetime, list[datetime]] = {}
    for minutes in range(-DAYS_LOOKED_AT * 1440, DAYS_LOOKED_AT * 1440):
        instant = change + minutes * MINUTE
        reading = instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        shown.setdefault(reading, []).append(instant)
    return shown


def ticks_seen(fields: Fields, zone: str, change: datetime) -> list[datetime]:
    """The ticks around a clock change, found without any of the code under test."""
    shown = minutes_around(zone, change)
    found: set[datetime] = set()
    gap_start = change.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    gap_start -= _put_forward(zone, change)
    reading, end = min(shown), max(shown)
    while reading <= end:
        if fields.names(reading):
            if reading not in shown:
                found.add(change + (reading - gap_start))
            elif len(fields.hours) == 24:
                found.update(shown[reading])
            else:
                found.add(shown[reading][-1])
        reading += MINUTE
    edge = timedelta(days=DAYS_LOOKED_AT - 1)
    return sorted(tick for tick in found if change - edge <= tick <= change + edge)


def _put_forward(zone: str, change: datetime) -> timedelta:
    before, after = (instant.astimezone(ZoneInfo(zone)).utcoffset() for instant in (change - MINUTE, change + MINUTE))
    assert before is not None
    assert after is not None
    return max(after - before, timedelta(0))


@given(cron_fields, changes)
@example(Fields(frozenset({0, 20, 40}), frozenset({2}), frozenset(range(7))), CHANGES[5])
@example(Fields(frozenset({0}), frozenset(range(24)), frozenset({1})), CHANGES[1])
def test_no_tick_is_left_out_or_doubled_around_a_clock_change(fields: Fields, change: tuple[str, datetime]) -> None:
    """C1: forwards and backwards the ticks are those that one sees by watching the clock."""
    zone, moved_at = change
    expected = ticks_seen(fields, zone, moved_at)
    assume(len(expected) >= 2)
    grid = cron_grid(fields.expression, zone)
    for earlier, later in pairwise(expected):
        assert grid.after(earlier) == later
        assert grid.before(later) == earlier


@given(cron_fields, changes, offsets_in_minutes, st.sampled_from([0, 1, 30_000_000]))
def test_alignment_finds_the_ticks_on_both_sides_of_any_instant(
    fields: Fields, change: tuple[str, datetime], minutes: int, microseconds: int
) -> None:
    """C1."""
    zone, moved_at = change
    instant = moved_at + minutes * MINUTE + timedelta(microseconds=microseconds)
    ticks = ticks_seen(fields, zone, moved_at)
    grid = cron_grid(fields.expression, zone)
    earlier = [tick for tick in ticks if tick <= instant]
    later = [tick for tick in ticks if tick >= instant]
    if earlier:
        assert grid.at_or_before(instant) == earlier[-1]
    if later:
        assert grid.at_or_after(instant) == later[0]


@given(cron_fields, changes)
def test_the_wall_clock_shows_what_the_expression_says_at_each_tick(
    fields: Fields, change: tuple[str, datetime]
) -> None:
    """C1: except for a reading that is skipped, which comes within the length of the change after it."""
    zone, moved_at = change
    put_forward = _put_forward(zone, moved_at)
    grid = cron_grid(fields.expression, zone)
    instant = moved_at - timedelta(days=2)
    for _ in range(30):
        tick = grid.after(instant)
        assert tick is not None
        assert tick > instant
        if not moved_at <= tick < moved_at + put_forward:
            assert fields.names(tick.astimezone(ZoneInfo(zone)).replace(tzinfo=None))
        instant = tick


@given(cron_fields, st.sampled_from(CHANGES), st.booleans(), offsets_in_minutes)
def test_with_catchup_the_runs_of_a_schedule_are_its_ticks_one_by_one(
    fields: Fields, change: tuple[str, datetime], as_data_interval: bool, minutes: int
) -> None:
    """B2, C1: from the first tick at or after the start date, each at the end of its data interval."""
    zone, moved_at = change
    start = moved_at + minutes * MINUTE
    ticks = [tick for tick in ticks_seen(fields, zone, moved_at) if tick >= start][:20]
    since = TimeRestriction(start, None, catchup=True)
    now = start - timedelta(days=400)
    if as_data_interval:
        timetable: Timetable = CronDataInterval(fields.expression, zone)
        expected = [DataInterval(first, second) for first, second in pairwise(ticks)]
    else:
        timetable = CronTrigger(fields.expression, zone)
        expected = [DataInterval(tick, tick) for tick in ticks]
    runs = list(upcoming(timetable, last=None, restriction=since, now=now, count=len(expected)))
    assert [run.data_interval for run in runs] == expected
    assert all(run.data_interval is not None and run.run_after == run.data_interval.end for run in runs)


def walk(timetable: Timetable, restriction: TimeRestriction, now: datetime) -> Iterator[DataInterval]:
    for run in upcoming(timetable, last=None, restriction=restriction, now=now, count=15):
        assert run.data_interval is not None
        assert run.run_after == run.data_interval.end
        yield run.data_interval


@given(periodic_timetables(), offsets_in_minutes, offsets_in_minutes, st.booleans())
def test_runs_strictly_increase_and_stay_between_start_and_end_date(
    timetable: Timetable, start: int, end: int, catchup: bool
) -> None:
    """B2, C1: by logical date and by the instant at which they run."""
    now = utc("2026-03-29 01:30")
    limits = TimeRestriction(now + start * MINUTE, now + end * MINUTE, catchup)
    intervals = list(walk(timetable, limits, now))
    for earlier, later in pairwise(intervals):
        assert earlier.end < later.end
        # A month before 29, 30 and 31 March is 28 February: there a trigger's intervals may begin out of order.
        if not (isinstance(timetable, CronTrigger | DeltaTrigger) and timetable.interval.months):
            assert earlier.start < later.start
    covers = isinstance(timetable, CronDataInterval | DeltaDataInterval)
    for interval in intervals:
        point = interval.start if covers else interval.end
        assert limits.earliest is not None
        assert limits.latest is not None
        assert limits.earliest <= point <= limits.latest


@given(periodic_timetables(), st.integers(0, 5 * 1440), st.integers(0, 5 * 1440), st.integers(0, 2880))
def test_without_catchup_no_run_is_older_than_needed(
    timetable: Timetable, age: int, last_age: int, length: int
) -> None:
    """C1: a run that is already due is the newest one that could be; and no instant is covered twice."""
    now = utc("2026-03-29 01:30")
    since = TimeRestriction(now - age * MINUTE, None, catchup=False)
    last_end = now - last_age * MINUTE
    last = DataInterval(last_end - length * MINUTE, last_end)
    run = next_run(timetable, last=last, restriction=since, now=now)
    assert run is not None
    assert run.data_interval is not None
    assert run.run_after > last.end or run.data_interval.start > last.start
    catching_up = TimeRestriction(since.earliest, None, catchup=True)
    following = next_run(timetable, last=run, restriction=catching_up, now=now)
    assert following is not None
    assert following.run_after > now


@given(periodic_timetables(), offsets_in_minutes)
def test_a_run_by_hand_is_about_time_that_has_passed(timetable: Timetable, minutes: int) -> None:
    """C1."""
    run_after = utc("2026-03-29 01:00") + minutes * MINUTE
    interval = manual_interval(timetable, run_after)
    assert interval is not None
    assert interval.start <= interval.end <= run_after
    if isinstance(timetable, CronDataInterval):
        grid = cron_grid(timetable.expression, timetable.timezone)
        assert grid.after(interval.start) == interval.end
        following = grid.after(interval.end)
        assert following is not None
        assert following > run_after


@given(
    months=st.integers(1, 14),
    start=st.datetimes(utc("1990-01-01").replace(tzinfo=None), timezones=st.just(UTC)),
    age=st.timedeltas(timedelta(0), timedelta(days=9000)),
)
def test_months_end_on_the_same_dates_with_and_without_catchup(months: int, start: datetime, age: timedelta) -> None:
    """C1: leaving out what was missed does not move the schedule."""
    assume(start.year < 9000)
    timetable = DeltaDataInterval(Delta(months))
    now = start + age
    newest = next_run(timetable, last=None, restriction=TimeRestriction(start, None, catchup=False), now=now)
    assert newest is not None
    every = TimeRestriction(start, None, catchup=True)
    ends = [run.run_after for run in upcoming(timetable, last=None, restriction=every, now=now, count=300)]
    assert newest.run_after in ends
    assert newest.run_after == max(end for end in ends if end <= max(now, ends[0]))


def calls_of_one_decision(timetable: Timetable, restriction: TimeRestriction, now: datetime) -> int:
    """How many functions are called. Unlike microseconds, no busy machine changes that."""
    last = next_run(timetable, last=None, restriction=restriction, now=now)
    next_run(timetable, last=last, restriction=restriction, now=now)  # to read the expression and the zone
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        next_run(timetable, last=last, restriction=restriction, now=now)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize(
    "timetable",
    [
        CronTrigger("*/5 * * * *", "Europe/Berlin"),
        CronDataInterval("* * * * *", "Europe/Berlin"),
        CronDataInterval("* * * * * *", "Europe/Berlin"),
        CronDataInterval("0 0 29 2 *", "Europe/Berlin"),
        DeltaDataInterval(Delta(months=1)),
        DeltaTrigger(Delta(seconds=60)),
    ],
)
@pytest.mark.parametrize("catchup", [True, False])
def test_the_work_of_one_decision_is_bounded_however_old_the_schedule(timetable: Timetable, catchup: bool) -> None:
    """C1: about 0.2 µs a call, so well under 200 µs on an ordinary day; a few times that at a clock change."""
    since = TimeRestriction(utc("1980-01-01"), None, catchup)
    assert calls_of_one_decision(timetable, since, utc("2026-06-10 10:20")) <= 300
    for at_change in ("2026-03-29 00:59", "2026-03-29 01:01", "2026-10-25 00:30", "2026-10-25 01:30"):
        assert calls_of_one_decision(timetable, since, utc(at_change)) <= 1200
