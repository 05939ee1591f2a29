"""When runs have to be over, and whether they were. Pure, like all of `decide`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from tradewind.model.deadline import Deadline, DeadlineRule, DeadlineState
from tradewind.model.run import Run
from tradewind.model.states import RunState

MOST_ATTEMPTS: Final = 2
"""A callback that ended its process once may have been the victim; twice, it is the cause."""
_USUAL_NUMBER_OF_RUNS: Final = 10


@dataclass(frozen=True, slots=True)
class RunDates:
    """What deadlines may be counted from, when a run is made."""

    logical_date: datetime | None
    queued_at: datetime
    durations_s: Sequence[float] = ()
    """Of successful runs of the DAG, the newest first."""


class AskAuthor:
    """Only the author's code, or a variable, says when that is."""


def runs_wanted(rule: DeadlineRule) -> int:
    """Of how many runs before the duration has to be known."""
    if rule.reference_type != "AverageRuntimeDeadline":
        return 0
    return _number(rule, "max_runs") or _USUAL_NUMBER_OF_RUNS


def reference_at(rule: DeadlineRule, dates: RunDates) -> datetime | AskAuthor | None:
    """From when the deadline is counted. None: the run has no such date, and so no such deadline."""
    match rule.reference_type:
        case "DagRunLogicalDateDeadline":
            return dates.logical_date
        case "DagRunQueuedAtDeadline":
            return dates.queued_at
        case "FixedDatetimeDeadline":
            return datetime.fromtimestamp(float(str(rule.reference["datetime"])), UTC)
        case "AverageRuntimeDeadline":
            known = dates.durations_s[: runs_wanted(rule)]
            enough = _number(rule, "min_runs") or runs_wanted(rule)
            if len(known) < enough:
                return None
            return dates.queued_at + timedelta(seconds=sum(known) / len(known))
        case _:
            return AskAuthor()


def due_at(rule: DeadlineRule, dates: RunDates) -> datetime | AskAuthor | None:
    """When the run has to be over. None: whenever it likes."""
    reference = reference_at(rule, dates)
    if reference is None or isinstance(reference, AskAuthor):
        return reference
    return AskAuthor() if rule.interval is None else reference + rule.interval


def is_met(run: Run, due: datetime) -> bool:
    """Whether it was over in time: only who succeeds has done what was wanted until then."""
    return run.state is RunState.SUCCESS and run.finished_at is not None and run.finished_at <= due


def moved(rule: DeadlineRule, due: datetime, *, queued_at: datetime, again_at: datetime) -> datetime:
    """When a run that is queued again has to be over: it has its time again, unless it was given a date."""
    is_counted_from_queue = rule.reference_type in ("DagRunQueuedAtDeadline", "AverageRuntimeDeadline")
    return due + (again_at - queued_at) if is_counted_from_queue else due


def why_given_up(deadline: Deadline) -> str | None:
    """Why a callback whose holder fell silent is not given to another one. None: it is."""
    if deadline.attempts < MOST_ATTEMPTS:
        return None
    if deadline.state is DeadlineState.QUEUED:
        return "no worker began it in time, more than once"
    return "the process that called it ended, more than once, without an answer"


def _number(rule: DeadlineRule, name: str) -> int:
    value = rule.reference.get(name)
    return value if isinstance(value, int) else 0
