"""The conditions besides the trigger rule, one by one."""

from collections.abc import Sequence

import pytest

from tests.instants import utc
from tradewind.decide.readiness import (
    MET,
    exists_at,
    length_verdict,
    mapping_verdict,
    past_verdict,
    reads_past,
    setup_verdict,
)
from tradewind.model.dag import Task
from tradewind.model.states import TaskState
from tradewind.model.task import NO_PAST, PastTask

S = TaskState


@pytest.mark.parametrize(
    ("states", "outcome"),
    [
        ([], "run"),
        ([S.SUCCESS, S.SUCCESS], "run"),
        ([S.SUCCESS, S.REMOVED], "run"),
        ([S.SUCCESS, S.RUNNING], "wait"),
        ([S.SUCCESS, S.SKIPPED], "skip"),
        ([S.RUNNING, S.SKIPPED], "skip"),
        ([S.SKIPPED, S.FAILED], "upstream_fail"),
        ([S.RUNNING, S.UPSTREAM_FAILED], "upstream_fail"),
    ],
)
def test_all_setups_in_scope_must_succeed(states: Sequence[TaskState], outcome: str) -> None:
    assert setup_verdict(states).outcome == outcome
    assert setup_verdict(list(reversed(states))).outcome == outcome


@pytest.mark.parametrize(
    ("sources", "outcome"),
    [
        ([], "run"),
        ([[S.SUCCESS]], "run"),
        ([[S.SUCCESS, S.SKIPPED]], "run"),
        ([[S.SKIPPED, S.SKIPPED]], "skip"),
        ([[S.SUCCESS], [S.SKIPPED]], "skip"),
        ([[S.SUCCESS], [S.NONE]], "wait"),
        ([[S.SKIPPED], [S.NONE]], "wait"),
        ([[S.NONE], [S.SKIPPED]], "wait"),
        ([[S.NONE], [S.FAILED]], "upstream_fail"),
        ([[S.SUCCESS, S.UPSTREAM_FAILED]], "upstream_fail"),
        ([[]], "run"),
    ],
)
def test_what_is_mapped_over_must_be_there(sources: Sequence[Sequence[TaskState]], outcome: str) -> None:
    assert mapping_verdict(sources).outcome == outcome


@pytest.mark.parametrize(("length", "outcome"), [(None, "upstream_fail"), (0, "skip"), (1, "run"), (99, "run")])
def test_a_length_must_make_sense(length: int | None, outcome: str) -> None:
    assert length_verdict(length).outcome == outcome


PLAIN = Task("a", depends_on_past=True)
STRICT = Task("a", depends_on_past=True, ignore_first_depends_on_past=False)
DOWNSTREAM = Task("a", wait_for_downstream=True)


@pytest.mark.parametrize(
    ("task", "past", "outcome"),
    [
        pytest.param(PLAIN, NO_PAST, "run", id="the very first run"),
        pytest.param(STRICT, NO_PAST, "run", id="the very first run, whatever ignore_first says"),
        pytest.param(PLAIN, PastTask(exists=False, any_earlier_run=True), "run", id="the first run with this task"),
        pytest.param(STRICT, PastTask(exists=False, any_earlier_run=True), "wait", id="which is not to be ignored"),
        pytest.param(PLAIN, PastTask(True, True, S.SUCCESS), "run", id="succeeded"),
        pytest.param(PLAIN, PastTask(True, True, S.SKIPPED), "run", id="skipped"),
        pytest.param(PLAIN, PastTask(True, True, S.FAILED), "wait", id="failed"),
        pytest.param(PLAIN, PastTask(True, True, S.UPSTREAM_FAILED), "wait", id="upstream failed"),
        pytest.param(PLAIN, PastTask(True, True, S.RUNNING), "wait", id="still running"),
        pytest.param(PLAIN, PastTask(True, True, S.SUCCESS, False), "run", id="what follows it is not asked about"),
        pytest.param(DOWNSTREAM, PastTask(True, True, S.SUCCESS, False), "wait", id="unless it is"),
        pytest.param(DOWNSTREAM, PastTask(True, True, S.SUCCESS, True), "run", id="and has passed"),
        pytest.param(DOWNSTREAM, PastTask(True, True, S.FAILED, True), "wait", id="it must have passed itself, too"),
    ],
)
def test_the_run_before_has_its_say(task: Task, past: PastTask, outcome: str) -> None:
    assert past_verdict(task, past).outcome == outcome


def test_only_tasks_that_ask_are_told_of_the_past() -> None:
    assert [reads_past(task) for task in (Task("a"), PLAIN, DOWNSTREAM)] == [False, True, True]


@pytest.mark.parametrize(
    ("date", "exists"),
    [("2026-01-01", False), ("2026-01-02", True), ("2026-01-03", True), ("2026-01-04", True), ("2026-01-05", False)],
)
def test_a_task_is_part_of_runs_within_its_dates(date: str, exists: bool) -> None:
    task = Task("a", start_at=utc("2026-01-02"), end_at=utc("2026-01-04"))

    assert exists_at(task, utc(date)) is exists


def test_a_run_without_a_date_has_all_tasks() -> None:
    assert exists_at(Task("a", start_at=utc("2026-01-02")), None)
    assert exists_at(Task("a"), utc("2026-01-02"))


def test_a_met_condition_says_so() -> None:
    assert (MET.outcome, bool(MET.reason)) == ("run", True)
