"""What triggers say changes their tasks: once, and only those that still wait at that very deferral."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from tradewind.decide.retry import LONGEST_DELAY_S
from tradewind.model.ids import TaskKey
from tradewind.model.states import FINISHED_STATES, TaskState
from tradewind.model.task import Failed, Skipped, Succeeded
from tradewind.model.trigger import Broke, EndedTask, Fired, Happened
from tradewind.operations.report_tasks import end_waiting_tasks, resume_tasks
from tradewind.operations.request_callbacks import request_task_callbacks
from tradewind.operations.structures import Structures
from tradewind.operations.wake_tasks import FAILED_METHOD
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral, XComValue

_FAILURE: Final = "Trigger failure"
_SAID_SO: Final = "its trigger said so"


def fire_triggers(
    tx: Transaction,
    fired: Sequence[Fired],
    now: datetime,
    structures: Structures,
    *,
    longest_delay_s: float = LONGEST_DELAY_S,
) -> set[TaskKey]:
    """Let tasks go on, or end them. Returns those that were changed: the others had gone on already.

    Of two events of one trigger the first counts, also where both come at once.
    """
    first = {each.attempt: each for each in reversed(fired)}
    changed = _go_on(tx, [each for each in first.values() if not isinstance(each.what, EndedTask)], now)
    ends = {each.attempt.task: each.what for each in first.values() if isinstance(each.what, EndedTask)}
    reports = [_end(each, each.what, now) for each in first.values() if isinstance(each.what, EndedTask)]
    if reports:
        ended = end_waiting_tasks(tx, reports, now, structures, longest_delay_s=longest_delay_s)
        _leave(tx, ended, ends, now)
        request_task_callbacks(tx, ended, _SAID_SO, structures, now)
        changed |= ended
    tx.triggers.delete([each.trigger for each in fired])
    return changed


def _go_on(tx: Transaction, fired: Sequence[Fired], now: datetime) -> set[TaskKey]:
    if not fired:
        return set()
    resumed = resume_tasks(tx, [each.attempt for each in fired], now)
    stored = tx.deferrals.of_tasks(resumed)
    tx.deferrals.put([_with(stored[each.attempt.task], each.what) for each in fired if each.attempt.task in stored])
    return resumed


def _with(deferral: StoredDeferral, what: Happened | Broke | EndedTask) -> StoredDeferral:
    """How the task goes on."""
    if isinstance(what, Broke):
        error: Any = {"error": _FAILURE, "traceback": list(what.traceback)}
        return replace(deferral, next_method=FAILED_METHOD, next_kwargs=error)
    kwargs: Any = deferral.next_kwargs or {}
    event: Any = what.payload if isinstance(what, Happened) else None
    return replace(deferral, next_kwargs={**kwargs, "event": event})


def _end(fired: Fired, end: EndedTask, now: datetime) -> Succeeded | Failed | Skipped:
    match end.state:
        case TaskState.SUCCESS:
            return Succeeded(fired.attempt, now)
        case TaskState.SKIPPED:
            return Skipped(fired.attempt, now, reason=_SAID_SO)
        case _:
            return Failed(fired.attempt, now, reason=_SAID_SO)


def _leave(tx: Transaction, ended: Collection[TaskKey], ends: Mapping[TaskKey, EndedTask], now: datetime) -> None:
    """What tasks that have ended for good leave to others."""
    with_values = [key for key in ended if ends[key].xcoms]
    if not with_values:
        return
    over = {each.key for each in tx.tasks.snapshots(with_values) if each.state in FINISHED_STATES}
    values: list[Any] = [(key, name, value) for key in sorted(over) for name, value in ends[key].xcoms.items()]
    tx.xcoms.put([XComValue(key, name, value) for key, name, value in values], now)
