"""What task instances remember, changed by hand."""

from datetime import datetime
from typing import Final

from tradewind.errors import InvalidRequest, UnknownTask
from tradewind.model.ids import TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.storage.interface import Transaction

LONGEST_KEY: Final = 512
"""Of a remembered value, and of an XCom."""


def remember(
    tx: Transaction,
    dag_id: str,
    task: TaskKey,
    key: str,
    value: JsonValue,
    *,
    expires_at: datetime | None,
    now: datetime,
) -> None:
    """Keep a value for a task instance, in place of that which was there.

    Raises:
        UnknownTask: there is no such task instance.
        InvalidRequest: the key is too long, or the value would be forgotten at once.
    """
    if len(key) > LONGEST_KEY:
        raise InvalidRequest(f"the key has more than {LONGEST_KEY} characters")
    if expires_at is not None and expires_at <= now:
        raise InvalidRequest("expires_at must be in the future")
    if tx.lookups.task(task) is None:
        raise UnknownTask(dag_id, task.task_id, task.map_index)
    tx.task_states.put(task, key, value, expires_at=expires_at, now=now)
