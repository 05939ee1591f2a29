"""Tasks that wait are stopped: what their triggers wait for outside is to be ended too, and at once."""

from collections.abc import Collection, Iterable
from datetime import datetime

from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.states import TaskState
from tradewind.model.task import TaskInstance, TaskSnapshot
from tradewind.operations.tell_moves import tell_moves
from tradewind.storage.interface import Transaction


def call_off_triggers(
    tx: Transaction, before: Iterable[TaskInstance | TaskSnapshot], changed: Collection[TaskKey]
) -> None:
    """Of those task instances that waited, and were changed."""
    waited = [task.key for task in before if task.state is TaskState.DEFERRED and task.key in changed]
    if waited:
        tx.triggers.call_off(waited, kills=True)


def stop_unfinished(
    tx: Transaction, run_key: RunKey, now: datetime, *, spare: Collection[str], reason: str, fails_running: bool
) -> list[TaskSnapshot]:
    """What is unfinished in the run is skipped, or failed where it runs; returns what changed, as it is now.

    Nobody goes on waiting for it: neither a sweep nor the end of the run has to find that out.
    """
    stopped = tx.tasks.stop_unfinished(run_key, now, spare=spare, reason=reason, fails_running=fails_running)
    tell_moves(tx, ((snapshot.state, snapshot.key) for snapshot in stopped))
    if stopped:
        tx.triggers.call_off([snapshot.key for snapshot in stopped], kills=True)
    return stopped
