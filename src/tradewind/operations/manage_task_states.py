"""What task instances remember, changed by hand."""

from datetime import datetime
from typing import Final

from tradewind.errors import InvalidRequest, UnknownTask
from tradewind.model.ids import TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.storage.interface import Transaction

_LONGEST_KEY: Final = 512


def check_key(key: str) -> None:
    """Refuse what some database would not take as the key of a remembered value or of an XCom.

    Raises:
        InvalidRequest: says why.
    """
    if not 0 < len(key) <= _LONGEST_KEY:
        raise InvalidRequest(f"a key has 1 to {_LONGEST_KEY} characters")
    if "\0" in key:
        raise InvalidRequest("a key has no zero bytes")


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
        InvalidRequest: the key cannot be, or the value would be forgotten at once.
    """
    check_key(key)
    if expires_at is not None and expires_at <= now:
        raise InvalidRequest("expires_at must be in the future")
    if tx.lookups.task(task) is None:
        raise UnknownTask(dag_id, task.task_id, task.map_index)
    tx.task_states.put(task, key, value, expires_at=expires_at, now=now)
