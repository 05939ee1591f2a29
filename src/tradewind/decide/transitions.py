"""The only table of legal state changes. Every state write names one of these events."""

from enum import StrEnum
from types import MappingProxyType

from tradewind.model.states import (
    DECIDABLE_STATES,
    FINISHED_RUN_STATES,
    FINISHED_STATES,
    HANDED_OVER_STATES,
    RunState,
    TaskState,
)


class TaskEvent(StrEnum):
    """What can happen to a task instance."""

    SCHEDULE = "schedule"
    """The scheduler found its dependencies met."""
    ADMIT = "admit"
    """It got its slots and is handed to an executor as a new attempt."""
    START = "start"
    """A worker began the attempt."""
    SUCCEED = "succeed"
    """The attempt returned, or there was nothing to execute."""
    FAIL = "fail"
    """The attempt failed and no try is left."""
    RETRY = "retry"
    """The attempt failed and a try is left."""
    RESCHEDULE = "reschedule"
    """A sensor freed its worker."""
    DEFER = "defer"
    """The attempt left its worker to wait for a trigger, or begins with one."""
    AWAIT_INPUT = "await_input"
    """The attempt left its worker to wait for a person."""
    RESUME = "resume"
    """What it waited for came."""
    SKIP = "skip"
    """A rule, a branch, or the attempt itself decided against running it."""
    UPSTREAM_FAIL = "upstream_fail"
    """Something before it failed."""
    REMOVE = "remove"
    """It is no longer part of the run."""
    REQUEUE = "requeue"
    """Its executor lost it or never had it: back in line."""
    CLEAR = "clear"
    """A person wants it to run again."""
    RESTART = "restart"
    """A person wants it to run again while its process still lives."""
    STOPPED = "stopped"
    """The process of a restarting task ended."""
    MARK_SUCCESS = "mark_success"
    """A person declares it done."""
    MARK_FAILED = "mark_failed"
    """A person declares it failed."""
    MARK_SKIPPED = "mark_skipped"
    """A person declares it skipped."""


S = TaskState
_ANY = frozenset(S)
_UNFINISHED = _ANY - FINISHED_STATES
_WITH_PROCESS = frozenset({S.RUNNING, S.RESTARTING})

_RULES: dict[TaskEvent, tuple[frozenset[TaskState], TaskState]] = {
    TaskEvent.SCHEDULE: (DECIDABLE_STATES, S.SCHEDULED),
    TaskEvent.ADMIT: (frozenset({S.SCHEDULED}), S.QUEUED),
    TaskEvent.START: (frozenset({S.QUEUED}), S.RUNNING),
    TaskEvent.SUCCEED: (HANDED_OVER_STATES | {S.NONE, S.DEFERRED}, S.SUCCESS),
    TaskEvent.FAIL: (_UNFINISHED - {S.NONE}, S.FAILED),
    TaskEvent.RETRY: (HANDED_OVER_STATES | {S.DEFERRED, S.AWAITING_INPUT}, S.UP_FOR_RETRY),
    TaskEvent.RESCHEDULE: (HANDED_OVER_STATES, S.UP_FOR_RESCHEDULE),
    TaskEvent.DEFER: (HANDED_OVER_STATES | {S.SCHEDULED}, S.DEFERRED),
    TaskEvent.AWAIT_INPUT: (HANDED_OVER_STATES, S.AWAITING_INPUT),
    TaskEvent.RESUME: (frozenset({S.DEFERRED, S.AWAITING_INPUT}), S.SCHEDULED),
    TaskEvent.SKIP: (_UNFINISHED, S.SKIPPED),
    TaskEvent.UPSTREAM_FAIL: (DECIDABLE_STATES, S.UPSTREAM_FAILED),
    TaskEvent.REMOVE: (_ANY - _WITH_PROCESS - {S.QUEUED}, S.REMOVED),
    TaskEvent.REQUEUE: (frozenset({S.QUEUED}), S.SCHEDULED),
    TaskEvent.CLEAR: (_ANY - _WITH_PROCESS, S.NONE),
    TaskEvent.RESTART: (_WITH_PROCESS, S.RESTARTING),
    TaskEvent.STOPPED: (frozenset({S.RESTARTING}), S.NONE),
    TaskEvent.MARK_SUCCESS: (_ANY, S.SUCCESS),
    TaskEvent.MARK_FAILED: (_ANY, S.FAILED),
    TaskEvent.MARK_SKIPPED: (_ANY, S.SKIPPED),
}

TASK_TRANSITIONS = MappingProxyType(
    {(state, event): target for event, (sources, target) in _RULES.items() for state in sources}
)
"""(old state, event) → new state. What is not in here cannot happen."""


class RunEvent(StrEnum):
    """What can happen to a run."""

    START = "start"
    SUCCEED = "succeed"
    FAIL = "fail"
    CLEAR = "clear"
    MARK_SUCCESS = "mark_success"
    MARK_FAILED = "mark_failed"


_RUN_RULES: dict[RunEvent, tuple[frozenset[RunState], RunState]] = {
    RunEvent.START: (frozenset({RunState.QUEUED}), RunState.RUNNING),
    RunEvent.SUCCEED: (frozenset({RunState.RUNNING}), RunState.SUCCESS),
    RunEvent.FAIL: (frozenset({RunState.RUNNING}), RunState.FAILED),
    RunEvent.CLEAR: (FINISHED_RUN_STATES, RunState.QUEUED),
    RunEvent.MARK_SUCCESS: (frozenset(RunState), RunState.SUCCESS),
    RunEvent.MARK_FAILED: (frozenset(RunState), RunState.FAILED),
}

RUN_TRANSITIONS = MappingProxyType(
    {(state, event): target for event, (sources, target) in _RUN_RULES.items() for state in sources}
)
"""(old run state, event) → new run state."""


def sources(event: TaskEvent) -> frozenset[TaskState]:
    """The states in which `event` may happen: what a guarded write expects to find."""
    return _RULES[event][0]


def target(event: TaskEvent) -> TaskState:
    """The state that `event` leads to."""
    return _RULES[event][1]
