"""Timers of tasks that ran out: a retry or a sensor's next poke is due, no trigger fired or nobody answered in time."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.model.states import TaskState
from tradewind.model.task import Failed, TaskSnapshot
from tradewind.operations.inquire import events_at_timeout
from tradewind.operations.report_tasks import decide_failures, end_waiting_tasks, resume_tasks
from tradewind.operations.request_callbacks import request_task_callbacks
from tradewind.operations.resumptions import with_event, with_timeout
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral

_WAITING: Final = (TaskState.DEFERRED, TaskState.AWAITING_INPUT)
_TOO_LATE: Final = "what the task waited for did not happen in time"


def wake_tasks(tx: Transaction, now: datetime, limit: int, structures: Structures, *, longest_delay_s: float) -> int:
    """Let the run of each such task look at it. Returns how many.

    Who waited for a trigger goes on with an error; who waited for a person, with the default answer or an error. Who
    left nothing to go on with has failed.
    """
    due = tx.attempts.due(now, limit)
    if due:
        _wake(tx, tx.tasks.snapshots(due), now, structures, longest_delay_s)
    return len(due)


def due_attempts(tx: Transaction, now: datetime, limit: int) -> list[AttemptKey]:
    """Whose timers ran out, each to be woken in a transaction of its own."""
    snapshots = tx.tasks.snapshots(tx.attempts.due(now, limit))
    return [AttemptKey(*each.key, each.attempt) for each in snapshots]


def wake_alone(
    tx: Transaction, attempt: AttemptKey, now: datetime, structures: Structures, *, longest_delay_s: float
) -> None:
    """The same for one of them, if nobody was faster."""
    if _lock_due(tx, attempt, now):
        _wake(tx, tx.tasks.snapshots([attempt.task]), now, structures, longest_delay_s)


def fail_overdue(
    tx: Transaction, attempt: AttemptKey, now: datetime, structures: Structures, why: str, *, longest_delay_s: float
) -> None:
    """One that waited in vain cannot go on, since what it left cannot be used: it fails without a worker."""
    if not _lock_due(tx, attempt, now):
        return
    reason = f"{_TOO_LATE}, and it could not go on: {why}"
    failed = Failed(attempt, now, reason=reason)
    ended = end_waiting_tasks(tx, [failed], now, structures, longest_delay_s=longest_delay_s)
    request_task_callbacks(tx, ended, reason, structures, now)
    tx.triggers.call_off(ended, kills=False)


def _lock_due(tx: Transaction, attempt: AttemptKey, now: datetime) -> bool:
    return any(task.wake_at is not None and task.wake_at <= now for task in tx.attempts.lock([attempt]))


def _wake(
    tx: Transaction,
    snapshots: Sequence[TaskSnapshot],
    now: datetime,
    structures: Structures,
    longest_delay_s: float,
) -> None:
    resumed = _resume_late(tx, [each for each in snapshots if each.state in _WAITING], now)
    late = [
        Failed(AttemptKey(*snapshot.key, snapshot.attempt), now, reason=_TOO_LATE)
        for snapshot in snapshots
        if snapshot.state in _WAITING and snapshot.key not in resumed
    ]
    ended = tx.attempts.end_waiting(decide_failures(tx, late, structures, longest_delay_s))
    woken = tx.attempts.wake([snapshot.key for snapshot in snapshots if snapshot.state not in _WAITING])
    tx.changes.record(ended | woken, now)


def _resume_late(tx: Transaction, snapshots: Sequence[TaskSnapshot], now: datetime) -> set[TaskKey]:
    """Authors' callbacks, and the error that is raised, are for a worker."""
    if not snapshots:
        return set()
    stored = tx.deferrals.of_tasks([snapshot.key for snapshot in snapshots])
    attempts = [AttemptKey(*snapshot.key, snapshot.attempt) for snapshot in snapshots]
    resumed = resume_tasks(tx, [each for each in attempts if _is_of(stored.get(each.task), each)], now)
    asking = {each.key for each in snapshots if each.state is TaskState.AWAITING_INPUT and each.key in resumed}
    events = events_at_timeout(tx, [each for each in attempts if each.task in asking], now)
    tx.deferrals.put([_too_late(stored[key], events.get(key)) for key in resumed])
    tx.triggers.call_off(resumed - asking, kills=False)
    return resumed


def _too_late(deferral: StoredDeferral, event: Mapping[str, JsonValue] | None) -> StoredDeferral:
    return with_timeout(deferral) if event is None else with_event(deferral, dict(event))


def _is_of(deferral: StoredDeferral | None, attempt: AttemptKey) -> bool:
    return deferral is not None and deferral.attempt == attempt
