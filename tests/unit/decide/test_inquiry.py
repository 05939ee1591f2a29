"""Questions of tasks to people: which answers count, and what the task goes on with (D2, E1)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from tradewind.decide.inquiry import (
    answer_at_timeout,
    default_of,
    event_of,
    is_past,
    problem_with_choice,
    why_too_late,
)
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.states import TaskState
from tradewind.model.task_answers import HITLUserResult
from tradewind.sdk.serde import deserialize

NOON = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
ANN = HITLUserResult("ann", "Ann")
ASKED = Inquiry(
    attempt=AttemptKey(RunKey(1), "ask", -1, 3), try_number=2, options=("yes", "no"), subject="Go on?", created_at=NOON
)
ANSWER = HumanAnswer(chosen_options=("yes",), params_input={"why": "because"}, at=NOON, by=ANN)


@pytest.mark.parametrize("state", list(TaskState))
def test_only_the_attempt_that_asked_hears_the_answer(state: TaskState) -> None:
    hears = state in (TaskState.RUNNING, TaskState.DEFERRED, TaskState.AWAITING_INPUT)

    assert (why_too_late(ASKED, state, 3) is None) is hears
    assert why_too_late(ASKED, state, 4) == f"the task does not wait for an answer any more: it is {state}"


def test_the_first_answer_is_the_only_one() -> None:
    answered, timed_out = replace(ASKED, answer=ANSWER), replace(ASKED, answer=replace(ANSWER, by=None))

    assert why_too_late(answered, TaskState.AWAITING_INPUT, 3) == "the question has been answered already"
    assert why_too_late(timed_out, TaskState.AWAITING_INPUT, 3) == "the time for an answer is over"


@pytest.mark.parametrize(
    ("chosen", "multiple", "problem"),
    [
        (("yes",), False, None),
        (("no", "yes"), True, None),
        (("no", "yes"), False, "only one"),
        (("maybe",), True, "['maybe'] are not among the options ['yes', 'no']"),
        (("yes", "yes"), True, "twice"),
        ((), True, "no option"),
    ],
)
def test_what_may_be_chosen(chosen: tuple[str, ...], multiple: bool, problem: str | None) -> None:
    found = problem_with_choice(replace(ASKED, multiple=multiple), chosen)

    assert found is None if problem is None else problem in str(found)


def test_after_the_time_for_it_defaults_are_the_answer_of_nobody() -> None:
    form: Any = {"n": {"value": 3, "description": None, "schema": {"type": "integer"}}, "plain": "x"}

    taken = answer_at_timeout(replace(ASKED, defaults=("no",), params=form), NOON)

    assert taken == HumanAnswer(chosen_options=("no",), params_input={"n": 3, "plain": "x"}, at=NOON, by=None)
    assert answer_at_timeout(ASKED, NOON) is None
    assert (default_of({"value": 1}), default_of([1]), default_of(None)) == ({"value": 1}, [1], None)


def test_the_task_reads_the_event_as_the_sdk_does() -> None:
    elsewhere = replace(ANSWER, at=NOON.astimezone(timezone(timedelta(hours=2))))

    assert deserialize(dict(event_of(elsewhere))) == {
        "chosen_options": ["yes"],
        "params_input": {"why": "because"},
        "responded_by_user": {"id": "ann", "name": "Ann"},
        "responded_at": NOON,
        "timedout": False,
    }
    assert event_of(replace(ANSWER, by=None))["timedout"] is True
    assert event_of(None)["error_type"] == "timeout"


def test_a_task_that_begins_anew_asks_nothing_yet() -> None:
    assert {state for state in TaskState if is_past(state)} == {TaskState.NONE, TaskState.UP_FOR_RETRY}
