"""Runs that a timetable of an author's own names, asked for no longer than a while (C1)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import count

import pytest

from tests.instants import utc
from tradewind.dag_processor.compile import plan_runs
from tradewind.model.dag import Dag, Task
from tradewind.model.planned_runs import MOST_PAST, MOST_PLANNED, PlannedRuns
from tradewind.model.timetable import Custom
from tradewind.sdk.custom_timetable import DagRunInfo, DataInterval, TimeRestriction, Timetable

START = utc("2026-01-01")


class Daily(Timetable):
    """Every day, as often as it is asked."""

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        start = START if last_automated_data_interval is None else last_automated_data_interval.end
        return DagRunInfo.interval(start, start + timedelta(days=1))


def planned(seconds_each: float) -> PlannedRuns:
    """By a timetable that takes so long for each answer."""
    dag = Dag("own", (Task("a"),), timetable=Custom("shop.Daily"), start_at=START)
    ticks = count()
    plan = plan_runs(Daily(), dag, None, now=START, monotonic=lambda: next(ticks) * seconds_each)
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("seconds_each", "coming", "past"), [(0.0, MOST_PLANNED, MOST_PAST), (0.1, 21, 21), (60.0, 1, 1)]
)
def test_a_slow_timetable_names_fewer_runs_and_at_least_one(seconds_each: float, coming: int, past: int) -> None:
    """C1: with some that take a tenth of a second for each answer, a file would else take minutes to read."""
    plan = planned(seconds_each)

    assert (len(plan.runs), len(plan.past)) == (coming, past)
    assert not plan.is_complete
    assert not plan.past_is_complete


def test_a_timetable_may_take_its_time_before_it_first_answers() -> None:
    """C1: one that imports a calendar of holidays then names as many runs as others do."""
    passed = 0.0

    class Calendar(Daily):
        def next_dagrun_info(
            self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
        ) -> DagRunInfo | None:
            nonlocal passed
            passed += 60.0 if last_automated_data_interval is None else 0.0
            return super().next_dagrun_info(
                last_automated_data_interval=last_automated_data_interval, restriction=restriction
            )

    dag = Dag("own", (Task("a"),), timetable=Custom("shop.Calendar"), start_at=START)
    plan = plan_runs(Calendar(), dag, None, now=START, monotonic=lambda: passed)

    assert plan is not None
    assert len(plan.runs) == MOST_PLANNED


class Shards(Timetable):
    """A partition at each hour by itself; those of days, if it is asked for a range."""

    partitioned = True

    def __init__(self, *, names_runs: bool) -> None:
        self.names_runs = names_runs
        self.asked: list[tuple[datetime, datetime]] = []

    def next_dagrun_info_v2(
        self, *, last_dagrun_info: DagRunInfo | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        if not self.names_runs:
            return None
        at = START if last_dagrun_info is None else last_dagrun_info.run_after + timedelta(hours=1)
        return DagRunInfo(at, None, at, at.isoformat())

    def iter_partition_dagrun_infos(self, *, earliest: datetime, latest: datetime) -> Iterable[DagRunInfo]:
        self.asked.append((earliest, latest))
        for day in range((latest - earliest).days, -1, -1):
            date = earliest + timedelta(days=day)
            yield DagRunInfo(date, None, date, f"day {day}")


@pytest.mark.parametrize(("names_runs", "days"), [(True, 5), (False, 3)])
def test_partitions_to_backfill_are_those_that_the_timetable_lists(names_runs: bool, days: int) -> None:
    """C1, C6: up to the last run that it has named, or up to now; in the order of their dates."""
    timetable = Shards(names_runs=names_runs)
    dag = Dag("own", (Task("a"),), timetable=Custom("shop.Shards", partitioned=True), start_at=START)

    plan = plan_runs(timetable, dag, None, now=START + timedelta(days=2), monotonic=lambda: 0.0)

    assert plan is not None
    ((earliest, latest),) = timetable.asked
    assert (earliest, latest) == (START, max(START + timedelta(days=2), *(run.run_after for run in plan.runs), START))
    assert [run.partition_key for run in plan.named_since_start()] == [f"day {day}" for day in range(days)]
    assert not plan.past_is_complete
