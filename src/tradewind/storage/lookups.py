"""Runs and task instances by what people know of them."""

from collections.abc import Iterator
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.states import TaskState
from tradewind.model.task import TaskInstance
from tradewind.storage.interface.lookup_store import FoundTask, RunFilter, TaskFilter
from tradewind.storage.rows import INSTANCE_COLUMNS, to_instance, to_run
from tradewind.storage.schema import dag_run, task_instance

_RUN = dag_run.c
_TASK = task_instance.c
_OF_RUN = dag_run.join(task_instance, _TASK.run_key == _RUN.run_key)
_ONE = sa.select(*INSTANCE_COLUMNS).where(
    *(_TASK[name] == sa.bindparam(name) for name in ("run_key", "task_id", "map_index"))
)
_NEWEST_FIRST = (_RUN.ordering_at.desc(), _RUN.run_key.desc())


class Lookups:
    """Implements `interface.LookupStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def count_runs(self, which: RunFilter) -> int:
        statement = sa.select(sa.func.count()).select_from(dag_run).where(*_run_conditions(which))
        return int(self._connection.execute(statement).scalar_one())

    def run_before(self, dag_id: str, instant: datetime, state: str | None = None) -> Run | None:
        statement = sa.select(dag_run).where(_RUN.dag_id == dag_id, _RUN.ordering_at < instant)
        if state is not None:
            statement = statement.where(_RUN.state == state)
        row = self._connection.execute(statement.order_by(*_NEWEST_FIRST).limit(1)).first()
        return None if row is None else to_run(row)

    def task(self, key: TaskKey) -> TaskInstance | None:
        row = self._connection.execute(_ONE, key._asdict()).first()
        return None if row is None else to_instance(row)

    def count_tasks(self, which: TaskFilter) -> int:
        statement = sa.select(sa.func.count()).select_from(_OF_RUN).where(*_task_conditions(which))
        return int(self._connection.execute(statement).scalar_one())

    def task_states(self, which: TaskFilter) -> list[FoundTask]:
        statement = (
            sa.select(_RUN.run_id, _TASK.task_id, _TASK.map_index, _TASK.state)
            .select_from(_OF_RUN)
            .where(*_task_conditions(which))
            .order_by(_RUN.ordering_at, _RUN.run_key, _TASK.task_id, _TASK.map_index)
        )
        found = self._connection.execute(statement)
        return [FoundTask(row[0], row[1], row[2], TaskState(row[3])) for row in found]

    def task_before(
        self, dag_id: str, task_id: str, map_index: int, *, before: datetime | None = None, state: str | None = None
    ) -> tuple[TaskInstance, datetime | None] | None:
        statement = (
            # The last of the columns would look the run up that is joined here.
            sa.select(*INSTANCE_COLUMNS[:-1], _RUN.run_id, _RUN.logical_date)
            .select_from(_OF_RUN)
            .where(_RUN.dag_id == dag_id, _TASK.task_id == task_id, _TASK.map_index == map_index)
        )
        if before is not None:
            statement = statement.where(_RUN.ordering_at < before)
        if state is not None:
            statement = statement.where(_TASK.state == state)
        row = self._connection.execute(statement.order_by(*_NEWEST_FIRST).limit(1)).first()
        return None if row is None else (to_instance(row[:-1]), row[-1])


def _run_conditions(which: RunFilter) -> Iterator[sa.ColumnElement[bool]]:
    yield _RUN.dag_id == which.dag_id
    if which.logical_dates is not None:
        yield _RUN.logical_date.in_(which.logical_dates)
    if which.run_ids is not None:
        yield _RUN.run_id.in_(which.run_ids)
    if which.states is not None:
        yield _RUN.state.in_(which.states)


def _task_conditions(which: TaskFilter) -> Iterator[sa.ColumnElement[bool]]:
    yield from _run_conditions(which.runs)
    if which.task_ids is not None:
        yield _TASK.task_id.in_(which.task_ids)
    if which.map_index is not None:
        yield _TASK.map_index == which.map_index
    if which.states is not None:
        yield _TASK.state.in_(which.states)
