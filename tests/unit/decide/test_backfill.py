"""Backfills: which dates, what becomes of each, how many at once, how far along (B7, C5)."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.instants import utc
from tests.unit.decide.backfill_plans import plan
from tradewind.decide.assets import KnownAsset, Meaning
from tradewind.decide.backfill import (
    BLOCK,
    Span,
    Treatment,
    date_of,
    dates,
    free_places,
    is_done,
    moments_of_updates,
    planned_dates,
    progress,
    span_of,
    survey,
    treatment,
    updates_of,
    why_not,
    why_not_named,
)
from tradewind.decide.timetables import partition_on
from tradewind.model.asset import AllAssets, AnyAsset, AssetExpression, AssetKey, AssetRef
from tradewind.model.backfill import Backfill, BackfillRuns, ReprocessBehavior
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import BackfillKey
from tradewind.model.planned_runs import PlannedRuns, row_of
from tradewind.model.slot_policy import EventWindow
from tradewind.model.states import RunState
from tradewind.model.timetable import (
    AssetOrTime,
    AssetTriggered,
    Continuous,
    CronDataInterval,
    CronPartition,
    CronTrigger,
    Custom,
    DataInterval,
    Delta,
    DeltaDataInterval,
    Events,
    Never,
    Once,
    RunInfo,
    Timetable,
)

NOW = utc("2026-01-10 12:00")
DAILY = CronTrigger("0 0 * * *")
JANUARY = Span(utc("2026-01-01"), utc("2026-01-31"), NOW)


def days(timetable: Timetable, span: Span) -> list[int]:
    return [info.logical_date.day for info in dates(timetable, span) if info.logical_date is not None]


def test_both_ends_of_the_range_count() -> None:
    assert days(DAILY, Span(utc("2026-01-02"), utc("2026-01-04"), NOW)) == [2, 3, 4]
    assert days(DAILY, Span(utc("2026-01-02 00:01"), utc("2026-01-03 23:59"), NOW)) == [3]


def test_only_data_that_is_complete_is_backfilled() -> None:
    """As in Airflow: the interval has to end before the moment of asking, not with it."""
    assert days(DAILY, JANUARY)[-1] == 10
    assert days(CronDataInterval("0 0 * * *"), JANUARY)[-1] == 9
    assert days(CronDataInterval("0 0 * * *"), replace(JANUARY, until=utc("2026-01-10")))[-1] == 8


def test_a_delta_counts_from_the_start_of_the_range() -> None:
    span = Span(utc("2026-01-01 06:00"), utc("2026-01-02 10:00"), NOW)

    found = [info.logical_date for info in dates(DeltaDataInterval(Delta(seconds=12 * 3600)), span)]

    assert found == [utc("2026-01-01 06:00"), utc("2026-01-01 18:00"), utc("2026-01-02 06:00")]


def test_clock_changes_neither_skip_nor_double_a_day() -> None:
    """Pain 22."""
    span = Span(utc("2026-03-27"), utc("2026-03-31"), utc("2026-06-01"))

    found = [info.logical_date for info in dates(CronTrigger("30 2 * * *", "Europe/Berlin"), span)]

    assert [each.isoformat()[:16] for each in found if each is not None] == [
        "2026-03-27T01:30",
        "2026-03-28T01:30",
        "2026-03-29T01:30",
        "2026-03-30T00:30",
    ]


def test_listed_events_are_dates_too() -> None:
    events = Events((utc("2026-01-03"), utc("2026-01-05"), utc("2026-02-01")))

    assert days(events, JANUARY) == [3, 5]
    assert days(AssetOrTime(DAILY), Span(utc("2026-01-02"), utc("2026-01-03"), NOW)) == [2, 3]


@pytest.mark.parametrize("minutes", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
def test_blocks_are_taken_up_again_anywhere_and_in_either_direction(minutes: int) -> None:
    minutely = CronTrigger("* * * * *")
    span = Span(utc("2026-01-01"), utc("2026-01-01") + timedelta(minutes=minutes - 1), NOW)
    everything = list(dates(minutely, span))
    assert len(everything) == minutes
    forward, backward = plan(minutely, span), plan(minutely, span, is_backward=True)

    for position in (0, 1, BLOCK - 2, BLOCK, minutes - 1, minutes):
        assert list(planned_dates(minutely, forward, position=position)) == everything[position:]
        assert list(planned_dates(minutely, backward, position=position)) == everything[::-1][position:]


def test_partitions_are_backfilled_by_their_dates_on_the_clock_of_the_timetable() -> None:
    """C6: both ends count, whatever zone they are given in and whatever the offset of scheduled runs, as in Airflow."""
    timetable = CronPartition("0 0 * * *", "Asia/Tokyo", run_offset=-1, key_format="%Y-%m-%d")
    span = span_of(timetable, utc("2026-01-02"), utc("2026-01-04"), NOW)

    found = list(dates(timetable, span))

    assert [date_of(info) for info in found] == [utc(f"2026-01-{day:02} 15:00") for day in (1, 2, 3)]
    partitions = [partition_on(timetable, date_of(info)) for info in found]
    assert [each and each.key for each in partitions] == ["2026-01-02", "2026-01-03", "2026-01-04"]
    assert span_of(DAILY, utc("2026-01-02"), utc("2026-01-04"), NOW) == Span(utc("2026-01-02"), utc("2026-01-04"), NOW)


@pytest.mark.parametrize("is_backward", [False, True])
def test_blocks_of_partitions_are_taken_up_again_anywhere(is_backward: bool) -> None:
    """C6."""
    hourly = CronPartition("0 * * * *", "Europe/Berlin")
    span = Span(utc("2025-10-20"), utc("2025-11-02"), NOW)
    everything = list(dates(hourly, span))[:: -1 if is_backward else 1]
    kept = plan(hourly, span, is_backward=is_backward)

    assert len(everything) == 13 * 24 + 1
    for position in (0, 1, BLOCK, len(everything) - 1):
        assert list(planned_dates(hourly, kept, position=position)) == everything[position:]


def test_dates_that_the_timetable_does_not_know_are_no_reason_to_guess() -> None:
    wrong = replace(plan(DAILY, JANUARY), total=50)

    with pytest.raises(ValueError, match="no longer names the dates"):
        list(planned_dates(DAILY, wrong))


def test_too_many_dates_are_not_counted_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tradewind.decide.backfill.MOST_DATES", 1_000)

    assert survey(CronTrigger("* * * * *"), Span(utc("1900-01-01"), utc("2025-01-01"), NOW)) is None


def refusal(timetable: Timetable = DAILY, span: Span = JANUARY, *, depends: bool = False, **values: Any) -> str | None:
    dag = Dag("sales", (Task("load", depends_on_past=depends),), timetable=timetable)
    plain = {"is_backward": False, "reprocess": ReprocessBehavior.NONE, "max_active": 10}
    return why_not(dag, span, **{**plain, **values})


def test_what_is_no_range_is_refused() -> None:
    assert refusal() is None
    assert refusal(span=Span(JANUARY.start, JANUARY.start, NOW)) is None
    assert refusal(span=Span(JANUARY.end, JANUARY.start, NOW)) == (
        "from_date 2026-01-31T00:00:00+00:00 is after to_date 2026-01-01T00:00:00+00:00"
    )
    assert "lies in the future" in str(refusal(span=Span(NOW, JANUARY.end, NOW)))
    assert "less than 1" in str(refusal(max_active=0))


@pytest.mark.parametrize(
    "timetable",
    [Never(), Once(), Continuous(), AssetOrTime(Once())],
)
def test_schedules_without_dates_are_refused(timetable: Timetable) -> None:
    assert "sales" in str(refusal(timetable))


def test_past_updates_name_the_moments_at_which_the_condition_held() -> None:
    """C6: what came at the same instant counts together, and each update once."""
    a, b = AssetRef("a", "s3://a"), AssetRef("b", "s3://b")
    keys = [AssetKey(1), AssetKey(2)]
    meaning = Meaning(
        [KnownAsset(key, str(ref.name), str(ref.uri), True) for key, ref in zip(keys, (a, b), strict=True)]
    )
    hours = [(1, 0), (2, 0), (3, 1), (4, 0), (4, 1), (5, 1)]
    updates = [(NOW + timedelta(hours=hour), keys[which]) for hour, which in hours]

    def moments(condition: AssetExpression) -> list[int]:
        found = moments_of_updates(condition, meaning, updates)
        return [int((info.run_after - NOW).total_seconds()) // 3600 for info in found]

    assert moments(a) == [1, 2, 4]
    assert moments(AnyAsset((a, b))) == [1, 2, 3, 4, 5]
    assert moments(AllAssets((a, b))) == [3, 4]
    assert refusal(AssetTriggered()) is None


def test_a_moment_is_about_the_updates_since_the_one_before() -> None:
    """C6: in either direction."""
    moments = tuple(DataInterval(at, at) for at in (utc("2026-01-02"), utc("2026-01-05")))
    for is_backward in (False, True):
        made = replace(plan(AssetTriggered(), JANUARY), marks=moments, total=2, is_backward=is_backward)
        windows = {info.run_after: updates_of(made, info) for info in planned_dates(AssetTriggered(), made)}
        assert windows == {
            moments[0].end: EventWindow(JANUARY.start, moments[0].end),
            moments[1].end: EventWindow(moments[0].end + timedelta(microseconds=1), moments[1].end),
        }


HOLIDAYS = Custom("shop.Holidays")


def named(*days: int, **values: Any) -> PlannedRuns:
    """What a timetable of its author's own has named: so many days of January, each until the next morning."""
    intervals = [DataInterval(utc(f"2026-01-{day:02}"), utc(f"2026-01-{day:02} 18:00")) for day in days]
    rows = tuple(row_of(RunInfo(each.end + timedelta(hours=6), each)) for each in intervals)
    return PlannedRuns(past=rows, **values)


