"""What became of attempts: started, ended, heard of, resumed. Many reports, one transaction.

A start and an end of the same attempt in one batch become one write. A report of an attempt that is no longer the
latest changes nothing: the attempt number fences it off.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tradewind.decide.retry import LONGEST_DELAY_S, decide_retry
from tradewind.errors import DagUnusable
from tradewind.model.attempt_end import Usage
from tradewind.model.dag import Retry
from tradewind.model.ids import AttemptKey, RunKey, TaskKey
from tradewind.model.run import Run
from tradewind.model.states import TaskState
from tradewind.model.task import (
    AwaitingInput,
    Deferred,
    EndReport,
    Failed,
    Rescheduled,
    Skipped,
    Started,
    Succeeded,
    TaskInstance,
    TaskReport,
)
from tradewind.operations.structures import Structures
from tradewind.operations.tell_moves import tell_moves
from tradewind.storage.interface import AttemptEnd, Transaction
from tradewind.telemetry.events import TasksMoved
from tradewind.telemetry.measurements import AttemptOutcome, AttemptsEnded


@dataclass(slots=True)
class Reported:
    """What the reports changed."""

    started: set[TaskKey] = field(default_factory=set)
    ended: set[TaskKey] = field(default_factory=set)
    next_wake_at: datetime | None = None
    """The first instant at which one of the ended must be looked at again."""
    refused: set[AttemptKey] = field(default_factory=set)
    """No longer the latest attempt, or not in a state in which this can happen: the worker must stop."""


def report_tasks(
    tx: Transaction,
    reports: Iterable[TaskReport],
    now: datetime,
    structures: Structures,
    *,
    longest_delay_s: float = LONGEST_DELAY_S,
    usages: Mapping[AttemptKey, Usage] | None = None,
) -> Reported:
    """Take over what workers and executors say. Repeating a report changes nothing."""
    starts, ends = _fold(reports)
    result = Reported()
    result.started = tx.attempts.start(list(starts.values()), now)
    failures = [end for end in ends.values() if isinstance(end, Failed)]
    rows = [_end(end) for end in ends.values() if not isinstance(end, Failed)]
    rows += decide_failures(tx, failures, structures, longest_delay_s)
    if usages:
        rows = [replace(row, usage=usages.get(row.attempt)) for row in rows]
    result.ended = tx.attempts.end(rows, recorded_at=now)
    left = [attempt for attempt in ends if attempt.task not in result.ended]
    stopped = tx.attempts.stopped(left) if left else set()
    retried = [row.attempt.task for row in rows if row.to_state is TaskState.UP_FOR_RETRY]
    tx.attempts.archive([key for key in retried if key in result.ended])
    tx.changes.record(stopped, now)
    result.next_wake_at = min((row.wake_at for row in rows if row.wake_at is not None), default=None)
    _tell(tx, result, rows)
    tell_moves(tx, ((TaskState.NONE, key) for key in sorted(stopped)))
    result.ended |= stopped
    done = result.started | result.ended
    result.refused = {attempt for attempt in (*starts, *ends) if attempt.task not in done}
    return result


def heartbeat_tasks(tx: Transaction, attempts: Sequence[AttemptKey], now: datetime) -> set[AttemptKey]:
    """Note that these attempts run. Returns those that must stop: cleared, marked, lost, or succeeded by another."""
    alive = tx.attempts.heartbeat(attempts, now)
    return {attempt for attempt in attempts if attempt.task not in alive}


def resume_tasks(tx: Transaction, attempts: Sequence[AttemptKey], now: datetime) -> set[TaskKey]:
    """What these deferred tasks waited for has come. Returns those that were still waiting: an event resumes once."""
    resumed = tx.attempts.resume(attempts, now)
    tx.changes.record(resumed, now)
    if resumed:
        tx.emit(TasksMoved(TaskState.SCHEDULED, tuple(sorted(resumed))))
    return resumed


def end_waiting_tasks(
    tx: Transaction,
    ends: Sequence[Succeeded | Failed | Skipped],
    now: datetime,
    structures: Structures,
    *,
    longest_delay_s: float = LONGEST_DELAY_S,
) -> set[TaskKey]:
    """A trigger itself says how these deferred tasks ended: no worker is needed. Returns those that still waited."""
    rows = [_end(end) for end in ends if not isinstance(end, Failed)]
    rows += decide_failures(tx, [end for end in ends if isinstance(end, Failed)], structures, longest_delay_s)
    result = Reported(ended=tx.attempts.end_waiting(rows))
    retried = [row.attempt.task for row in rows if row.to_state is TaskState.UP_FOR_RETRY]
    tx.attempts.archive([key for key in retried if key in result.ended])
    tx.changes.record(result.ended, now)
    _tell(tx, result, rows)
    return result.ended


def _fold(reports: Iterable[TaskReport]) -> tuple[dict[AttemptKey, Started], dict[AttemptKey, EndReport]]:
    starts: dict[AttemptKey, Started] = {}
    ends: dict[AttemptKey, EndReport] = {}
    for report in reports:
        if isinstance(report, Started):
            starts.setdefault(report.attempt, report)
        else:
            ends.setdefault(report.attempt, report)
    for attempt, end in ends.items():
        start = starts.pop(attempt, None)
        if start is not None and end.started_at is None:
            ends[attempt] = replace(end, started_at=start.at)
    return starts, ends


def _end(report: Succeeded | Skipped | Rescheduled | Deferred | AwaitingInput) -> AttemptEnd:
    match report:
        case Succeeded():
            return AttemptEnd(
                report.attempt,
                TaskState.SUCCESS,
                report.at,
                report.started_at,
                map_length=report.map_length,
                skips=report.skips,
            )
        case Skipped():
            return AttemptEnd(report.attempt, TaskState.SKIPPED, report.at, report.started_at, reason=report.reason)
        case Rescheduled():
            state = TaskState.UP_FOR_RESCHEDULE
            return AttemptEnd(report.attempt, state, report.at, report.started_at, wake_at=report.until)
        case Deferred():
            state = TaskState.DEFERRED
            return AttemptEnd(report.attempt, state, report.at, report.started_at, wake_at=report.until)
        case AwaitingInput():
            state = TaskState.AWAITING_INPUT
            return AttemptEnd(report.attempt, state, report.at, report.started_at, wake_at=report.until)


def decide_failures(
    tx: Transaction, failures: Sequence[Failed], structures: Structures, longest_delay_s: float
) -> list[AttemptEnd]:
    """Each failure becomes a retry or the end, by the task's own settings in the version that the run has."""
    if not failures:
        return []
    instances = {task.attempt_key: task for task in tx.attempts.lock([failure.attempt for failure in failures])}
    runs = {run.key: run for run in tx.runs.read({task.run_key for task in instances.values()})}
    return [
        _decide_failure(tx, failure, instances[failure.attempt], runs, structures, longest_delay_s)
        for failure in failures
        if failure.attempt in instances
    ]


