"""Which of the runs that an author's own timetable has named comes next (C1)."""

from datetime import datetime, timedelta

import pytest

from tests.instants import utc
from tradewind.decide.timetables import next_run
from tradewind.model.planned_runs import PlannedRuns, decode_plan, encode_plan
from tradewind.model.timetable import Custom, DataInterval, RunInfo, TimeRestriction

START = utc("2026-01-01")


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def info(number: int) -> RunInfo:
    return RunInfo(day(number), DataInterval(day(number - 1), day(number)))


@pytest.mark.parametrize(
    ("asked", "now", "is_complete", "expected"),
    [
        (0, 0, False, 1),
        (0, 2.5, False, 2),
        (3, 3, False, 1),  # all were due when it named them: it wants them
        (0, 9, False, None),  # the newest is not on the list
        (0, 9, True, 5),
    ],
)
def test_without_catchup_the_newest_of_what_became_due_follows(
    asked: float, now: float, is_complete: bool, expected: int | None
) -> None:
    plan = PlannedRuns(tuple(map(info, range(1, 6))), is_complete, day(asked))
    bounds = TimeRestriction(START, None, catchup=False)

    found = next_run(Custom("own"), last=None, restriction=bounds, now=day(now), plan=plan)

    assert found == (None if expected is None else info(expected))


def test_with_catchup_they_follow_each_other() -> None:
    plan = PlannedRuns(tuple(map(info, range(1, 6))), asked_at=START)
    bounds = TimeRestriction(START, None, catchup=True)

    assert next_run(Custom("own"), last=info(2), restriction=bounds, now=day(9), plan=plan) == info(3)


def test_when_they_were_named_is_kept() -> None:
    plan = PlannedRuns((info(1),), asked_at=day(0.5))

    assert decode_plan(encode_plan(plan)) == plan
