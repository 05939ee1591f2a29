"""The kinds without ticks, what a schedule's text means, and schedules that are refused (C1)."""

from dataclasses import fields
from datetime import datetime, timedelta, timezone
from typing import get_args

import pytest

from tests.instants import utc
from tradewind.decide.timetables import (
    BadCron,
    InvalidSchedule,
    NonPositiveDelta,
    UnknownTimeZone,
    manual_interval,
    next_run,
    parse_schedule,
    require_usable,
    upcoming,
    why_no_run,
)
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
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    Never,
    Once,
    PartitionedAssets,
    PartitionedAtRuntime,
    RunInfo,
    TimeRestriction,
    Timetable,
)

NOW = utc("2026-06-10 10:20")
ANYTIME = TimeRestriction(None, None, catchup=False)


def interval(start: str, end: str) -> DataInterval:
    return DataInterval(utc(start), utc(end))


@pytest.mark.parametrize("catchup", [True, False])
@pytest.mark.parametrize("start", ["2020-01-01", "2030-01-01"])
def test_once_runs_at_the_start_date_and_never_again(start: str, catchup: bool) -> None:
    """C1."""
    since = TimeRestriction(utc(start), None, catchup)
    only = next_run(Once(), last=None, restriction=since, now=NOW)
    assert only == RunInfo(utc(start), interval(start, start))
    assert next_run(Once(), last=only, restriction=since, now=NOW) is None


def test_once_without_a_start_date_runs_now() -> None:
    """C1."""
    assert next_run(Once(), last=None, restriction=ANYTIME, now=NOW) == RunInfo(NOW, DataInterval(NOW, NOW))


def test_once_that_starts_after_its_end_never_runs() -> None:
    """C1."""
    never = TimeRestriction(utc("2026-02-01"), utc("2026-01-01"), catchup=True)
    assert next_run(Once(), last=None, restriction=never, now=NOW) is None


def test_continuous_covers_what_passed_since_its_last_run() -> None:
    """C1."""
    first = next_run(Continuous(), last=None, restriction=ANYTIME, now=NOW)
    assert first == RunInfo(NOW, DataInterval(NOW, NOW))
    later = NOW + timedelta(minutes=7)
    second = next_run(Continuous(), last=first, restriction=ANYTIME, now=later)
    assert second == RunInfo(later, DataInterval(NOW, later))


def test_continuous_begins_at_its_start_date_and_ends_with_its_end_date() -> None:
    """C1."""
    ahead = TimeRestriction(utc("2026-06-11"), utc("2026-06-12"), catchup=True)
    first = next_run(Continuous(), last=None, restriction=ahead, now=NOW)
    assert first == RunInfo(utc("2026-06-11"), interval("2026-06-11", "2026-06-11"))
    assert next_run(Continuous(), last=first, restriction=ahead, now=utc("2026-06-12 00:01")) is None


def test_continuous_has_only_one_run_in_sight() -> None:
    """C1: when the one after it is due depends on how long it takes."""
    assert len(list(upcoming(Continuous(), last=None, restriction=ANYTIME, now=NOW, count=5))) == 1


@pytest.mark.parametrize(
    ("timetable", "why"),
    [
        (Never(), "only when somebody asks for it"),
        (AssetTriggered(), "waits for assets"),
        (PartitionedAssets(), "waits for partitions of assets"),
        (PartitionedAtRuntime(), "asks for a partition"),
        (Custom("acme.Workdays"), "the timetable acme.Workdays of the DAG's own has named no further run"),
        (AssetOrTime(Custom("acme.Workdays")), "acme.Workdays"),
    ],
)
def test_what_starts_no_runs_by_itself_says_so(timetable: Timetable, why: str) -> None:
    """C1, C2: no answer is not silence."""
    since = TimeRestriction(utc("2026-01-01"), None, catchup=True)
    assert next_run(timetable, last=None, restriction=since, now=NOW) is None
    assert next_run(timetable, last=RunInfo(NOW, None), restriction=ANYTIME, now=NOW) is None
    assert why in why_no_run(timetable)