def test_dates_of_an_authors_own_timetable_are_those_that_it_has_named() -> None:
    """C5: it is not asked here, so that each is kept, and a new schedule does not change what was asked for."""
    runs = named(2, 5, 9, 30).named_since_start()
    found = survey(HOLIDAYS, Span(utc("2026-01-03"), utc("2026-01-30"), utc("2026-01-30 12:00")), runs)

    assert found is not None
    kept = replace(plan(DAILY, JANUARY), total=found.total, marks=found.marks)
    forward = [info.logical_date for info in planned_dates(HOLIDAYS, kept)]
    backward = [info.logical_date for info in planned_dates(HOLIDAYS, replace(kept, is_backward=True), position=1)]

    assert forward == [utc("2026-01-05"), utc("2026-01-09")]
    assert backward == [utc("2026-01-05")]


@pytest.mark.parametrize(
    ("start", "known", "words"),
    [
        ("2026-01-01", named(2, 5, past_is_complete=True), None),
        ("2026-01-01", named(2, 31), None),
        ("2026-01-01", named(2, 5), "its first 2 dates, up to 2026-01-05"),
        ("2026-01-01", None, "nothing yet"),
        ("2026-01-02", named(2, 31), "names dates from 2026-01-02"),
        (None, named(), "needs one"),
        ("2026-01-01", PlannedRuns(past_error="ValueError: no such day"), "ValueError: no such day"),
    ],
)
def test_dates_that_an_authors_own_timetable_has_not_named_are_refused_with_the_reason(
    start: str | None, known: PlannedRuns | None, words: str | None
) -> None:
    """C5: a backfill never leaves out dates of which nobody knows."""
    dag = Dag("sales", (Task("load"),), timetable=HOLIDAYS, start_at=None if start is None else utc(start))
    reason = why_not_named(dag, JANUARY, known)

    assert refusal(HOLIDAYS) is None
    assert (reason is None) if words is None else (words in str(reason))


