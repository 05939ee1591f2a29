"""Timetables as authors write them, and what is stored of them (C1, C3)."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pendulum
import pytest
from dateutil.relativedelta import relativedelta

from tests.instants import utc
from tradewind.model import asset as asset_model
from tradewind.model import partition as partition_model
from tradewind.model import timetable as model
from tradewind.model.clock_changes import ClockChanges, RepeatedTime, SkippedTime
from tradewind.model.dag import Dag
from tradewind.model.dag_json import decode_dag, encode_dag
from tradewind.model.slot_policy import Match, OnDeadline
from tradewind.sdk.assets import Asset, AssetAlias, AssetAll, BaseAsset
from tradewind.sdk.custom_timetable import DagRunInfo, DataInterval, TimeRestriction, Timetable
from tradewind.sdk.exceptions import AirflowTimetableInvalid
from tradewind.sdk.partition_mappers import (
    ChainMapper,
    IdentityMapper,
    PartitionMapper,
    RollupMapper,
    StartOfDayMapper,
    StartOfMonthMapper,
)
from tradewind.sdk.partition_windows import DayWindow, MonthWindow, SegmentWindow, Window
from tradewind.sdk.states import DagRunType
from tradewind.sdk.timetables import (
    AssetAndTimeSchedule,
    AssetOrTimeSchedule,
    AssetTriggeredTimetable,
    BaseTimetable,
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronPartitionTimetable,
    CronTriggerTimetable,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    MultipleCronTriggerTimetable,
    NullTimetable,
    OnceTimetable,
    PartitionedAssetTimetable,
    PartitionedAtRuntime,
)
from tradewind.sdk.wait_policies import MinimumCount

BERLIN = "Europe/Berlin"
HOUR = timedelta(hours=1)
A, B = Asset("a", "file:///a", extra={"x": 1}), Asset("b")


class Workdays(Timetable):
    """A timetable of an author."""

    description = "On workdays"

    def __init__(self, holidays: list[str]) -> None:
        self.holidays = holidays

    @property
    def summary(self) -> str:
        return "workdays"

    def serialize(self) -> dict[str, Any]:
        return {"holidays": self.holidays}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "Workdays":
        return cls(data["holidays"])

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        if restriction.earliest is None:
            return None
        last = last_automated_data_interval
        return DagRunInfo.exact(restriction.earliest if last is None else last.end + timedelta(days=1))

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)


class EarlierCron(CronDataIntervalTimetable):
    """One of ours, to which the author added logic."""

    def next_dagrun_info(self, **_: Any) -> None:
        return None


CASES: list[tuple[BaseTimetable, model.Timetable, str]] = [
    (NullTimetable(), model.Never(), "None"),
    (OnceTimetable(), model.Once(), "@once"),
    (ContinuousTimetable(), model.Continuous(), "@continuous"),
    (CronTriggerTimetable("@daily", "UTC"), model.CronTrigger("0 0 * * *"), "0 0 * * *"),
    (
        CronTriggerTimetable("5 4 * * *", ZoneInfo(BERLIN), interval=HOUR, run_immediately=True),
        model.CronTrigger("5 4 * * *", BERLIN, model.Delta(seconds=3600), run_immediately=True),
        "5 4 * * *",
    ),
    (
        CronTriggerTimetable("5 4 * * *", timezone="UTC", interval=relativedelta(months=1), run_immediately=HOUR),
        model.CronTrigger("5 4 * * *", "UTC", model.Delta(1), run_immediately=model.Delta(seconds=3600)),
        "5 4 * * *",
    ),
    (
        MultipleCronTriggerTimetable("@daily", "5 4 * * *", timezone=BERLIN, interval=HOUR, run_immediately=None),
        model.MultipleCronTrigger(("0 0 * * *", "5 4 * * *"), BERLIN, model.Delta(seconds=3600), run_immediately=None),
        "0 0 * * *, 5 4 * * *",
    ),
    (CronDataIntervalTimetable("@hourly", BERLIN), model.CronDataInterval("0 * * * *", BERLIN), "0 * * * *"),
    (DeltaTriggerTimetable(HOUR), model.DeltaTrigger(model.Delta(seconds=3600)), "1:00:00"),
    (
        DeltaTriggerTimetable(relativedelta(months=1), interval=HOUR),
        model.DeltaTrigger(model.Delta(1), model.Delta(seconds=3600)),
        "relativedelta(months=+1)",
    ),
    (DeltaDataIntervalTimetable(HOUR), model.DeltaDataInterval(model.Delta(seconds=3600)), "1:00:00"),
    (
        EventsTimetable([utc("2026-02-01"), utc("2026-01-01"), utc("2026-02-01")]),
        model.Events((utc("2026-01-01"), utc("2026-02-01"))),
        "3 events",
    ),
    (
        EventsTimetable([pendulum.datetime(2026, 1, 1)], restrict_to_events=True, presorted=True, description="fair"),
        model.Events((utc("2026-01-01"),), restrict_to_events=True, description="fair"),
        "fair",
    ),
    (AssetTriggeredTimetable([A, B]), model.AssetTriggered(), "Asset"),
    (
        AssetOrTimeSchedule(assets=A, timetable=OnceTimetable()),
        model.AssetOrTime(model.Once()),
        "Asset or @once",
    ),
    (
        AssetAndTimeSchedule(assets=A, timetable=CronTriggerTimetable("0 0 * * *", "UTC")),
        model.AssetAndTime(model.CronTrigger("0 0 * * *")),
        "Asset and 0 0 * * *",
    ),
    (
        AssetAndTimeSchedule(
            assets=A & B,
            timetable=CronDataIntervalTimetable("@daily", "UTC"),
            match="in_interval",
            fresh_within=HOUR,
            deadline=timedelta(minutes=5),
            on_deadline="fail",
            key_format="%Y",
            gate_backfill=True,
        ),
        model.AssetAndTime(
            model.CronDataInterval("0 0 * * *"),
            Match.IN_INTERVAL,
            model.Delta(seconds=3600),
            model.Delta(seconds=300),
            OnDeadline.FAIL,
            "%Y",
            True,
        ),
        "Asset and 0 0 * * *",
    ),
    (
        CronPartitionTimetable("@daily", timezone=BERLIN, run_offset=-1, key_format="%Y-%m-%d"),
        model.CronPartition("0 0 * * *", BERLIN, -1, key_format="%Y-%m-%d"),
        "0 0 * * *",
    ),
    (PartitionedAtRuntime(), model.PartitionedAtRuntime(), "PartitionedAtRuntime"),
    (PartitionedAssetTimetable(A), model.PartitionedAssets(), "Partitioned Asset"),
    (
        Workdays(["2026-01-01"]),
        model.Custom(f"{__name__}.Workdays", {"holidays": ["2026-01-01"]}, "workdays", "On workdays"),
        "workdays",
    ),
    (EarlierCron("@daily", "UTC"), model.Custom(f"{__name__}.EarlierCron", None, "0 0 * * *"), "0 0 * * *"),
]


@pytest.mark.parametrize(("timetable", "stored", "summary"), CASES)
def test_a_timetable_is_stored_as_data(timetable: BaseTimetable, stored: model.Timetable, summary: str) -> None:
    assert timetable.to_model() == stored
    assert timetable.summary == summary
    assert decode_dag(encode_dag(Dag("d", timetable=stored))).timetable == stored
    timetable.validate()


@pytest.mark.parametrize(
    ("timetable", "scheduled", "periodic", "limit"),
    [
        (NullTimetable(), False, False, None),
        (PartitionedAtRuntime(), False, False, None),
        (OnceTimetable(), True, False, None),
        (ContinuousTimetable(), True, False, 1),
        (CronTriggerTimetable("@daily", "UTC"), True, True, None),
        (EventsTimetable([]), True, True, None),
        (AssetTriggeredTimetable(A), True, False, None),
        (AssetOrTimeSchedule(assets=A, timetable=ContinuousTimetable()), True, False, 1),
        (AssetOrTimeSchedule(assets=A, timetable=NullTimetable()), False, False, None),
        (AssetOrTimeSchedule(assets=A, timetable=CronTriggerTimetable("@daily", "UTC")), True, True, None),
    ],
)
def test_a_timetable_knows_how_it_makes_runs(
    timetable: BaseTimetable, scheduled: bool, periodic: bool, limit: int | None
) -> None:
    assert (timetable.can_be_scheduled, timetable.periodic, timetable.active_runs_limit) == (scheduled, periodic, limit)


def rolled_up(mapper: PartitionMapper, window: Window, count: int) -> PartitionedAssetTimetable:
    days = RollupMapper(upstream_mapper=mapper, window=window, wait_policy=MinimumCount(count))
    return PartitionedAssetTimetable(A, {A: ChainMapper(IdentityMapper(), days)})


@pytest.mark.parametrize(
    ("timetable", "problem"),
    [
        (CronTriggerTimetable("* * *", "UTC"), r"cron expression '\* \* \*': 3 fields"),
        (CronDataIntervalTimetable("0 0 30 2 *", "UTC"), "does not exist in any year"),
        (CronTriggerTimetable("@daily", "Mars/Olympus"), "unknown time zone 'Mars/Olympus'"),
        (CronPartitionTimetable("61 * * * *", timezone="UTC"), "minute 61 is not within 0-59"),
        (MultipleCronTriggerTimetable("@daily", "whenever", timezone="UTC"), "'whenever'"),
        (DeltaTriggerTimetable(timedelta(0)), "must be positive"),
        (DeltaDataIntervalTimetable(timedelta(-1)), "must be positive"),
        (EventsTimetable([datetime.fromisoformat("2026-01-01")]), "has no time zone"),
        (AssetOrTimeSchedule(assets=A, timetable=AssetTriggeredTimetable(B)), "needs a timetable of times"),
        (
            AssetOrTimeSchedule(assets=A, timetable=AssetOrTimeSchedule(assets=B, timetable=OnceTimetable())),
            "needs a timetable of times",
        ),
        (
            AssetAndTimeSchedule(assets=A, timetable=AssetOrTimeSchedule(assets=B, timetable=OnceTimetable())),
            "needs a timetable of times",
        ),
        (
            AssetAndTimeSchedule(assets=A, timetable=OnceTimetable(), deadline=timedelta(0)),
            "deadline must be a positive",
        ),
        (
            AssetAndTimeSchedule(assets=A, timetable=OnceTimetable(), fresh_within=timedelta(-1)),
            "fresh_within must be a positive",
        ),
        (
            AssetAndTimeSchedule(assets=A, timetable=CronTriggerTimetable("@daily", "UTC"), match="in_interval"),
            "needs a timetable whose runs have data intervals",
        ),
        (AssetAndTimeSchedule(assets=A, timetable=CronTriggerTimetable("x", "UTC")), "cron expression 'x'"),
        (
            AssetAndTimeSchedule(assets=A, timetable=OnceTimetable(), on_deadline="skip"),
            'on_deadline="skip" needs a deadline',
        ),
        (AssetAndTimeSchedule(assets=[], timetable=OnceTimetable()), "waits for no asset"),
        (AssetAndTimeSchedule(assets=A, timetable=NullTimetable()), "never comes"),
        (
            CronTriggerTimetable("@daily", "UTC", interval=timedelta(-1)),
            "data interval of a run must be positive, not -1 day",
        ),
        (MultipleCronTriggerTimetable("@daily", timezone="UTC", interval=-HOUR), "data interval of a run must be"),
        (DeltaTriggerTimetable(HOUR, interval=relativedelta(months=-1)), "data interval of a run must be positive"),
        (CronPartitionTimetable("@daily", timezone="UTC", run_offset=-(10**7)), "run_offset is -10000000 ticks"),
        (
            AssetOrTimeSchedule(assets=A, timetable=CronPartitionTimetable("@daily", timezone="UTC", run_offset=2_001)),
            "but may be 2000 at most, in either direction",
        ),
        (
            EventsTimetable([utc("2026-01-01"), datetime.fromisoformat("2025-01-01")]),
            "2025-01-01T00:00:00 has no time zone",
        ),
        (rolled_up(StartOfDayMapper(), DayWindow(), 25), r"MinimumCount\(25\) waits for more keys .*, which is 24"),
        (rolled_up(StartOfMonthMapper(), MonthWindow(), 32), "which is 31"),
        (rolled_up(IdentityMapper(), SegmentWindow(["n", "s"]), 3), "which is 2"),
        (AssetAndTimeSchedule(assets=A, timetable=ContinuousTimetable()), "ContinuousTimetable is always due"),
    ],
)
def test_a_timetable_that_makes_no_sense_is_refused(timetable: BaseTimetable, problem: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=problem):
        timetable.validate()


def test_a_roll_up_may_wait_for_as_many_keys_as_its_window_has_in_some_month() -> None:
    rolled_up(StartOfDayMapper(), DayWindow(), 24).validate()
    rolled_up(StartOfMonthMapper(), MonthWindow(), 31).validate()


def test_what_is_no_timetable_is_refused_at_once() -> None:
    wrong: Any = "@daily"
    with pytest.raises(AirflowTimetableInvalid, match="needs a timetable object, not '@daily'"):
        AssetOrTimeSchedule(assets=A, timetable=wrong)
    with pytest.raises(AirflowTimetableInvalid, match="needs a timetable object, not '@daily'"):
        AssetAndTimeSchedule(assets=A, timetable=wrong)
    with pytest.raises(AirflowTimetableInvalid, match="match is 'all', but must be one of 'any', 'since_last_run'"):
        AssetAndTimeSchedule(assets=A, timetable=OnceTimetable(), match="all")
    with pytest.raises(AirflowTimetableInvalid, match="on_deadline is 'wait', but must be one of 'run', 'skip'"):
        AssetAndTimeSchedule(assets=A, timetable=OnceTimetable(), on_deadline="wait")
    no_text: Any = 5
    with pytest.raises(AirflowTimetableInvalid, match="a cron expression must be a string, not 5"):
        CronTriggerTimetable(no_text, "UTC")
    with pytest.raises(ValueError, match="at least one cron expression"):
        MultipleCronTriggerTimetable(timezone="UTC")
    with pytest.raises(ValueError, match="run_offset must be a number of ticks"):
        CronPartitionTimetable("@daily", timezone="UTC", run_offset=HOUR)
    texts: Any = ["2026-01-01"]
    with pytest.raises(AirflowTimetableInvalid, match="events of an EventsTimetable are datetimes, not '2026-01-01'"):
        EventsTimetable(texts)
    with pytest.raises(AirflowTimetableInvalid, match=r"are datetimes, not datetime\.date\(2026, 1, 1\)"):
        EventsTimetable([utc("2026-01-01").date()], presorted=True)  # type: ignore[list-item]
    with pytest.raises(NotImplementedError, match="BaseTimetable"):
        BaseTimetable().to_model()


def test_the_assets_of_a_timetable_are_a_condition() -> None:
    both = AssetOrTimeSchedule(assets=[A, B], timetable=OnceTimetable())

    assert both.asset_condition == AssetAll(A, B)
    assert AssetTriggeredTimetable(A | B).asset_condition == A | B
    assert OnceTimetable().asset_condition is None


def test_timetables_are_equal_by_what_they_say() -> None:
    assert CronTriggerTimetable("@daily", "UTC") == CronTriggerTimetable("0 0 * * *", "UTC")
    assert CronTriggerTimetable("@daily", "UTC") != CronTriggerTimetable("@daily", BERLIN)
    assert CronTriggerTimetable("@daily", "UTC") != CronDataIntervalTimetable("@daily", "UTC")
    assert len({OnceTimetable(), OnceTimetable(), NullTimetable()}) == 2
    assert repr(CronDataIntervalTimetable("@daily", "UTC")) == (
        "CronDataIntervalTimetable(expression='0 0 * * *', timezone='UTC')"
    )


def test_a_timetable_of_an_author_is_named_with_its_path() -> None:
    assert CronTriggerTimetable("@daily", "UTC").type_name == "CronTriggerTimetable"
    assert Workdays([]).type_name == f"{__name__}.Workdays"


def test_events_are_described_by_their_span() -> None:
    events = EventsTimetable([utc("2026-02-01"), utc("2026-01-01")])

    assert events.event_dates == [utc("2026-01-01"), utc("2026-02-01")]
    assert events.description == "2 events from 2026-01-01T00:00:00+00:00 to 2026-02-01T00:00:00+00:00"
    assert EventsTimetable([]).description == "No events"


def test_each_asset_may_have_its_own_mapper() -> None:
    days = RollupMapper(upstream_mapper=StartOfDayMapper(), window=DayWindow())
    alias = AssetAlias("x")
    timetable = PartitionedAssetTimetable(
        A & B & Asset.ref(name="c") & alias,
        {A & Asset.ref(name="c"): days, Asset.ref(uri="file:///d"): days, alias: days},
    )

    assert timetable.get_partition_mapper(name="a") is days
    assert timetable.get_partition_mapper(uri="file:///a") is days
    assert timetable.get_partition_mapper(name="c") is days
    assert timetable.get_partition_mapper(uri="file:///d") is days
    assert timetable.get_partition_mapper(name="b") == IdentityMapper()
    stored = timetable.to_model()
    assert isinstance(stored, model.PartitionedAssets)
    assert [mapped.asset for mapped in stored.mappers] == [
        asset_model.AssetRef("a", "file:///a"),
        asset_model.AssetRef("c"),
        asset_model.AssetRef(uri="file:///d"),
        asset_model.AssetAliasRef("x"),
    ]
    assert stored.default == partition_model.SameKey()
    assert timetable.partitioned


def test_what_is_no_mapper_of_an_asset_is_refused_at_once() -> None:
    nothing: Any = None
    by_name: Any = {"a": StartOfDayMapper()}
    with pytest.raises(TypeError, match=r"default_partition_mapper must be a mapper such as .*, not None"):
        PartitionedAssetTimetable(A, default_partition_mapper=nothing)
    with pytest.raises(TypeError, match="the mapper of a must be an object: StartOfDayMapper is its class; call it"):
        PartitionedAssetTimetable(A, {A: StartOfDayMapper})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"keys of partition_mapper_config are assets, such as Asset\('a'\), not 'a'"):
        PartitionedAssetTimetable(A, by_name)


def test_a_mapper_for_an_asset_that_is_not_waited_for_is_warned_of() -> None:
    days = StartOfDayMapper()
    with pytest.warns(
        UserWarning, match="partition_mapper_config has a mapper for b, which the schedule does not wait"
    ):
        PartitionedAssetTimetable(A, {B: days})
    with pytest.warns(UserWarning, match="a mapper for alias x"):
        PartitionedAssetTimetable(A, {A & AssetAlias("x"): days})


@pytest.mark.parametrize(
    ("condition", "mapped"),
    [
        (A & B, B),
        (A, Asset.ref(name="a")),
        (A, Asset.ref(uri="file:///a")),
        (Asset.ref(name="z"), Asset.ref(uri="file:///a")),  # they may be the same
        (AssetAlias("x"), AssetAlias("x")),
        (AssetAlias("x"), A),  # a task may put it into the alias
    ],
)
def test_a_mapper_for_an_asset_that_may_be_waited_for_is_not_warned_of(condition: BaseAsset, mapped: BaseAsset) -> None:
    PartitionedAssetTimetable(condition, {mapped: StartOfDayMapper()}).validate()


def test_the_zone_of_a_mapper_is_checked_wherever_it_comes_from() -> None:
    class Elsewhere(PartitionedAssetTimetable):
        def _plain_model(self) -> model.Timetable:
            day = partition_model.StartOfPeriod(partition_model.Period.DAY, "%Y", "Mars/X")
            return model.PartitionedAssets(default=partition_model.MapperChain((partition_model.SameKey(), day)))

    with pytest.raises(AirflowTimetableInvalid, match="unknown time zone 'Mars/X'"):
        Elsewhere(A).validate()


def test_what_an_author_serializes_is_json() -> None:
    wrong: Any = [utc("2026-01-01")]
    with pytest.raises(TypeError, match=r"what Workdays.serialize\(\) returns\['holidays'\]\[0\] is a datetime"):
        Workdays(wrong).to_model()


def test_the_logic_of_an_author_is_asked_in_the_old_way_or_the_new() -> None:
    since = TimeRestriction(utc("2026-01-01"), None, catchup=True)
    timetable = Workdays.deserialize(Workdays([]).serialize())

    first = timetable.next_dagrun_info_v2(last_dagrun_info=None, restriction=since)
    second = timetable.next_dagrun_info_v2(last_dagrun_info=first, restriction=since)

    assert first == DagRunInfo.exact(utc("2026-01-01"))
    assert second is not None
    assert second.run_after == utc("2026-01-02")


def test_a_timetable_without_logic_says_what_it_lacks() -> None:
    bare = Timetable()

    with pytest.raises(NotImplementedError, match="next_dagrun_info"):
        bare.next_dagrun_info(last_automated_data_interval=None, restriction=TimeRestriction(None, None, catchup=True))
    with pytest.raises(NotImplementedError, match="infer_manual_data_interval"):
        bare.infer_manual_data_interval(run_after=utc("2026-01-01"))
    with pytest.raises(NotImplementedError, match="no partitions"):
        bare.get_partition_mapper(name="a")
    with pytest.raises(NotImplementedError, match="cannot list its partitions"):
        bare.iter_partition_dagrun_infos(earliest=utc("2026-01-01"), latest=utc("2026-01-01"))
    assert bare.partition_mapper_info == []
    assert Timetable.deserialize(bare.serialize()) == bare


def test_a_run_has_an_id_of_its_type() -> None:
    """C5."""
    moment = utc("2026-01-01")

    run_id = Workdays([]).generate_run_id(run_type=DagRunType.MANUAL, run_after=moment, data_interval=None)

    assert run_id == "manual__2026-01-01T00:00:00+00:00"


def test_the_logical_date_is_the_start_of_the_interval() -> None:
    start, end = utc("2026-01-01"), utc("2026-01-02")

    assert DagRunInfo.interval(start, end) == DagRunInfo(end, DataInterval(start, end))
    assert DagRunInfo.interval(start, end).logical_date == start
    assert DagRunInfo(end, None, partition_key="k").logical_date is None


def test_a_partition_key_stands_for_a_date_only_where_the_author_says_so() -> None:
    class Daily(Workdays):
        partitioned = True

        def _decode_partition_date(self, partition_key: str) -> datetime | None:
            return utc(partition_key)

    assert Daily([]).resolve_partition_date("2026-01-01") == utc("2026-01-01")
    assert Daily([]).resolve_partition_date(None) is None
    assert Workdays([]).resolve_partition_date("2026-01-01") is None
    assert Workdays([]).localize_partition_datetime(datetime.fromisoformat("2026-01-01")) == utc("2026-01-01")


def test_cron_timetables_take_a_policy_for_moved_clocks() -> None:
    """C1: it is stored, and a word that nobody knows is refused when the file is read."""
    changes = ClockChanges(SkippedTime.OMIT, RepeatedTime.FIRST)
    policy: dict[str, Any] = {"dst_skipped": "omit", "dst_repeated": "first"}

    made: list[Any] = [
        CronTriggerTimetable("30 2 * * *", BERLIN, **policy),
        CronDataIntervalTimetable("30 2 * * *", BERLIN, **policy),
        CronPartitionTimetable("30 2 * * *", timezone=BERLIN, **policy),
        MultipleCronTriggerTimetable("30 2 * * *", "0 3 * * *", timezone=BERLIN, **policy),
    ]

    for timetable in made:
        stored = timetable.to_model()
        assert stored.clock_changes == changes
        assert decode_dag(encode_dag(Dag("d", timetable=stored))).timetable == stored
    with pytest.raises(AirflowTimetableInvalid, match="dst_skipped is one of later, at_change, omit, not 'never'"):
        CronTriggerTimetable("30 2 * * *", BERLIN, dst_skipped="never")
