"""What waiting tasks wait for, and which triggerer runs it."""

from collections.abc import Collection, Sequence
from functools import cache

import sqlalchemy as sa

from tradewind.model.ids import AttemptKey, JobKey, RunKey, TaskKey, TriggerKey
from tradewind.model.states import TaskState
from tradewind.model.trigger import ClaimedTrigger, NewTrigger
from tradewind.storage.batch import batch_parameters, batch_table
from tradewind.storage.guarded import KEY_COLUMNS
from tradewind.storage.interface.trigger_store import SealedKwargs, TriggerRecord
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_run, dag_version, task_instance, task_trigger
from tradewind.storage.types import AnyRow, AnySelect

_COLUMNS = task_trigger.c
_KEY = (_COLUMNS.run_key, _COLUMNS.task_id, _COLUMNS.map_index)
_OF_KEYS = one_of(_COLUMNS.trigger_key, "keys")
_OF_JOB = _COLUMNS.triggerer == sa.bindparam("job")
_IS_FREE = _COLUMNS.triggerer.is_(None)
_IS_TASK = sa.and_(
    task_instance.c.run_key == _COLUMNS.run_key,
    task_instance.c.task_id == _COLUMNS.task_id,
    task_instance.c.map_index == _COLUMNS.map_index,
)
# No index answers to a CASE: the task is found by its key, however few are deferred (see `guarded`).
_IS_WANTED = sa.and_(
    task_instance.c.attempt == _COLUMNS.attempt,
    sa.case((task_instance.c.state == sa.literal_column(f"'{TaskState.DEFERRED}'"), 1), else_=0) == 1,
)


def _free(*, has_queue: bool) -> AnySelect:
    is_ours = one_of(_COLUMNS.queue, "queues") if has_queue else _COLUMNS.queue.is_(None)
    return (
        sa.select(
            task_trigger,
            task_instance.c.dag_id,
            task_instance.c.try_number,
            dag_run.c.run_id,
            dag_run.c.bundle_version,
            dag_version.c.bundle_name,
            dag_version.c.path,
        )
        .join(task_instance, _IS_TASK)
        .join(dag_run, dag_run.c.run_key == _COLUMNS.run_key)
        .outerjoin(dag_version, dag_version.c.version_key == dag_run.c.version_key)
        .where(_IS_FREE, is_ours, _IS_WANTED)
        .order_by(task_instance.c.priority_weight.desc(), _COLUMNS.trigger_key)
        .limit(sa.bindparam("limit"))
    )


_FREE = _free(has_queue=False)
_FREE_OF_QUEUES = _free(has_queue=True)
# Of triggers alone: who claims must not wait for a scheduler that has locked a run, nor keep one waiting. And found by
# their keys, for MariaDB locks whatever it looks at on the way: by the other index, all that are free.
_STILL_FREE = sa.and_(_OF_KEYS, sa.case((_IS_FREE, 1), else_=0) == 1)
_LOCK_FREE = sa.select(_COLUMNS.trigger_key).where(_STILL_FREE).with_for_update(skip_locked=True)
_CLAIM = sa.update(task_trigger).where(_STILL_FREE).values(triggerer=sa.bindparam("job"))
_CALLED_OFF = sa.select(_COLUMNS.trigger_key).where(_OF_JOB, _COLUMNS.is_called_off.is_(sa.true()))
_WANTED = sa.select(_COLUMNS.trigger_key).join(task_instance, _IS_TASK).where(_OF_JOB, _IS_WANTED)
_UNWANTED = (
    sa.select(_COLUMNS.trigger_key)
    .join(task_instance, _IS_TASK)
    .where(sa.or_(_IS_FREE, sa.and_(_OF_JOB, _COLUMNS.is_called_off.is_(sa.false()))), sa.not_(_IS_WANTED))
)
_DELETE = sa.delete(task_trigger).where(_OF_KEYS)
_DELETE_OF_JOB = _DELETE.where(_OF_JOB)
_RELEASE = sa.update(task_trigger).where(_OF_JOB).values(triggerer=None)
_RELEASE_OTHERS = (
    sa.update(task_trigger)
    .where(_COLUMNS.triggerer.is_not(None), sa.not_(one_of(_COLUMNS.triggerer, "jobs")))
    .values(triggerer=None)
)
_SEALED = sa.select(_COLUMNS.trigger_key, _COLUMNS.kwargs, _COLUMNS.is_encrypted)
_RESEAL = (
    sa.update(task_trigger)
    .where(_COLUMNS.trigger_key == sa.bindparam("of"))
    .values(kwargs=sa.bindparam("sealed"), is_encrypted=sa.bindparam("encrypted"))
)


_NOTIFY = sa.select(sa.func.pg_notify(sa.bindparam("channel"), ""))


@cache
def _of_tasks(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, KEY_COLUMNS)
    same_task = sa.and_(*(column == batch.c[column.name] for column in _KEY))
    return sa.select(task_trigger).join(batch, same_task).order_by(_COLUMNS.trigger_key)


