"""What task instances remember from attempt to attempt."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from tradewind.model.ids import TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.storage.json_text import from_optional_text, to_text
from tradewind.storage.schema import task_state
from tradewind.storage.types import Instant
from tradewind.storage.upsert import upsert

_COLUMNS = task_state.c
_NOW = sa.bindparam("now", type_=Instant())
_OF_TASK = sa.and_(*(_COLUMNS[name] == sa.bindparam(name) for name in ("run_key", "task_id", "map_index")))
_HAS_KEY = _COLUMNS.key == sa.bindparam("key")
_FIND = sa.select(_COLUMNS.value).where(
    _OF_TASK, _HAS_KEY, sa.or_(_COLUMNS.expires_at.is_(None), _COLUMNS.expires_at > _NOW)
)
_DELETE = sa.delete(task_state).where(_OF_TASK, _HAS_KEY)
_CLEAR_ALL = sa.delete(task_state).where(
    _COLUMNS.run_key == sa.bindparam("run_key"), _COLUMNS.task_id == sa.bindparam("task_id")
)
_CLEAR = sa.delete(task_state).where(_OF_TASK)
_FORGET_EXPIRED = _CLEAR.where(_COLUMNS.expires_at <= _NOW)

_KEY: Final = tuple(table_key.name for table_key in task_state.primary_key.columns)
_EXPIRED = sa.select(*(_COLUMNS[name] for name in _KEY)).where(_COLUMNS.expires_at <= _NOW)
_COUNT_EXPIRED = sa.select(sa.func.count()).select_from(task_state).where(_COLUMNS.expires_at <= _NOW)
_DELETE_EXPIRED = sa.delete(task_state).where(
    *(_COLUMNS[name] == sa.bindparam(f"its_{name}") for name in _KEY), _COLUMNS.expires_at <= _NOW
)


class TaskStates:
    """Implements `interface.TaskStateStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def find(self, task: TaskKey, key: str, now: datetime) -> JsonValue:
        value: JsonValue = from_optional_text(
            self._connection.execute(_FIND, {**task._asdict(), "key": key, "now": now}).scalar()
        )
        return value

    def put(self, task: TaskKey, key: str, value: JsonValue, *, expires_at: datetime | None, now: datetime) -> None:
        self._connection.execute(_FORGET_EXPIRED, {**task._asdict(), "now": now})
        row = {"key": key, "value": to_text(value), "expires_at": expires_at, "updated_at": now}
        upsert(self._connection, task_state, [{**task._asdict(), **row}])

    def delete(self, task: TaskKey, key: str) -> None:
        self._connection.execute(_DELETE, {**task._asdict(), "key": key})

    def clear(self, task: TaskKey, *, of_all_map_indexes: bool = False) -> None:
        if of_all_map_indexes:
            self._connection.execute(_CLEAR_ALL, {"run_key": task.run_key, "task_id": task.task_id})
        else:
            self._connection.execute(_CLEAR, task._asdict())

    def count_expired(self, now: datetime) -> int:
        return int(self._connection.execute(_COUNT_EXPIRED, {"now": now}).scalar_one())

    def delete_expired(self, now: datetime, limit: int) -> int:
        found = self._connection.execute(_EXPIRED.limit(limit), {"now": now}).all()
        if found:
            rows = [{f"its_{name}": value for name, value in zip(_KEY, row, strict=True)} for row in found]
            self._connection.execute(_DELETE_EXPIRED, [{**row, "now": now} for row in rows])
        return len(found)
