"""Compare-and-swap for many rows at once: the only way a task instance's row is changed by what the engine decides."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import sqlalchemy as sa

from tradewind.model.ids import RunKey, TaskKey
from tradewind.storage.batch import Columns, Kind, Row, batch_parameters, batch_table
from tradewind.storage.schema import task_instance
from tradewind.storage.types import AnyRow, AnySelect

KEY_COLUMNS: Columns = (("run_key", Kind.INT), ("task_id", Kind.TEXT), ("map_index", Kind.INT))
ATTEMPT_COLUMNS: Columns = (*KEY_COLUMNS, ("attempt", Kind.INT))

Assignments = Callable[[sa.Subquery], Mapping[str, object]]
Guard = Callable[[sa.Subquery], sa.ColumnElement[bool]]


def same_task(batch: sa.Subquery) -> sa.ColumnElement[bool]:
    """The row is the one that the batch row names."""
    return sa.and_(
        task_instance.c.run_key == batch.c.run_key,
        task_instance.c.task_id == batch.c.task_id,
        task_instance.c.map_index == batch.c.map_index,
    )


def same_attempt(batch: sa.Subquery) -> sa.ColumnElement[bool]:
    """The row is the one that the batch row names, and still at that attempt."""
    return sa.and_(same_task(batch), task_instance.c.attempt == batch.c.attempt)


class GuardedUpdate:
    """An update of the rows of a batch that still are as expected; it returns the keys of those that were.

    `guard` may look at the batch; what it does not let through is left alone, whatever the reason.
    """

    def __init__(self, columns: Columns, guard: Guard, assignments: Assignments) -> None:
        self._columns = columns
        self._guard = guard
        self._assignments = assignments
        self._statements = cache(self._build)

    def __call__(
        self, connection: sa.Connection, rows: Sequence[Row], parameters: Mapping[str, object] | None = None
    ) -> set[TaskKey]:
        """Update, and say which rows changed."""
        if not rows:
            return set()
        dialect = connection.dialect
        bound = {**batch_parameters(dialect.name, self._columns, rows), **(parameters or {})}
        locking, update = self._statements(dialect.name, bool(dialect.update_returning))
        if locking is None:
            return {_key(row) for row in connection.execute(update, bound)}
        changed = {_key(row) for row in connection.execute(locking, bound)}
        if changed:
            connection.execute(update, bound)
        return changed

    def _build(self, dialect_name: str, returns: bool) -> tuple[AnySelect | None, sa.Update]:
        batch = batch_table(dialect_name, self._columns)
        condition = self._guard(batch)
        update = sa.update(task_instance).where(condition).values(dict(self._assignments(batch)))
        keys = (task_instance.c.run_key, task_instance.c.task_id, task_instance.c.map_index)
        if returns:
            return None, update.returning(*keys)
        # MySQL cannot return what it updated: lock and read the rows first, in the same transaction.
        locking = sa.select(*keys).select_from(task_instance, batch).where(condition)
        return locking.with_for_update(of=task_instance), update


def _key(row: AnyRow) -> TaskKey:
    return TaskKey(RunKey(row[0]), row[1], row[2])
