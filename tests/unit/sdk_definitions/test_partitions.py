"""Mappers, windows and wait policies: which partitions of assets make which runs (C2)."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.instants import utc
from tradewind.model import partition as model
from tradewind.sdk.exceptions import AirflowTimetableInvalid
from tradewind.sdk.partition_mappers import (
    AllowedKeyMapper,
    ChainMapper,
    FanOutMapper,
    FixedKeyMapper,
    IdentityMapper,
    PartitionMapper,
    ProductMapper,
    RollupMapper,
    StartOfDayMapper,
    StartOfHourMapper,
    StartOfMonthMapper,
    StartOfQuarterMapper,
    StartOfWeekMapper,
    StartOfYearMapper,
)
from tradewind.sdk.partition_windows import (
    DayWindow,
    HourWindow,
    MonthWindow,
    QuarterWindow,
    SegmentWindow,
    WeekWindow,
    Window,
    YearWindow,
)
from tradewind.sdk.wait_policies import MinimumCount, PartitionSatisfaction, WaitForAll, WaitPolicy

KEY = "2024-03-13T10:42:15"


class Halves(PartitionMapper):
    """A mapper of an author: each key counts for two runs."""

    def to_downstream(self, key: str) -> Iterable[str]:
        return [f"{key}-1", f"{key}-2"]


class Fortnight(Window):
    """A window of an author."""

    expected_decoded_type = datetime

    def to_upstream(self, decoded_downstream: datetime) -> Iterable[datetime]:
        return [decoded_downstream + timedelta(days=day) for day in range(14)]


class Mondays(StartOfWeekMapper):
    """A mapper of an author, made of one of ours."""

    def to_downstream(self, key: str) -> str:
        return super().to_downstream(key) + "!"


@pytest.mark.parametrize(
    ("mapper", "expected"),
    [
        (StartOfHourMapper(), "2024-03-13T10"),
        (StartOfDayMapper(), "2024-03-13"),
        (StartOfWeekMapper(), "2024-03-11 (W11)"),
        (StartOfMonthMapper(), "2024-03"),
        (StartOfQuarterMapper(), "2024-Q1"),
        (StartOfYearMapper(), "2024"),
        (StartOfQuarterMapper(output_format="Q{quarter} of %Y"), "Q1 of 2024"),
        (StartOfDayMapper(output_format="%d.%m.%Y"), "13.03.2024"),
        (IdentityMapper(), KEY),
        (FixedKeyMapper("all"), "all"),
        (AllowedKeyMapper([KEY]), KEY),
    ],
)
def test_a_key_is_mapped(mapper: PartitionMapper, expected: str) -> None:
    assert mapper.to_downstream(KEY) == expected


def test_a_key_that_is_not_allowed_is_refused() -> None:
    with pytest.raises(ValueError, match="partition key 'us' is none of 'eu', 'asia'"):
        AllowedKeyMapper(["eu", "asia"]).to_downstream("us")


def test_keys_with_an_offset_are_read_in_the_zone_of_the_mapper() -> None:
    mapper = StartOfDayMapper(timezone=ZoneInfo("Asia/Tokyo"), input_format="%Y-%m-%dT%H:%M%z")

    assert mapper.to_downstream("2024-03-13T20:00+0000") == "2024-03-14"
    assert mapper.to_partition_date("2024-03-14") == utc("2024-03-13 15:00")


def test_a_format_that_cannot_be_read_again_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"unknown placeholder \{half\}"):
        StartOfQuarterMapper(output_format="%Y-{half}")
    with pytest.raises(ValueError, match="%Y twice"):
        StartOfWeekMapper(output_format="%Y-%Y")


def test_a_period_knows_when_it_begins() -> None:
    mapper = StartOfQuarterMapper(timezone="Europe/Berlin")

    assert mapper.decode_downstream("2024-Q3") == datetime.fromisoformat("2024-07-01")
    assert mapper.encode_upstream(datetime.fromisoformat("2024-07-01")) == "2024-07-01T00:00:00"
    assert mapper.to_partition_date("2024-Q3") == utc("2024-06-30 22:00")
    assert mapper.format(datetime.fromisoformat("2024-08-15")) == "2024-Q3"


def test_only_a_key_that_is_kept_keeps_the_date_of_its_producer() -> None:
    assert IdentityMapper().carry_partition_date(utc("2024-01-01")) == utc("2024-01-01")
    assert StartOfDayMapper().carry_partition_date(utc("2024-01-01")) is None
    assert IdentityMapper().to_partition_date("2024-01-01") is None


def test_a_chain_maps_one_after_the_other() -> None:
    chain = ChainMapper(StartOfDayMapper(), StartOfMonthMapper(input_format="%Y-%m-%d"))

    assert chain.to_downstream(KEY) == "2024-03"
    assert chain.to_partition_date("2024-03") == utc("2024-03-01")
    assert ChainMapper(Halves(), Halves(), FixedKeyMapper("x")).to_downstream("a") == ["x"] * 4
    assert list(ChainMapper(Halves(), Halves()).to_downstream("a")) == ["a-1-1", "a-1-2", "a-2-1", "a-2-2"]


def test_a_product_maps_each_part_by_itself() -> None:
    product = ProductMapper(StartOfDayMapper(), AllowedKeyMapper(["eu", "us"]))

    assert product.to_downstream(f"{KEY}|eu") == "2024-03-13|eu"
    assert product.to_partition_date("2024-03-13|eu") == utc("2024-03-13")
    with pytest.raises(ValueError, match="has 1 parts, but there are 2 mappers"):
        product.to_downstream(KEY)
    with pytest.raises(ValueError, match="'asia' is none of"):
        product.to_downstream(f"{KEY}|asia")
    with pytest.raises(TypeError, match="Halves made 2 keys of 'a' where one is needed"):
        ProductMapper(Halves(), IdentityMapper(), delimiter="/").to_downstream("a/b")


@pytest.mark.parametrize("key", ["2024-03-13", "2024-03-13|eu|x"])
def test_a_product_has_no_date_for_a_key_of_other_parts(key: str) -> None:
    assert ProductMapper(StartOfDayMapper(), IdentityMapper()).to_partition_date(key) is None


def test_a_product_of_two_times_has_no_date() -> None:
    assert ProductMapper(StartOfDayMapper(), StartOfDayMapper()).to_partition_date("2024-03-13|2024-03-13") is None
    assert ProductMapper(IdentityMapper(), IdentityMapper()).to_partition_date("a|b") is None


def test_a_roll_up_names_the_keys_that_it_waits_for() -> None:
    days = RollupMapper(upstream_mapper=StartOfDayMapper(input_format="%Y-%m-%dT%H"), window=DayWindow())

    needed = days.to_upstream("2024-03-13")

    assert days.is_rollup
    assert needed == {f"2024-03-13T{hour:02}" for hour in range(24)}
    assert {days.to_downstream(key) for key in needed} == {"2024-03-13"}
    assert days.to_partition_date("2024-03-13") == utc("2024-03-13")
    assert days.wait_policy == WaitForAll()


def test_a_roll_up_of_segments_waits_for_each() -> None:
    regions = RollupMapper(upstream_mapper=FixedKeyMapper("all"), window=SegmentWindow(["us", "eu", "us"]))

    assert regions.to_downstream("eu") == "all"
    assert regions.to_upstream("all") == {"us", "eu"}


def test_a_window_and_its_mapper_work_on_the_same() -> None:
    with pytest.raises(TypeError, match="DayWindow works on a datetime, but IdentityMapper reads a str out of a key"):
        RollupMapper(upstream_mapper=IdentityMapper(), window=DayWindow())
    with pytest.raises(TypeError, match="SegmentWindow works on a str"):
        FanOutMapper(upstream_mapper=StartOfDayMapper(), window=SegmentWindow(["a"]))


@pytest.mark.parametrize(
    ("upstream", "window", "key", "first", "last", "count"),
    [
        (StartOfDayMapper(), DayWindow(), KEY, "2024-03-13T00", "2024-03-13T23", 24),
        (StartOfWeekMapper(), WeekWindow(), KEY, "2024-03-11", "2024-03-17", 7),
        (StartOfMonthMapper(), MonthWindow(), "2024-02-10T00:00:00", "2024-02-01", "2024-02-29", 29),
        (StartOfQuarterMapper(), QuarterWindow(), KEY, "2024-01", "2024-03", 3),
        (StartOfYearMapper(), YearWindow(), KEY, "2024-01", "2024-12", 12),
        (StartOfWeekMapper(), WeekWindow(direction=Window.Direction.BACKWARD), KEY, "2024-03-05", "2024-03-11", 7),
    ],
)
def test_a_fan_out_makes_a_run_for_each_part(
    upstream: PartitionMapper, window: Window, key: str, first: str, last: str, count: int
) -> None:
    made = list(FanOutMapper(upstream_mapper=upstream, window=window).to_downstream(key))

    assert (made[0], made[-1], len(made)) == (first, last, count)


def test_a_fan_out_may_write_its_keys_in_another_way() -> None:
    week = FanOutMapper(
        upstream_mapper=StartOfWeekMapper(),
        window=WeekWindow(),
        downstream_mapper=StartOfDayMapper(output_format="%d."),
    )

    assert list(week.to_downstream(KEY)) == [f"{day}." for day in range(11, 18)]
    plain = FanOutMapper(upstream_mapper=FixedKeyMapper("x"), window=SegmentWindow("a"), downstream_mapper=Halves())
    assert list(plain.to_downstream("any")) == ["a"]
    iso = FanOutMapper(upstream_mapper=StartOfDayMapper(), window=Fortnight(), downstream_mapper=IdentityMapper())
    assert next(iter(iso.to_downstream(KEY))) == "2024-03-13T00:00:00"


def test_the_date_of_a_fanned_out_run_is_that_of_its_own_key() -> None:
    week = FanOutMapper(upstream_mapper=StartOfWeekMapper(), window=WeekWindow())

    assert week.to_partition_date("2024-03-15") == utc("2024-03-15")


@pytest.mark.parametrize("window", [HourWindow(), Fortnight()])
def test_a_window_without_a_usual_mapper_needs_one(window: Window) -> None:
    with pytest.raises(ValueError, match=f"over a {type(window).__name__} needs a downstream_mapper"):
        FanOutMapper(upstream_mapper=StartOfHourMapper(), window=window)


def test_a_fan_out_does_not_fan_out_twice() -> None:
    with pytest.raises(TypeError, match="Halves made 2 keys"):
        FanOutMapper(upstream_mapper=Halves(), window=SegmentWindow("a"), downstream_mapper=Halves()).to_downstream("x")


@pytest.mark.parametrize("zone", ["Mars/X", "", "America", "+25:00"])
def test_a_mapper_in_a_zone_that_does_not_exist_is_refused_at_once(zone: str) -> None:
    with pytest.raises(ValueError, match=f"unknown time zone '{re.escape(zone)}'"):
        StartOfDayMapper(timezone=zone)


def test_what_is_no_part_of_a_mapper_is_refused_at_once() -> None:
    days = StartOfDayMapper()
    wrong: Any = "all"
    itself: Any = StartOfDayMapper
    window: Any = DayWindow
    with pytest.raises(TypeError, match=r"upstream_mapper must be a mapper such as StartOfDayMapper\(\), not 'all'"):
        RollupMapper(upstream_mapper=wrong, window=DayWindow())
    with pytest.raises(TypeError, match="upstream_mapper must be an object: StartOfDayMapper is its class; call it"):
        FanOutMapper(upstream_mapper=itself, window=DayWindow())
    with pytest.raises(TypeError, match="downstream_mapper must be an object"):
        FanOutMapper(upstream_mapper=days, window=DayWindow(), downstream_mapper=itself)
    with pytest.raises(TypeError, match="window must be an object: DayWindow is its class"):
        RollupMapper(upstream_mapper=days, window=window)
    with pytest.raises(TypeError, match=r"wait_policy must be WaitForAll\(\), MinimumCount\(n\) or None, not 'all'"):
        RollupMapper(upstream_mapper=days, window=DayWindow(), wait_policy=wrong)
    with pytest.raises(TypeError, match="each mapper of a ChainMapper must be an object"):
        ChainMapper(days, itself)
    with pytest.raises(TypeError, match="each mapper of a ProductMapper must be a mapper"):
        ProductMapper(wrong, days)
    with pytest.raises(TypeError, match="output_format must be a text, not 5"):
        StartOfDayMapper(output_format=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="input_format must be a text, not None"):
        StartOfDayMapper(input_format=None)  # type: ignore[arg-type]
    with pytest.raises(AirflowTimetableInvalid, match="a time zone is a name or a tzinfo, not 5"):
        StartOfDayMapper(timezone=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "many"])
def test_a_limit_of_keys_is_a_number(limit: Any) -> None:
    with pytest.raises(ValueError, match="max_downstream_keys must be a whole number of at least 1"):
        IdentityMapper(max_downstream_keys=limit)


@pytest.mark.parametrize("key", ["", None, 3])
def test_a_fixed_key_is_a_text(key: Any) -> None:
    with pytest.raises(ValueError, match="downstream_key must be a text"):
        FixedKeyMapper(key)


@pytest.mark.parametrize(("segments", "problem"), [([], "at least one"), (["a", ""], "not ''"), ([3], "not 3")])
def test_segments_are_texts(segments: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        SegmentWindow(segments)


def test_an_author_overrides_both_ways_or_neither() -> None:
    with pytest.raises(TypeError, match="OneWay must override both decode_downstream and encode_upstream, or neither"):

        class OneWay(IdentityMapper):
            def decode_downstream(self, downstream_key: str) -> Any:
                return len(downstream_key)


def test_what_a_mapper_makes_is_a_text() -> None:
    class Wrong(PartitionMapper):
        def to_downstream(self, key: str) -> Any:
            return 3

    with pytest.raises(TypeError, match="Wrong made 3 of a partition key"):
        ChainMapper(Wrong(), IdentityMapper()).to_downstream("a")


def test_mappers_and_windows_are_equal_by_what_they_say() -> None:
    assert StartOfDayMapper() == StartOfDayMapper(timezone="UTC")
    assert StartOfDayMapper() != StartOfDayMapper(timezone="Asia/Tokyo")
    assert StartOfDayMapper() != StartOfHourMapper()
    assert DayWindow() == DayWindow(direction=Window.Direction.FORWARD)
    assert SegmentWindow(["a", "b"]) == SegmentWindow(["b", "a"])
    assert len({IdentityMapper(), IdentityMapper(), FixedKeyMapper("a")}) == 2
    assert len({DayWindow(), DayWindow(), WeekWindow()}) == 2
    assert repr(FixedKeyMapper("a")) == "FixedKeyMapper(max_downstream_keys=None, downstream_key='a')"
    assert repr(DayWindow()) == "DayWindow(direction='forward')"
    assert repr(SegmentWindow(["b", "a"])) == "SegmentWindow(['a', 'b'])"


@pytest.mark.parametrize(
    ("mapper", "stored"),
    [
        (IdentityMapper(), model.SameKey()),
        (IdentityMapper(max_downstream_keys=3), model.SameKey(3)),
        (AllowedKeyMapper(["a"], max_downstream_keys=1), model.AllowedKeys(("a",), 1)),
        (FixedKeyMapper("a"), model.FixedKey("a")),
        (
            StartOfDayMapper(timezone=ZoneInfo("Asia/Tokyo"), input_format="%d", output_format="%Y"),
            model.StartOfPeriod(model.Period.DAY, "%Y", "Asia/Tokyo", "%d"),
        ),
        (
            ChainMapper(IdentityMapper(), Halves()),
            model.MapperChain((model.SameKey(), model.CustomMapper(f"{__name__}.Halves"))),
        ),
        (
            ProductMapper(IdentityMapper(), IdentityMapper(), delimiter="/"),
            model.MapperProduct((model.SameKey(), model.SameKey()), "/"),
        ),
        (
            RollupMapper(upstream_mapper=FixedKeyMapper("a"), window=SegmentWindow("x"), wait_policy=MinimumCount(-1)),
            model.RollUp(model.FixedKey("a"), model.SegmentWindow(("x",)), model.WaitForCount(-1)),
        ),
        (
            FanOutMapper(upstream_mapper=StartOfYearMapper(), window=YearWindow(direction=Window.Direction.BACKWARD)),
            model.FanOut(
                model.StartOfPeriod(model.Period.YEAR, "%Y"),
                model.PeriodWindow(model.Period.YEAR, model.Direction.BACKWARD),
                model.StartOfPeriod(model.Period.MONTH, "%Y-%m"),
            ),
        ),
        (Halves(max_downstream_keys=2), model.CustomMapper(f"{__name__}.Halves", {"max_downstream_keys": 2}, 2)),
        (
            Mondays(timezone="Asia/Tokyo"),
            model.CustomMapper(
                f"{__name__}.Mondays",
                {"timezone": "Asia/Tokyo", "input_format": model.TIME_KEY_FORMAT, "output_format": "%Y-%m-%d (W%V)"},
            ),
        ),
    ],
)
def test_a_mapper_is_stored_as_data(mapper: PartitionMapper, stored: model.Mapper) -> None:
    assert mapper.to_model() == stored


@pytest.mark.parametrize(
    "mapper",
    [
        IdentityMapper(max_downstream_keys=2),
        AllowedKeyMapper(["a"]),
        FixedKeyMapper("a"),
        StartOfDayMapper(timezone="Asia/Tokyo"),
        Mondays(),
    ],
)
def test_a_mapper_is_built_again_from_what_it_serializes(mapper: PartitionMapper) -> None:
    assert type(mapper).deserialize(mapper.serialize()) == mapper


def test_a_composite_mapper_of_an_author_has_to_say_what_it_is_made_of() -> None:
    class Mine(ChainMapper):
        pass

    with pytest.raises(NotImplementedError, match=r"Mine has to say in serialize\(\) what it is made of"):
        Mine(IdentityMapper(), IdentityMapper()).to_model()


@pytest.mark.parametrize(
    "window", [DayWindow(direction=Window.Direction.BACKWARD), SegmentWindow(["b", "a"]), Fortnight()]
)
def test_a_window_is_built_again_from_what_it_serializes(window: Window) -> None:
    assert type(window).deserialize(window.serialize()) == window


def test_a_window_of_an_author_is_stored_by_its_path() -> None:
    assert Fortnight().to_model() == model.CustomWindow(f"{__name__}.Fortnight", {"direction": "forward"})
    assert HourWindow().to_model() == model.PeriodWindow(model.Period.HOUR)


@pytest.mark.parametrize(
    ("policy", "arrived", "satisfied"),
    [
        (WaitForAll(), "abc", True),
        (WaitForAll(), "abcx", True),
        (WaitForAll(), "abx", False),
        (MinimumCount(2), "ab", True),
        (MinimumCount(2), "ax", False),
        (MinimumCount(-1), "ab", True),
        (MinimumCount(-1), "a", False),
        (MinimumCount(-9), "", True),
    ],
)
def test_a_roll_up_runs_when_enough_of_its_keys_arrived(policy: WaitPolicy, arrived: str, satisfied: bool) -> None:
    answer = policy.is_satisfied_by_keys(matched=set(arrived), expected=set("abc"))

    assert answer == PartitionSatisfaction(satisfied)


def test_more_keys_than_the_window_has_can_never_arrive() -> None:
    answer = MinimumCount(4).is_satisfied_by_keys(matched=set("abc"), expected=set("abc"))

    assert answer.unreachable
    assert not answer.satisfied
    assert answer.unreachable_reason == "MinimumCount(n=4) can never be satisfied by a window of 3 keys"


def test_of_an_empty_window_nothing_is_missing() -> None:
    assert WaitForAll().is_satisfied_by_keys(matched=set(), expected=set()).satisfied
    assert MinimumCount(-3).is_satisfied_by_keys(matched=set(), expected=set()).satisfied


@pytest.mark.parametrize("n", [0, 1.5, True, None])
def test_a_count_that_makes_no_sense_is_refused(n: Any) -> None:
    with pytest.raises(ValueError, match="makes no sense"):
        MinimumCount(n)


def test_policies_are_equal_and_built_again_by_what_they_say() -> None:
    assert MinimumCount.deserialize(MinimumCount(3).serialize()) == MinimumCount(3)
    assert WaitForAll.deserialize(WaitForAll().serialize()) == WaitForAll()
    assert len({MinimumCount(1), MinimumCount(1), MinimumCount(2)}) == 2


def test_a_wait_policy_of_an_author_is_refused() -> None:
    class Never(WaitPolicy):
        pass

    with pytest.raises(TypeError, match="the wait policy Never is not supported"):
        RollupMapper(upstream_mapper=FixedKeyMapper("a"), window=SegmentWindow("x"), wait_policy=Never()).to_model()


def test_what_can_never_be_reached_has_a_reason() -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        PartitionSatisfaction(satisfied=False, unreachable=True)
    with pytest.raises(ValueError, match="needs a reason"):
        PartitionSatisfaction(satisfied=False, unreachable_reason="why")
