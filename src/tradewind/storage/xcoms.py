"""Values that tasks leave for one another."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.model.run import Run
from tradewind.model.task_answers import XComElement, XComResult
from tradewind.storage.batch import batch_parameters, batch_table
from tradewind.storage.guarded import KEY_COLUMNS
from tradewind.storage.interface.kept_stores import XComPlace, XComValue
from tradewind.storage.json_text import from_text, to_text
from tradewind.storage.schema import dag_run, xcom
from tradewind.storage.types import AnySelect, Instant
from tradewind.storage.upsert import upsert

_COLUMNS = xcom.c
_IS_THERE = sa.and_(
    _COLUMNS.run_key == sa.bindparam("run_key"),
    _COLUMNS.task_id == sa.bindparam("task_id"),
    _COLUMNS.key == sa.bindparam("key"),
)
_HAS_INDEX = _COLUMNS.map_index == sa.bindparam("map_index")
_LIMIT = sa.bindparam("limit", type_=sa.Integer())
_OFFSET = sa.bindparam("offset", type_=sa.Integer())
_VALUES = sa.select(_COLUMNS.value).where(_IS_THERE).limit(_LIMIT).offset(_OFFSET)
_FORWARD = _VALUES.order_by(_COLUMNS.map_index)
_BACKWARD = _VALUES.order_by(_COLUMNS.map_index.desc())
_ONE = sa.select(_COLUMNS.value).where(_IS_THERE, _HAS_INDEX)
_COUNT = sa.select(sa.func.count()).where(_IS_THERE)
_LOWEST = sa.select(sa.func.min(_COLUMNS.map_index)).where(_IS_THERE)
_DELETE = sa.delete(xcom).where(_IS_THERE, _HAS_INDEX)
_OF_RUN = (
    sa.select(
        *(_COLUMNS[name] for name in ("run_key", "task_id", "map_index")),
        *(_COLUMNS[name] for name in ("key", "value", "mapped_length", "is_dag_result")),
    )
    .where(_COLUMNS.run_key == sa.bindparam("run_key"))
    .order_by(_COLUMNS.task_id, _COLUMNS.map_index, _COLUMNS.key)
)
_MOST = 2**31 - 1
"""More values than any mapped task has, and the largest limit that all databases take."""
_cut_up: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


def _latest_run(*conditions: sa.ColumnElement[bool]) -> AnySelect:
    has_value = sa.exists().where(
        _COLUMNS.run_key == dag_run.c.run_key,
        _COLUMNS.task_id == sa.bindparam("task_id"),
        _COLUMNS.key == sa.bindparam("key"),
        *conditions,
    )
    before = dag_run.c.ordering_at <= sa.bindparam("ordering_at", type_=Instant())
    return (
        sa.select(dag_run.c.run_key)
        .where(dag_run.c.dag_id == sa.bindparam("dag_id"), before, has_value)
        .order_by(dag_run.c.ordering_at.desc(), dag_run.c.run_key.desc())
        .limit(1)
    )


_LATEST_RUN = _latest_run()
_LATEST_RUN_WITH_INDEX = _latest_run(_HAS_INDEX)


@cache
def _keys_of(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, KEY_COLUMNS)
    names = ("run_key", "task_id", "map_index")
    is_of_task = sa.and_(*(_COLUMNS[name] == batch.c[name] for name in names))
    keys = sa.select(*(_COLUMNS[name] for name in names), _COLUMNS.key)
    return keys.join(batch, is_of_task).order_by(_COLUMNS.key)


@cache
def _steps(is_backward: bool) -> AnySelect:
    """Every n-th value of a part. Places are counted over map indexes alone; only the values wanted are fetched."""
    counted = (
        sa.select(_COLUMNS.map_index, (sa.func.row_number().over(order_by=_COLUMNS.map_index) - 1).label("place"))
        .where(_IS_THERE)
        .subquery("counted")
    )
    first, last = sa.bindparam("first", type_=sa.Integer()), sa.bindparam("last", type_=sa.Integer())
    is_wanted = sa.and_(
        counted.c.place.between(first, last), (counted.c.place - first) % sa.bindparam("step", type_=sa.Integer()) == 0
    )
    order = counted.c.place.desc() if is_backward else counted.c.place
    return (
        sa.select(_COLUMNS.value)
        .join(counted, counted.c.map_index == _COLUMNS.map_index)
        .where(_IS_THERE, is_wanted)
        .order_by(order)
    )


class XComs:
    """Implements `interface.XComStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._dialect = connection.dialect.name
        # Copies of a mapped task that begin together ask for elements of one list in one transaction.
        self._lists: dict[tuple[XComPlace, int], list[msgspec.Raw]] = {}

    def put(self, values: Sequence[XComValue], now: datetime) -> None:
        rows = [
            {
                **each.task._asdict(),
                "key": each.key,
                "value": to_text(each.value),
                "mapped_length": each.mapped_length,
                "is_dag_result": each.is_dag_result,
                "created_at": now,
            }
            for each in sorted(values, key=lambda each: (each.task, each.key))
        ]
        upsert(self._connection, xcom, rows)
        for (run_key, task_id, map_index), key, *_ in values:
            self._lists.pop((XComPlace(run_key, task_id, key), map_index), None)

    def find(self, place: XComPlace, map_index: int | None = None) -> XComResult | None:
        if map_index is None:
            return self.item(place, 0)
        return self._one(_ONE, place, map_index=map_index)

    def latest_run(self, run: Run, task_id: str, key: str, map_index: int | None = None) -> RunKey | None:
        # The run itself comes first also where others have the same date.
        if self.find(XComPlace(run.key, task_id, key), map_index) is not None:
            return run.key
        parameters = {"dag_id": run.dag_id, "ordering_at": run.ordering_at, "task_id": task_id, "key": key}
        if map_index is None:
            found = self._connection.execute(_LATEST_RUN, parameters).scalar()
        else:
            found = self._connection.execute(_LATEST_RUN_WITH_INDEX, {**parameters, "map_index": map_index}).scalar()
        return None if found is None else RunKey(found)

    def count(self, place: XComPlace) -> int:
        return int(self._connection.execute(_COUNT, place._asdict()).scalar_one())

    def item(self, place: XComPlace, offset: int) -> XComResult | None:
        if offset < 0:
            return self._one(_BACKWARD, place, limit=1, offset=-offset - 1)
        return self._one(_FORWARD, place, limit=1, offset=offset)

    def element(self, place: XComPlace, map_index: int, index: int) -> XComElement | None:
        elements = self._lists.get((place, map_index))
        if elements is None:
            parameters = {**place._asdict(), "map_index": map_index}
            elements = _elements(self._connection.execute(_ONE, parameters).scalar())
            self._lists[place, map_index] = elements
        if not elements:
            return None
        return XComElement(from_text(bytes(elements[index % len(elements)]).decode()), len(elements))

    def cut(self, place: XComPlace, part: slice) -> list[JsonValue]:
        counts_from_end = any(each is not None and each < 0 for each in (part.start, part.stop, part.step))
        chosen = range(*part.indices(self.count(place) if counts_from_end else _MOST))
        if not chosen:
            return []
        first, last = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
        if chosen.step == 1:
            return self._values(_FORWARD, place, limit=last - first + 1, offset=first)
        steps = {"first": first, "last": last, "step": abs(chosen.step)}
        return self._values(_steps(chosen.step < 0), place, **steps)

    def delete(self, place: XComPlace, map_index: int | None = None) -> None:
        if map_index is None:
            map_index = self._connection.execute(_LOWEST, place._asdict()).scalar()
        self._connection.execute(_DELETE, {**place._asdict(), "map_index": map_index})
        self._lists.clear()

    def keys_of(self, tasks: Collection[TaskKey]) -> dict[TaskKey, tuple[str, ...]]:
        found: dict[TaskKey, list[str]] = {}
        if tasks:
            parameters = batch_parameters(self._dialect, KEY_COLUMNS, list(tasks))
            for run_key, task_id, map_index, key in self._connection.execute(_keys_of(self._dialect), parameters):
                found.setdefault(TaskKey(RunKey(run_key), task_id, map_index), []).append(key)
        return {task: tuple(keys) for task, keys in found.items()}

    def of_run(self, run_key: RunKey) -> list[XComValue]:
        return [
            XComValue(
                TaskKey(RunKey(row[0]), row.task_id, row.map_index),
                row.key,
                from_text(row.value),
                row.mapped_length,
                row.is_dag_result,
            )
            for row in self._connection.execute(_OF_RUN, {"run_key": run_key})
        ]

    def _one(self, statement: AnySelect, place: XComPlace, **parameters: Any) -> XComResult | None:
        found = self._connection.execute(statement, {**place._asdict(), **parameters}).scalar()
        return None if found is None else XComResult(place.key, from_text(found))

    def _values(self, statement: AnySelect, place: XComPlace, **parameters: Any) -> list[JsonValue]:
        found = self._connection.execute(statement, {**place._asdict(), **parameters})
        return [from_text(text) for text in found.scalars()]


def _elements(text: str | None) -> list[msgspec.Raw]:
    """A list cut into its elements, none of which is looked into; no elements for what is no list."""
    try:
        return [] if text is None else _cut_up(text)
    except (msgspec.DecodeError, RecursionError):  # also what only Python's JSON can say, such as NaN
        return []
