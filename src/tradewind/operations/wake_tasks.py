"""Timers of tasks that ran out: a retry or a sensor's next poke is due, or a trigger did not fire in time."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.model.states import TaskState
from tradewind.model.task import Failed, TaskSnapshot
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

    A deferral that timed out goes on with an error. Who waits for a person, or left nothing to go on with, has failed.
    """
    due = tx.attempts.due(now, limit)
    if not due:
        return 0
    waiting = (TaskState.DEFERRED, TaskState.AWAITING_INPUT)
    snapshots = tx.tasks.snapshots(due)
    resumed = _resume_late(tx, [each for each in snapshots if each.state is TaskState.DEFERRED], now)
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
    """Authors' callbacks, and `TaskDeferralTimeout`, are for a worker."""
    stored = tx.deferrals.of_tasks([snapshot.key for snapshot in snapshots])
    attempts = [AttemptKey(*snapshot.key, snapshot.attempt) for snapshot in snapshots]
    resumed = resume_tasks(tx, [each for each in attempts if _is_of(stored.get(each.task), each)], now)
    tx.deferrals.put([replace(stored[key], next_method=FAILED_METHOD, next_kwargs=_TIMEOUT) for key in resumed])
    return resumed


def _is_of(deferral: StoredDeferral | None, attempt: AttemptKey) -> bool:
    return deferral is not None and deferral.attempt == attempt