def _decide_failure(
    tx: Transaction,
    failure: Failed,
    task: TaskInstance,
    runs: dict[RunKey, Run],
    structures: Structures,
    longest_delay_s: float,
) -> AttemptEnd:
    run = runs[task.run_key]
    decision = decide_retry(
        _retry_of(tx, run, task, structures),
        try_number=task.try_number,
        max_tries=task.max_tries,
        failed_at=failure.at,
        jitter_seed=f"{task.dag_id}/{task.task_id}/{task.map_index}/{run.logical_date or run.run_id}",
        may_retry=failure.may_retry,
        delay_override_s=failure.retry_delay_s,
        longest_delay_s=longest_delay_s,
    )
    state = TaskState.FAILED if decision.at is None else TaskState.UP_FOR_RETRY
    reason = failure.reason or decision.reason
    return AttemptEnd(failure.attempt, state, failure.at, failure.started_at, wake_at=decision.at, reason=reason)


def _retry_of(tx: Transaction, run: Run, task: TaskInstance, structures: Structures) -> Retry:
    """The task's settings. Where its DAG cannot say them, the usual ones: how many tries are left is in its row."""
    try:
        structure = structures.get(tx, run.version_key)
        return structure.tasks[structure.index[task.task_id]].retry
    except (DagUnusable, KeyError):
        return Retry()


def _tell(tx: Transaction, result: Reported, rows: Sequence[AttemptEnd]) -> None:
    if result.started:
        tx.emit(TasksMoved(TaskState.RUNNING, tuple(result.started)))
    ended = [row for row in rows if row.attempt.task in result.ended]
    tell_moves(tx, ((row.to_state, row.attempt.task) for row in ended))
    if ended:
        tx.emit(AttemptsEnded(tuple(AttemptOutcome(row.attempt, row.to_state, row.at) for row in ended)))