class Triggers:
    """Implements `interface.trigger_store.TriggerStore`."""

    def __init__(self, connection: sa.Connection, channel: str | None = None) -> None:
        """`channel`: where PostgreSQL tells triggerers of news."""
        self._connection = connection
        self._dialect = connection.dialect.name
        self._channel = channel
        self.has_news = False
        """Whether a triggerer will have something to do."""

    def add(self, triggers: Sequence[NewTrigger]) -> None:
        rows = [
            {
                **each.attempt._asdict(),
                "class_path": each.class_path,
                "kwargs": each.kwargs,
                "is_encrypted": each.is_encrypted,
                "queue": each.queue,
                "is_called_off": False,
                "created_at": each.created_at,
            }
            for each in sorted(triggers, key=lambda each: each.attempt)
        ]
        if rows:
            self._connection.execute(sa.insert(task_trigger), rows)
            self._tell()

    def claim(self, job: JobKey, limit: int, queues: Collection[str] | None = None) -> list[ClaimedTrigger]:
        statement = _FREE if queues is None else _FREE_OF_QUEUES
        found = self._connection.execute(statement, {"limit": limit, "queues": list(queues or ())}).all()
        if not found:
            return []
        keys = {"keys": [row.trigger_key for row in found]}
        ours = set(self._connection.execute(_LOCK_FREE, keys).scalars())
        self._connection.execute(_CLAIM, {"keys": sorted(ours), "job": job})
        return [_to_claimed(row) for row in found if row.trigger_key in ours]

    def called_off(self, job: JobKey) -> set[TriggerKey]:
        return {TriggerKey(key) for key in self._connection.execute(_CALLED_OFF, {"job": job}).scalars()}

    def wanted(self, job: JobKey) -> set[TriggerKey]:
        return {TriggerKey(key) for key in self._connection.execute(_WANTED, {"job": job}).scalars()}

    def call_off(self, tasks: Collection[TaskKey]) -> None:
        found = self._of_tasks(tasks)
        self.delete([TriggerKey(row.trigger_key) for row in found if row.triggerer is None])
        running = [row.trigger_key for row in found if row.triggerer is not None]
        if running:
            statement = sa.update(task_trigger).where(_OF_KEYS).values(is_called_off=True)
            self._connection.execute(statement, {"keys": running})
            self._tell()

    def delete(self, keys: Collection[TriggerKey], job: JobKey | None = None) -> None:
        if keys:
            self._connection.execute(_DELETE if job is None else _DELETE_OF_JOB, {"keys": sorted(keys), "job": job})

    def delete_unwanted(self, job: JobKey) -> int:
        keys = [TriggerKey(key) for key in self._connection.execute(_UNWANTED, {"job": job}).scalars()]
        self.delete(keys)
        return len(keys)

    def release(self, job: JobKey) -> None:
        if self._connection.execute(_RELEASE, {"job": job}).rowcount:
            self._tell()

    def release_all_but(self, jobs: Collection[JobKey]) -> int:
        released = self._connection.execute(_RELEASE_OTHERS, {"jobs": sorted(jobs)}).rowcount
        if released:
            self._tell()
        return released

    def of_tasks(self, tasks: Collection[TaskKey]) -> dict[TaskKey, TriggerRecord]:
        return {
            TaskKey(RunKey(row.run_key), row.task_id, row.map_index): TriggerRecord(
                TriggerKey(row.trigger_key), row.class_path, row.queue, row.triggerer, row.created_at
            )
            for row in self._of_tasks(tasks)
        }

    def sealed(self) -> list[SealedKwargs]:
        return [SealedKwargs(TriggerKey(row[0]), row[1], row[2]) for row in self._connection.execute(_SEALED)]

    def reseal(self, kwargs: Sequence[SealedKwargs]) -> None:
        rows = [{"of": each.key, "sealed": each.kwargs, "encrypted": each.is_encrypted} for each in kwargs]
        if rows:
            self._connection.execute(_RESEAL, rows)

    def _of_tasks(self, tasks: Collection[TaskKey]) -> Sequence[AnyRow]:
        if not tasks:
            return ()
        parameters = batch_parameters(self._dialect, KEY_COLUMNS, sorted(tasks))
        return self._connection.execute(_of_tasks(self._dialect), parameters).all()

    def _tell(self) -> None:
        if self._channel is not None and not self.has_news:
            self._connection.execute(_NOTIFY, {"channel": self._channel})
        self.has_news = True


def _to_claimed(row: AnyRow) -> ClaimedTrigger:
    return ClaimedTrigger(
        key=TriggerKey(row.trigger_key),
        attempt=AttemptKey(RunKey(row.run_key), row.task_id, row.map_index, row.attempt),
        class_path=row.class_path,
        kwargs=row.kwargs,
        is_encrypted=row.is_encrypted,
        dag_id=row.dag_id,
        run_id=row.run_id,
        try_number=row.try_number,
        bundle_name=row.bundle_name,
        bundle_version=row.bundle_version,
        path=row.path,
    )
