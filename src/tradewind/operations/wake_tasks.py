"""Timers of tasks that ran out: a retry or a sensor's next poke is due, or a trigger did not fire in time."""

from datetime import datetime

from tradewind.model.ids import AttemptKey
from tradewind.model.states import TaskState
from tradewind.model.task import Failed
from tradewind.operations.report_tasks import decide_failures
from tradewind.operations.structures import Structures
from tradewind.operations.tell_moves import tell_moves
from tradewind.storage.interface import Transaction

_TOO_LATE = "what the task waited for did not happen in time"


def wake_tasks(tx: Transaction, now: datetime, limit: int, structures: Structures, *, longest_delay_s: float) -> int:
    """Let the run of each such task look at it; a deferral that timed out counts as a failure. Returns how many."""
    due = tx.attempts.due(now, limit)
    if not due:
        return 0
    waiting = (TaskState.DEFERRED, TaskState.AWAITING_INPUT)
    snapshots = tx.tasks.snapshots(due)
    late = [
        Failed(AttemptKey(*snapshot.key, snapshot.attempt), now, reason=_TOO_LATE)
        for snapshot in snapshots
        if snapshot.state in waiting
    ]
    rows = decide_failures(tx, late, structures, longest_delay_s)
    ended = tx.attempts.end_waiting(rows)
    tell_moves(tx, ((row.to_state, row.attempt.task) for row in rows if row.attempt.task in ended))
    woken = tx.attempts.wake([snapshot.key for snapshot in snapshots if snapshot.state not in waiting])
    tx.changes.record(ended | woken, now)
    return len(due)