def test_a_schedule_that_is_over_says_so() -> None:
    """C1."""
    assert why_no_run(CronTrigger("@daily")) == "the timetable has no further run"
    assert "once" in why_no_run(AssetOrTime(Once()))


def test_assets_or_time_makes_the_runs_of_its_time() -> None:
    """C3: the inner timetable decides about runs by time, and about runs by hand."""
    daily = CronDataInterval("@daily", "Europe/Berlin")
    both = AssetOrTime(daily)
    since = TimeRestriction(utc("2026-01-01"), None, catchup=True)
    runs = list(upcoming(daily, last=None, restriction=since, now=NOW, count=3))
    assert list(upcoming(both, last=None, restriction=since, now=NOW, count=3)) == runs
    assert manual_interval(both, NOW) == manual_interval(daily, NOW)
    assert both.periodic
    assert not AssetOrTime(Once()).periodic
    assert len(list(upcoming(AssetOrTime(Continuous()), last=None, restriction=ANYTIME, now=NOW, count=5))) == 1


@pytest.mark.parametrize("timetable", [PartitionedAssets(), PartitionedAtRuntime(), CronPartition("@daily")])
def test_a_run_by_hand_of_a_partition_has_no_interval(timetable: Timetable) -> None:
    """C1."""
    assert manual_interval(timetable, NOW) is None


@pytest.mark.parametrize("timetable", [Never(), AssetTriggered()])
def test_without_a_time_based_schedule_there_is_no_next_run(timetable: Timetable) -> None:
    """C1."""
    assert next_run(timetable, last=None, restriction=ANYTIME, now=NOW) is None
    assert list(upcoming(timetable, last=None, restriction=ANYTIME, now=NOW, count=5)) == []


@pytest.mark.parametrize("timetable", [Never(), AssetTriggered(), Once(), Continuous(), Custom("a.B")])
def test_a_run_by_hand_of_a_schedule_without_intervals_is_about_its_own_moment(timetable: Timetable) -> None:
    """C1."""
    assert manual_interval(timetable, NOW) == DataInterval(NOW, NOW)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("@hourly", "0 * * * *"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"),
        ("@quarterly", "0 0 1 */3 *"),
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        (" 5 4 * * sun ", "5 4 * * sun"),
    ],
)
def test_a_preset_or_cron_text_becomes_a_trigger_or_a_data_interval(text: str, expression: str) -> None:
    """C1."""
    zone = "Europe/Berlin"
    assert parse_schedule(text, zone, as_data_interval=False) == CronTrigger(expression, zone)
    assert parse_schedule(text, zone, as_data_interval=True) == CronDataInterval(expression, zone)


def test_once_and_continuous_are_presets_too() -> None:
    """C1."""
    assert parse_schedule("@once", "UTC", as_data_interval=False) == Once()
    assert parse_schedule("@continuous", "UTC", as_data_interval=True) == Continuous()


@pytest.mark.parametrize("zone", ["Mars/Olympus", "America", "../etc/passwd", "/etc/passwd", "", "+25:00", "+1"])
def test_an_unknown_time_zone_is_refused_by_name(zone: str) -> None:
    """C1."""
    with pytest.raises(UnknownTimeZone) as refused:
        parse_schedule("@daily", zone, as_data_interval=False)
    assert repr(zone) in str(refused.value)


@pytest.mark.parametrize(
    ("zone", "expected"), [("+05:30", "03:30"), ("-0330", "12:30"), ("UTC+09:00", "00:00"), ("UTC", "09:00")]
)
def test_a_time_zone_may_be_an_offset_from_utc(zone: str, expected: str) -> None:
    """C1: Dag files may use fixed offsets."""
    nine = parse_schedule("0 9 * * *", zone, as_data_interval=False)
    since = TimeRestriction(utc("2026-01-01"), None, catchup=True)
    first = next_run(nine, last=None, restriction=since, now=NOW)
    assert first is not None
    assert first.run_after == utc(f"2026-01-01 {expected}")