def test_tasks_that_depend_on_the_past_allow_less() -> None:
    every, none = ReprocessBehavior.COMPLETED, ReprocessBehavior.NONE

    assert refusal(depends=True, reprocess=every) is None
    assert "backwards" in str(refusal(depends=True, reprocess=every, is_backward=True))
    assert "reprocess_behavior" in str(refusal(depends=True, reprocess=none))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (None, ["create", "create", "create"]),
        (RunState.QUEUED, ["pass over", "pass over", "pass over"]),
        (RunState.RUNNING, ["pass over", "pass over", "pass over"]),
        (RunState.FAILED, ["pass over", "start over", "start over"]),
        (RunState.SUCCESS, ["pass over", "pass over", "start over"]),
    ],
)
def test_what_becomes_of_a_date(state: RunState | None, expected: list[str]) -> None:
    behaviours = (ReprocessBehavior.NONE, ReprocessBehavior.FAILED, ReprocessBehavior.COMPLETED)

    assert [treatment(state, each) for each in behaviours] == [Treatment(each) for each in expected]


def backfill(**values: Any) -> Backfill:
    planned = plan(DAILY, Span(utc("2026-01-01"), utc("2026-01-08"), NOW), max_active_runs=3)
    plain = {"is_paused": False, "looked_at": 8, "passed_over": 0, "created_at": NOW, "updated_at": NOW}
    return Backfill(key=BackfillKey(1), plan=planned, **{**plain, **values})


def test_only_so_many_run_at_once_and_none_of_a_paused_one() -> None:
    assert [free_places(backfill(), running) for running in (0, 2, 3, 5)] == [3, 1, 0, 0]
    assert free_places(backfill(is_paused=True), 0) == 0
    # A cancelled one counts as paused; what somebody clears afterwards runs all the same.
    assert free_places(backfill(is_paused=True, completed_at=NOW), 0) == 3


def test_it_is_done_when_each_date_and_each_run_is() -> None:
    assert is_done(backfill(), 0)
    assert not is_done(backfill(), 1)
    assert not is_done(backfill(looked_at=7), 0)


def test_progress_counts_what_is_over_and_estimates_the_rest() -> None:
    runs = BackfillRuns(queued=1, running=2, succeeded=2, failed=0, mean_duration_s=60.0)

    found = progress(backfill(looked_at=6, passed_over=1), runs)

    assert (found.total, found.ended, found.passed_over, found.to_come) == (8, 3, 1, 2)
    assert found.remaining == timedelta(minutes=2)  # five runs, three at a time
    assert progress(backfill(looked_at=6, is_paused=True), runs).remaining is None
    assert progress(backfill(looked_at=0), BackfillRuns()).remaining is None
    assert progress(backfill(), BackfillRuns(succeeded=8)).remaining == timedelta(0)
    cancelled = progress(backfill(looked_at=6, is_paused=True, completed_at=NOW), BackfillRuns(failed=6))
    assert (cancelled.ended, cancelled.to_come, cancelled.remaining) == (6, 2, timedelta(0))
