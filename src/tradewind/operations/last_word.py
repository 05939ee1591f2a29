"""Why a try failed, where nobody wrote it into its log: its worker was lost, or it never began."""

from datetime import datetime
from typing import Final, NamedTuple

from tradewind.model.listing import Condition, Listed, Query, Test
from tradewind.model.states import TaskState
from tradewind.model.task import TaskInstance
from tradewind.storage.interface import Transaction

_FAILED: Final = frozenset({TaskState.FAILED, TaskState.UP_FOR_RETRY})


class LastWord(NamedTuple):
    """What the log of a try lacks."""

    at: datetime | None
    reason: str


def last_word(tx: Transaction, task: TaskInstance, try_number: int) -> LastWord | None:
    """The engine's own reason for the end of a try. Whoever reports the end of a process tells what it has used, and
    has written the reason into the log: nothing is known about the use of those that were given up."""
    if task.try_number == try_number and task.state in _FAILED:
        return _word(task.state, task.finished_at, task.cpu_s, task.reason)
    conditions = (
        Condition("run_key", Test.IS, task.run_key),
        Condition("task_id", Test.IS, task.task_id),
        Condition("map_index", Test.IS, task.map_index),
        Condition("try_number", Test.IS, try_number),
    )
    rows = tx.listings.page(Listed.TASK_TRIES, Query(conditions, is_counted=False)).rows
    if not rows:
        return None
    row = rows[-1]
    return _word(row["state"], row["end_date"], row["cpu_s"], row["reason"])


def _word(state: object, at: object, cpu_s: object, reason: object) -> LastWord | None:
    if state not in _FAILED or cpu_s is not None or not isinstance(reason, str):
        return None
    return LastWord(at if isinstance(at, datetime) else None, reason)
