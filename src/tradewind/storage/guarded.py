"""Compare-and-swap for many rows at once: the only way the engine changes a task instance's or a run's row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from tradewind.model.ids import RunKey, TaskKey
from tradewind.storage.batch import Columns, Kind, Row, batch_parameters, batch_table
from tradewind.storage.schema import dag_run, task_instance
from tradewind.storage.types import AnyRow

KEY_COLUMNS: Columns = (("run_key", Kind.INT), ("task_id", Kind.TEXT), ("map_index", Kind.INT))
ATTEMPT_COLUMNS: Columns = (*KEY_COLUMNS, ("attempt", Kind.INT))
RUN_COLUMNS: Columns = (("run_key", Kind.INT),)

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


def same_run(batch: sa.Subquery) -> sa.ColumnElement[bool]:
    """The row is the one that the batch row names."""
    return dag_run.c.run_key == batch.c.run_key


class _Guarded:
    """An update of the rows of a batch that still are as expected, and their keys.

    `guard` may look at the batch; what it does not let through is left alone, whatever the reason.
    """

    _table: sa.Table

    def __init__(self, columns: Columns, guard: Guard, assignments: Assignments) -> None:
        self._columns = columns
        self._guard = guard
        self._assignments = assignments
        self._statements = cache(self._build)

    def _update(
        self, connection: sa.Connection, rows: Sequence[Row], parameters: Mapping[str, object] | None
    ) -> Iterable[AnyRow]:
        if not rows:
            return ()
        dialect = connection.dialect
        bound = {**batch_parameters(dialect.name, self._columns, rows), **(parameters or {})}
        locking, update = self._statements(dialect.name, bool(dialect.update_returning))
        if locking is None:
            return connection.execute(update, bound)
        changed = connection.execute(locking, bound).all()
        if changed:
            connection.execute(update, bound)
        return changed

    def _build(
        self, dialect_name: str, returns: bool, columns: tuple[sa.ColumnElement[Any], ...] = ()
    ) -> tuple[sa.Select[Any] | None, Any]:
        batch = batch_table(dialect_name, self._columns)
        keys = tuple(self._table.primary_key.columns)
        by_key = sa.and_(*(key == batch.c[key.name] for key in keys))
        # Rows are found by their key and by nothing else. PostgreSQL, which knows from its last look at the table how
        # few rows wait, would rather read "all that wait" from their partial index and hold each against each row of
        # the batch: seconds, when thousands wait after all. No index answers to a CASE.
        condition = sa.and_(by_key, sa.case((self._guard(batch), 1), else_=0) == 1)
        update = sa.update(self._table).where(condition).values(dict(self._assignments(batch)))
        if returns:
            return None, update.returning(*(columns or keys))
        # MySQL cannot return what it updated: lock and read the rows first, in the same transaction.
        locking = sa.select(*keys).select_from(self._table, batch).where(condition)
        return locking.with_for_update(of=self._table), update


class GuardedUpdate(_Guarded):
    """Of task instances; the batch begins with their key."""

    _table = task_instance

    def __call__(
        self, connection: sa.Connection, rows: Sequence[Row], parameters: Mapping[str, object] | None = None
    ) -> set[TaskKey]:
        """Update, and say which rows changed."""
        changed = self._update(connection, rows, parameters)
        return {TaskKey(RunKey(row[0]), row[1], row[2]) for row in changed}

    def part(self, name: str, columns: tuple[sa.ColumnElement[Any], ...]) -> sa.CTE:
        """The update as a part of a larger statement, with these columns of what changed. For PostgreSQL only."""
        _, update = self._statements("postgresql", True, columns)
        part: sa.CTE = update.cte(name)
        return part

    def parameters(self, rows: Sequence[Row]) -> dict[str, object]:
        """Of such a statement, whatever else it has."""
        return batch_parameters("postgresql", self._columns, rows)


class GuardedRunUpdate(_Guarded):
    """Of runs; the batch begins with their key."""

    _table = dag_run

    def __call__(
        self, connection: sa.Connection, rows: Sequence[Row], parameters: Mapping[str, object] | None = None
    ) -> set[RunKey]:
        """Update, and say which rows changed."""
        return {RunKey(row[0]) for row in self._update(connection, rows, parameters)}
