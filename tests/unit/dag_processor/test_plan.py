"""Runs that a timetable of an author's own names, asked for no longer than a while (C1)."""

from datetime import timedelta
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
    plan = plan_runs(Daily(), dag, None, monotonic=lambda: next(ticks) * seconds_each)
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
    plan = plan_runs(Calendar(), dag, None, monotonic=lambda: passed)

    assert plan is not None
    assert len(plan.runs) == MOST_PLANNED
