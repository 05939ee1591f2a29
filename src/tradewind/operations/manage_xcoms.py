"""XComs by hand."""

from datetime import datetime
from typing import Final, NamedTuple, cast

from tradewind.errors import InvalidRequest, UnknownRun, UnknownTask, UnknownXCom, XComExists
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.operations.manage_task_states import check_key
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import XComPlace, XComValue

_RESERVED: Final = ("__classname__", "__id__", "__type")
"""How tasks mark what they serialized. Who could write these by hand could have tasks load classes."""


class XComName(NamedTuple):
    """What an XCom is called."""

    dag_id: str
    run_id: str
    task_id: str
    key: str
    map_index: int = UNMAPPED


def create_xcom(tx: Transaction, name: XComName, value: JsonValue, now: datetime) -> None:
    """Leave a value in the name of a task.

    Raises:
        UnknownRun, UnknownTask: as the name says.
        XComExists: there is one.
        InvalidRequest: a key that cannot be, or a value that only tasks may write.
    """
    check_key(name.key)
    task = _task(tx, name)
    if tx.lookups.task(task) is None:
        raise UnknownTask(name.dag_id, name.task_id, name.map_index)
    if tx.xcoms.find(_place(task, name), name.map_index) is not None:
        raise XComExists(name.task_id, name.key)
    _put(tx, task, name, value, now)


def update_xcom(tx: Transaction, name: XComName, value: JsonValue, now: datetime) -> None:
    """Replace a value. Raises `UnknownRun`, `UnknownXCom` and `InvalidRequest`."""
    _put(tx, _existing(tx, name), name, value, now)


def delete_xcom(tx: Transaction, name: XComName) -> None:
    """Raises `UnknownRun` and `UnknownXCom`."""
    tx.xcoms.delete(_place(_existing(tx, name), name), name.map_index)


def find_xcom(tx: Transaction, name: XComName) -> JsonValue:
    """The value. Raises `UnknownRun` and `UnknownXCom`."""
    found = tx.xcoms.find(_place(_task(tx, name), name), name.map_index)
    if found is None:
        raise UnknownXCom(name.task_id, name.key)
    return cast("JsonValue", found.value)


def _task(tx: Transaction, name: XComName) -> TaskKey:
    run = tx.runs.find(name.dag_id, name.run_id)
    if run is None:
        raise UnknownRun(name.dag_id, name.run_id)
    return TaskKey(run.key, name.task_id, name.map_index)


def _existing(tx: Transaction, name: XComName) -> TaskKey:
    task = _task(tx, name)
    if tx.xcoms.find(_place(task, name), name.map_index) is None:
        raise UnknownXCom(name.task_id, name.key)
    return task


def _place(task: TaskKey, name: XComName) -> XComPlace:
    return XComPlace(task.run_key, task.task_id, name.key)


def _put(tx: Transaction, task: TaskKey, name: XComName, value: JsonValue, now: datetime) -> None:
    _refuse_reserved(value)
    tx.xcoms.put([XComValue(task, name.key, value)], now)


def _refuse_reserved(value: JsonValue) -> None:
    left = [value]
    while left:
        current = left.pop()
        if isinstance(current, list):
            left.extend(current)
        elif isinstance(current, dict):
            for word in _RESERVED:
                if word in current:
                    raise InvalidRequest(f"the key {word!r} is for values that tasks serialize")
            left.extend(current.values())
