"""The one table of legal state changes."""

from collections.abc import Iterable

import pytest

from tradewind.decide.transitions import (
    RUN_TRANSITIONS,
    TASK_TRANSITIONS,
    RunEvent,
    TaskEvent,
    sources,
    target,
)
from tradewind.model.states import (
    DECIDABLE_STATES,
    FINISHED_RUN_STATES,
    FINISHED_STATES,
    HANDED_OVER_STATES,
    OCCUPYING_STATES,
    UNFINISHED_STATES,
    RunState,
    TaskState,
)

E, S = TaskEvent, TaskState
BY_A_PERSON = {E.CLEAR, E.MARK_SUCCESS, E.MARK_FAILED, E.MARK_SKIPPED, E.RESTART}

# What the reference says each state leaves to, written by hand. A cell: the events by which it is left to that state.
EXPECTED: dict[TaskState, dict[TaskState, set[TaskEvent]]] = {
    S.NONE: {
        S.SCHEDULED: {E.SCHEDULE},
        S.SUCCESS: {E.SUCCEED},
        S.SKIPPED: {E.SKIP},
        S.UPSTREAM_FAILED: {E.UPSTREAM_FAIL},
        S.REMOVED: {E.REMOVE},
    },
    S.SCHEDULED: {
        S.QUEUED: {E.ADMIT},
        # Airflow goes there from none: with us such a task waits, scheduled, for a pool that counts deferred ones.
        S.DEFERRED: {E.DEFER},
        S.FAILED: {E.FAIL},
        S.SKIPPED: {E.SKIP},
        S.REMOVED: {E.REMOVE},
    },
    S.QUEUED: {
        S.RUNNING: {E.START},
        S.SCHEDULED: {E.REQUEUE},
        S.SUCCESS: {E.SUCCEED},
        S.FAILED: {E.FAIL},
        S.SKIPPED: {E.SKIP},
        S.UP_FOR_RETRY: {E.RETRY},
        S.UP_FOR_RESCHEDULE: {E.RESCHEDULE},
        S.DEFERRED: {E.DEFER},
        S.AWAITING_INPUT: {E.AWAIT_INPUT},
    },
    S.RUNNING: {
        S.SUCCESS: {E.SUCCEED},
        S.FAILED: {E.FAIL},
        S.SKIPPED: {E.SKIP},
        S.UP_FOR_RETRY: {E.RETRY},
        S.UP_FOR_RESCHEDULE: {E.RESCHEDULE},
        S.DEFERRED: {E.DEFER},
        S.AWAITING_INPUT: {E.AWAIT_INPUT},
    },
    S.RESTARTING: {S.NONE: {E.STOPPED}, S.FAILED: {E.FAIL}, S.SKIPPED: {E.SKIP}},
    S.UP_FOR_RETRY: {
        S.SCHEDULED: {E.SCHEDULE},
        S.FAILED: {E.FAIL},
        S.SKIPPED: {E.SKIP},
        S.UPSTREAM_FAILED: {E.UPSTREAM_FAIL},
        S.REMOVED: {E.REMOVE},
    },
    S.UP_FOR_RESCHEDULE: {
        S.SCHEDULED: {E.SCHEDULE},
        S.FAILED: {E.FAIL},
        S.SKIPPED: {E.SKIP},
        S.UPSTREAM_FAILED: {E.UPSTREAM_FAIL},
        S.REMOVED: {E.REMOVE},
    },
    S.DEFERRED: {
        S.SCHEDULED: {E.RESUME},
        S.SUCCESS: {E.SUCCEED},
        S.FAILED: {E.FAIL},
        S.SKIPPED: {E.SKIP},
        S.UP_FOR_RETRY: {E.RETRY},
        S.REMOVED: {E.REMOVE},
    },
    S.AWAITING_INPUT: {
        S.SCHEDULED: {E.RESUME},
        S.FAILED: {E.FAIL},
        S.SKIPPED: {E.SKIP},
        S.UP_FOR_RETRY: {E.RETRY},
        S.REMOVED: {E.REMOVE},
    },
    S.SUCCESS: {S.REMOVED: {E.REMOVE}},
    S.FAILED: {S.REMOVED: {E.REMOVE}},
    S.SKIPPED: {S.REMOVED: {E.REMOVE}},
    S.UPSTREAM_FAILED: {S.REMOVED: {E.REMOVE}},
    S.REMOVED: {S.REMOVED: {E.REMOVE}},
}


