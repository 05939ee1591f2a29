"""The conditions besides the trigger rule that an undecided task must meet, one function each.

`progress` calls them to decide, `explain` to answer; so both always agree.
"""

from collections.abc import Iterable
from datetime import datetime

from tradewind.decide.trigger_rules import Outcome, Verdict
from tradewind.model.dag import Task
from tradewind.model.states import FAILED_STATES, FINISHED_STATES, PASSED_STATES, TaskState
from tradewind.model.task import PastTask

MET = Verdict(Outcome.RUN, "the condition is met")
SKIPPED_BY_BRANCH = Verdict(Outcome.SKIP, "a branch or short circuit decided against it")

_SETUP_PENDING = Verdict(Outcome.WAIT, "a setup task that it needs has not ended yet")
_SETUP_FAILED = Verdict(Outcome.UPSTREAM_FAIL, "a setup task that it needs failed")
_SETUP_SKIPPED = Verdict(Outcome.SKIP, "a setup task that it needs was skipped")
_MAP_PENDING = Verdict(Outcome.WAIT, "a task that it is mapped over has not ended yet")
_MAP_FAILED = Verdict(Outcome.UPSTREAM_FAIL, "a task that it is mapped over failed")
_MAP_SKIPPED = Verdict(Outcome.SKIP, "a task that it is mapped over was skipped")
_MAP_NOTHING = Verdict(Outcome.UPSTREAM_FAIL, "a task that it is mapped over returned nothing that can be mapped")
_MAP_EMPTY = Verdict(Outcome.SKIP, "it is mapped over nothing: the length is 0")
_PAST_MISSING = Verdict(Outcome.WAIT, "depends_on_past: the run before has no such task, but an earlier one has")
_PAST_UNFINISHED = Verdict(Outcome.WAIT, "depends_on_past: the task has not succeeded in the run before")
_PAST_DOWNSTREAM = Verdict(Outcome.WAIT, "wait_for_downstream: tasks after it have not succeeded in the run before")


def setup_verdict(setups: Iterable[TaskState]) -> Verdict:
    """All setups whose scope the task is in must succeed, whatever its trigger rule."""
    verdict = MET
    for state in setups:
        if state in FAILED_STATES:
            return _SETUP_FAILED
        if state is TaskState.SKIPPED:
            verdict = _SETUP_SKIPPED
        elif state not in FINISHED_STATES and verdict is MET:
            verdict = _SETUP_PENDING
    return verdict


def mapping_verdict(sources: Iterable[Iterable[TaskState]]) -> Verdict:
    """What a mapped task is mapped over must be there. One inner iterable per source: the states of its instances."""
    verdict = MET
    for states in sources:
        known = list(states)
        if any(state in FAILED_STATES for state in known):
            return _MAP_FAILED
        if any(state not in FINISHED_STATES for state in known):
            verdict = _MAP_PENDING
        elif verdict is MET and known and all(state is TaskState.SKIPPED for state in known):
            verdict = _MAP_SKIPPED
    return verdict


def length_verdict(length: int | None) -> Verdict:
    """Once all sources ended well, their lengths must make sense."""
    if length is None:
        return _MAP_NOTHING
    return MET if length > 0 else _MAP_EMPTY


def reads_past(task: Task) -> bool:
    """Whether the run before has a say at all."""
    return task.depends_on_past or task.wait_for_downstream


def past_verdict(task: Task, past: PastTask) -> Verdict:
    """`depends_on_past` and `wait_for_downstream`."""
    if not past.exists:
        if past.any_earlier_run and not task.ignore_first_depends_on_past:
            return _PAST_MISSING
        return MET
    if past.state not in PASSED_STATES:
        return _PAST_UNFINISHED
    if task.wait_for_downstream and not past.downstream_passed:
        return _PAST_DOWNSTREAM
    return MET


def exists_at(task: Task, logical_date: datetime | None) -> bool:
    """Whether the task is part of a run of that date: it is not, outside its own start and end dates."""
    if logical_date is None:
        return True
    if task.start_at is not None and logical_date < task.start_at:
        return False
    return task.end_at is None or logical_date <= task.end_at
