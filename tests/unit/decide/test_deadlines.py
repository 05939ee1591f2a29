"""When runs have to be over (D4)."""

from datetime import datetime, timedelta

import pytest

from tests.instants import utc
from tradewind.decide.deadlines import AskAuthor, RunDates, due_at
from tradewind.model.deadline import DeadlineRule
from tradewind.model.json_value import JsonValue

QUEUED, LOGICAL = utc("2026-06-01 12:00"), utc("2026-06-01 00:00")
MINUTE = timedelta(minutes=1)


def rule(reference_type: str, interval: timedelta | None = MINUTE, **more: JsonValue) -> DeadlineRule:
    reference: dict[str, JsonValue] = {"reference_type": reference_type, **more}
    return DeadlineRule(0, None, reference, interval, "mine.tell", is_async=False, kwargs={})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (rule("DagRunLogicalDateDeadline"), LOGICAL + MINUTE),
        (rule("DagRunQueuedAtDeadline", -MINUTE), QUEUED - MINUTE),
        (rule("FixedDatetimeDeadline", datetime=utc("2026-07-01 00:00").timestamp()), utc("2026-07-01 00:01")),
        (rule("AverageRuntimeDeadline", max_runs=2, min_runs=2), QUEUED + timedelta(seconds=150) + MINUTE),
        (rule("AverageRuntimeDeadline", max_runs=10, min_runs=4), None),
    ],
)
def test_a_deadline_is_its_reference_and_its_interval(given: DeadlineRule, expected: datetime | None) -> None:
    assert due_at(given, RunDates(LOGICAL, QUEUED, [100.0, 200.0, 900.0])) == expected


def test_a_run_without_a_logical_date_has_no_deadline_from_it() -> None:
    assert due_at(rule("DagRunLogicalDateDeadline"), RunDates(None, QUEUED)) is None


@pytest.mark.parametrize("given", [rule("HalfPast"), rule("DagRunQueuedAtDeadline", None)])
def test_what_only_authors_or_variables_know_is_asked_of_them(given: DeadlineRule) -> None:
    assert isinstance(due_at(given, RunDates(LOGICAL, QUEUED)), AskAuthor)