@pytest.mark.parametrize(
    "delta",
    [Delta(), Delta(seconds=-1), Delta(months=-1), Delta(months=1, days=-29), Delta(months=-1, days=29)],
)
def test_a_delta_that_does_not_always_lead_forward_is_refused(delta: Delta) -> None:
    """C1: such a schedule would stand still."""
    for timetable in (DeltaTrigger(delta), DeltaDataInterval(delta)):
        with pytest.raises(NonPositiveDelta, match="must be positive"):
            require_usable(timetable)
        with pytest.raises(InvalidSchedule):
            next_run(timetable, last=None, restriction=ANYTIME, now=NOW)


@pytest.mark.parametrize("delta", [Delta(microseconds=1), Delta(months=1, days=-27), Delta(months=-1, days=32)])
def test_a_delta_of_mixed_signs_is_fine_if_it_always_leads_forward(delta: Delta) -> None:
    """C1."""
    require_usable(DeltaTrigger(delta))


def test_every_kind_can_be_checked_before_use() -> None:
    """C1."""
    usable: list[Timetable] = [
        Once(),
        Continuous(),
        Never(),
        AssetTriggered(),
        PartitionedAssets(),
        PartitionedAtRuntime(),
        Events(),
        Custom("a.B"),
        CronTrigger("@daily"),
        CronPartition("@daily"),
        MultipleCronTrigger(("@daily", "@hourly")),
        AssetOrTime(DeltaTrigger(Delta(days=1))),
    ]
    for timetable in usable:
        require_usable(timetable)
    with pytest.raises(BadCron):
        require_usable(CronDataInterval("0 0 30 2 *"))
    with pytest.raises(BadCron):
        require_usable(MultipleCronTrigger(("@daily", "0 0 30 2 *")))
    with pytest.raises(BadCron):
        require_usable(CronPartition("whenever"))
    with pytest.raises(NonPositiveDelta):
        require_usable(AssetOrTime(DeltaTrigger(Delta())))
    with pytest.raises(UnknownTimeZone):
        require_usable(CronTrigger("@daily", "Nowhere"))


def test_naive_datetimes_are_refused() -> None:
    """C1: they would mean another instant on each machine."""
    naive = datetime.fromisoformat("2026-01-01")
    with pytest.raises(ValueError, match="has no time zone"):
        DataInterval(naive, NOW)
    with pytest.raises(ValueError, match="has no time zone"):
        TimeRestriction(None, naive, catchup=True)
    with pytest.raises(ValueError, match="has no time zone"):
        RunInfo(naive, None)


def test_results_are_in_utc_whatever_the_zone_of_the_input() -> None:
    """C1."""
    tokyo = timezone(timedelta(hours=9))
    start = utc("2026-01-01").astimezone(tokyo)
    for timetable in (Once(), DeltaDataInterval(Delta(days=1)), CronTrigger("0 0 * * *", "Asia/Tokyo")):
        since = TimeRestriction(start, None, catchup=True)
        first = next_run(timetable, last=None, restriction=since, now=NOW.astimezone(tokyo))
        assert first is not None
        assert first.run_after.utcoffset() == timedelta(0)
        assert first.data_interval is not None
        assert first.data_interval.start.utcoffset() == timedelta(0)


def test_a_last_run_without_an_interval_is_gone_on_from_its_instant() -> None:
    """C1: a DAG that used to wait for assets and now has a cron schedule."""
    since = TimeRestriction(utc("2026-01-01"), None, catchup=True)
    last = RunInfo(utc("2026-03-01 12:00"), None)
    assert last.logical_date is None
    following = next_run(CronTrigger("0 0 * * *"), last=last, restriction=since, now=NOW)
    assert following is not None
    assert following.run_after == utc("2026-03-02")


def test_every_kind_of_timetable_has_a_name_of_its_own_and_no_field_called_like_it() -> None:
    """C1: the stored format tells them apart by `kind`."""
    kinds = get_args(Timetable)
    assert len({kind.kind for kind in kinds}) == len(kinds) == 16
    assert not any(field.name == "kind" for kind in kinds for field in fields(kind))