@pytest.mark.parametrize("state", TaskState)
def test_a_state_is_left_by_itself_only_as_the_reference_says(state: TaskState) -> None:
    leaves: dict[TaskState, set[TaskEvent]] = {}
    for (old, event), new in TASK_TRANSITIONS.items():
        if old is state and event not in BY_A_PERSON:
            leaves.setdefault(new, set()).add(event)

    assert leaves == EXPECTED[state]


def test_every_event_has_sources_and_a_target() -> None:
    for event in TaskEvent:
        assert sources(event)
        assert all(TASK_TRANSITIONS[state, event] is target(event) for state in sources(event))
    assert len(TASK_TRANSITIONS) == sum(len(sources(event)) for event in TaskEvent)


def reachable(starts: Iterable[TaskState], events: Iterable[TaskEvent]) -> set[TaskState]:
    found = set(starts)
    allowed = set(events)
    while True:
        more = {new for (old, event), new in TASK_TRANSITIONS.items() if old in found and event in allowed} - found
        if not more:
            return found
        found |= more


def test_every_state_can_be_reached_from_the_beginning() -> None:
    assert reachable([S.NONE], TaskEvent) == set(TaskState)


def test_every_unfinished_state_can_end() -> None:
    for state in UNFINISHED_STATES:
        assert reachable([state], set(TaskEvent) - BY_A_PERSON) & FINISHED_STATES


@pytest.mark.parametrize("state", sorted(FINISHED_STATES))
def test_a_final_state_is_left_only_by_a_person_or_a_mapping_that_changed(state: TaskState) -> None:
    events = {event for old, event in TASK_TRANSITIONS if old is state}

    assert events == {E.CLEAR, E.MARK_SUCCESS, E.MARK_FAILED, E.MARK_SKIPPED, E.REMOVE}


def test_nothing_with_a_process_is_cleared_or_removed_behind_its_back() -> None:
    with_process = {S.RUNNING, S.RESTARTING}

    assert not with_process & sources(E.CLEAR)
    assert not (with_process | {S.QUEUED}) & sources(E.REMOVE)
    assert sources(E.RESTART) == with_process


def test_the_guards_of_the_stores_are_the_sources_of_the_table() -> None:
    """Storage may not import `decide`; its guards are written with these constants of `model`."""
    assert {S.QUEUED, S.RUNNING} == HANDED_OVER_STATES
    for event in (E.RESCHEDULE, E.AWAIT_INPUT):
        assert sources(event) == HANDED_OVER_STATES
    for event in (E.SUCCEED, E.FAIL, E.RETRY, E.SKIP, E.DEFER):
        assert sources(event) >= HANDED_OVER_STATES
    assert {S.DEFERRED, S.AWAITING_INPUT} == sources(E.RESUME)
    for event in (E.FAIL, E.RETRY):
        assert {S.DEFERRED, S.AWAITING_INPUT} <= sources(event)
    assert sources(E.SCHEDULE) == sources(E.UPSTREAM_FAIL) == DECIDABLE_STATES
    assert sources(E.START) == sources(E.REQUEUE) == {S.QUEUED}
    assert sources(E.ADMIT) == {S.SCHEDULED}
    assert sources(E.STOPPED) == {S.RESTARTING}


def test_what_occupies_slots_is_what_has_been_admitted_and_lives() -> None:
    assert {target(E.ADMIT), target(E.START), target(E.RESTART)} == OCCUPYING_STATES


def test_a_run_is_queued_then_running_then_over_and_queued_again_by_a_clear() -> None:
    by_themselves = {
        (state, event): new for (state, event), new in RUN_TRANSITIONS.items() if not event.startswith("mark")
    }
    assert by_themselves == {
        (RunState.QUEUED, RunEvent.START): RunState.RUNNING,
        (RunState.RUNNING, RunEvent.SUCCEED): RunState.SUCCESS,
        (RunState.RUNNING, RunEvent.FAIL): RunState.FAILED,
        (RunState.SUCCESS, RunEvent.CLEAR): RunState.QUEUED,
        (RunState.FAILED, RunEvent.CLEAR): RunState.QUEUED,
    }
    assert {RunState.SUCCESS, RunState.FAILED} == FINISHED_RUN_STATES
    for state in RunState:
        assert RUN_TRANSITIONS[state, RunEvent.MARK_SUCCESS] is RunState.SUCCESS
        assert RUN_TRANSITIONS[state, RunEvent.MARK_FAILED] is RunState.FAILED
