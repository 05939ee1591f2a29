"""How much there is of everything that has not ended."""

import sqlalchemy as sa

from tradewind.model.ids import JobKey
from tradewind.model.states import OCCUPYING_STATES, RunState, TaskState
from tradewind.storage.schema import (
    dag,
    dag_file,
    dag_run,
    run_is_queued,
    run_is_running,
    state_in,
    task_instance,
    task_is_active,
    task_is_waiting,
)
from tradewind.telemetry.measurements import FilesMeasured, RunsMeasured, TaskCount

_TASK = task_instance.c

_RUNS = sa.select(sa.func.count(), sa.func.count(dag_run.c.dag_id.distinct()))
_BY_TASK = (_TASK.state, _TASK.queue, _TASK.dag_id, _TASK.task_id)
_TASKS = sa.select(*_BY_TASK, sa.func.count()).group_by(*_BY_TASK)
_WAITING, _ACTIVE = _TASKS.where(task_is_waiting), _TASKS.where(task_is_active)
_HANDED_OUT = (
    sa.select(_TASK.executor, _TASK.state, sa.func.count())
    .where(task_is_active, state_in(*OCCUPYING_STATES), _TASK.queued_by == sa.bindparam("job"))
    .group_by(_TASK.executor, _TASK.state)
)
_DAGS = sa.select(sa.func.count()).select_from(dag).where(~dag.c.is_stale)
_FILES = sa.select(sa.func.count(dag_file.c.error_at), sa.func.coalesce(sa.func.sum(dag_file.c.duration_ms), 0))


class Measures:
    """Implements `interface.measure_store.MeasureStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def runs(self) -> RunsMeasured:
        running, dags = self._connection.execute(_RUNS.where(run_is_running)).one()
        queued, _ = self._connection.execute(_RUNS.where(run_is_queued)).one()
        return RunsMeasured({RunState.QUEUED: queued, RunState.RUNNING: running}, dags)

    def tasks(self) -> list[TaskCount]:
        # Each by its own index: with both conditions in one statement, all of the table would be read.
        found = [tuple(row) for each in (_WAITING, _ACTIVE) for row in self._connection.execute(each)]
        return [TaskCount(TaskState(state), *others) for state, *others in found]

    def handed_out(self, job: JobKey) -> dict[tuple[str | None, TaskState], int]:
        found = self._connection.execute(_HANDED_OUT, {"job": job})
        return {(executor, TaskState(state)): count for executor, state, count in map(tuple, found)}

    def files(self) -> FilesMeasured:
        failing, duration_ms = self._connection.execute(_FILES).one()
        return FilesMeasured(self._connection.execute(_DAGS).scalar_one(), failing, int(duration_ms) / 1000)
