"""Timers of tasks that ran out: a retry or a sensor's next poke is due, no trigger fired or nobody answered in time."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.model.states import TaskState
from tradewind.model.task import Failed, TaskSnapshot
from tradewind.operations.inquire import events_at_timeout, with_event
from tradewind.operations.report_tasks import decide_failures, resume_tasks
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral

FAILED_METHOD: Final = "__fail__"
"""What a task goes on with after a wait that failed, for it to raise the error in a worker. The SDK knows the word."""
_TIMEOUT: Final[JsonValue] = {"error": "Trigger timeout"}
_TOO_LATE: Final = "what the task waited for did not happen in time"


def wake_tasks(tx: Transaction, now: datetime, limit: int, structures: Structures, *, longest_delay_s: float) -> int:
    """Let the run of each such task look at it. Returns how many.

    Who waited for a trigger goes on with an error; who waited for a person, with the default answer or an error. Who
    left nothing to go on with has failed.
    """
    due = tx.attempts.due(now, limit)
    if not due:
        return 0
    waiting = (TaskState.DEFERRED, TaskState.AWAITING_INPUT)
    snapshots = tx.tasks.snapshots(due)
    resumed = _resume_late(tx, [each for each in snapshots if each.state in waiting], now)
    late = [
        Failed(AttemptKey(*snapshot.key, snapshot.attempt), now, reason=_TOO_LATE)
        for snapshot in snapshots
        if snapshot.state in waiting and snapshot.key not in resumed
    ]
    ended = tx.attempts.end_waiting(decide_failures(tx, late, structures, longest_delay_s))
    woken = tx.attempts.wake([snapshot.key for snapshot in snapshots if snapshot.state not in waiting])
    tx.changes.record(ended | woken, now)
    return len(due)


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
    if event is not None:
        return with_event(deferral, event)
    return replace(deferral, next_method=FAILED_METHOD, next_kwargs=_TIMEOUT)


def _is_of(deferral: StoredDeferral | None, attempt: AttemptKey) -> bool:
    return deferral is not None and deferral.attempt == attempt
