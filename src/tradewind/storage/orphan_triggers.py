"""Triggers of tasks that were deleted: what they wait for outside is still to be ended."""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Final

import sqlalchemy as sa

from tradewind.model.ids import JobKey, RunKey, TaskKey, TriggerKey
from tradewind.model.trigger import ClaimedTrigger
from tradewind.storage.batch import batch_parameters, batch_table
from tradewind.storage.guarded import KEY_COLUMNS
from tradewind.storage.interface.trigger_store import SealedKwargs
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_run, dag_version, orphan_trigger, task_instance, task_trigger
from tradewind.storage.trigger_rows import reseal_in, sealed_in, to_claimed
from tradewind.storage.types import AnyRow, AnySelect

_MOST_AT_ONCE: Final = 1_000
_COLUMNS = orphan_trigger.c
_OF_KEYS = one_of(_COLUMNS.trigger_key, "keys")
_OF_JOB = _COLUMNS.triggerer == sa.bindparam("job")
_IS_FREE = _COLUMNS.triggerer.is_(None)
_FROM = {
    "dag_id": task_instance.c.dag_id,
    "try_number": task_instance.c.try_number,
    "run_id": dag_run.c.run_id,
    "bundle_version": dag_run.c.bundle_version,
    "bundle_name": dag_version.c.bundle_name,
    "path": dag_version.c.path,
}
_NAMES = [column.name for column in orphan_trigger.c]
# Nobody ever had the others, nor knows what they wait for, so there is nothing to end.
_HAS_SOMETHING_TO_END = sa.or_(task_trigger.c.is_prepared.is_(sa.true()), task_trigger.c.claimed_at.is_not(None))
_LEAVING = (
    sa.select(*(_FROM[name] if name in _FROM else task_trigger.c[name] for name in _NAMES))
    .join(
        task_instance,
        sa.and_(
            task_instance.c.run_key == task_trigger.c.run_key,
            task_instance.c.task_id == task_trigger.c.task_id,
            task_instance.c.map_index == task_trigger.c.map_index,
        ),
    )
    .join(dag_run, dag_run.c.run_key == task_trigger.c.run_key)
    .outerjoin(dag_version, dag_version.c.version_key == dag_run.c.version_key)
    .where(_HAS_SOMETHING_TO_END)
)
_OF_RUN = _LEAVING.where(task_trigger.c.run_key == sa.bindparam("run_key"))
_OF_DAG = _LEAVING.where(dag_run.c.dag_id == sa.bindparam("dag_id"))
_OF_JOB_OR_FREE = (
    sa.select(orphan_trigger)
    .where(sa.or_(_OF_JOB, _IS_FREE))
    .order_by(_COLUMNS.trigger_key)
    .limit(sa.bindparam("limit"))
)
_HELD = sa.select(_COLUMNS.trigger_key).where(_OF_JOB)
_LOCK_FREE = sa.select(_COLUMNS.trigger_key).where(_OF_KEYS, _IS_FREE).with_for_update(skip_locked=True)
_CLAIM = sa.update(orphan_trigger).where(_OF_KEYS, _IS_FREE).values(triggerer=sa.bindparam("job"))
_DELETE = sa.delete(orphan_trigger).where(_OF_KEYS)
_RELEASE = sa.update(orphan_trigger).where(_OF_JOB).values(triggerer=None)
_RELEASE_SOME = _RELEASE.where(_OF_KEYS)
_RELEASE_OTHERS = (
    sa.update(orphan_trigger)
    .where(_COLUMNS.triggerer.is_not(None), sa.not_(one_of(_COLUMNS.triggerer, "jobs")))
    .values(triggerer=None)
)


@cache
def _of_tasks(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, KEY_COLUMNS)
    names = ("run_key", "task_id", "map_index")
    return _LEAVING.join(batch, sa.and_(*(task_trigger.c[name] == batch.c[name] for name in names)))


class OrphanTriggers:
    """Implements `interface.trigger_store.OrphanTriggerStore`."""

    def __init__(self, connection: sa.Connection, tell: Callable[[], None]) -> None:
        """`tell` has the commit wake the triggerers."""
        self._connection = connection
        self._dialect = connection.dialect.name
        self._tell = tell

    def outlive_run(self, run_key: RunKey) -> None:
        self._keep(self._connection.execute(_OF_RUN, {"run_key": run_key}).all())

    def outlive_dag(self, dag_id: str) -> None:
        self._keep(self._connection.execute(_OF_DAG, {"dag_id": dag_id}).all())

    def outlive_tasks(self, keys: Sequence[TaskKey]) -> None:
        if keys:
            parameters = batch_parameters(self._dialect, KEY_COLUMNS, keys)
            self._keep(self._connection.execute(_of_tasks(self._dialect), parameters).all())

    def held_and_free(
        self, job: JobKey, queues: Collection[str] | None = None
    ) -> tuple[set[TriggerKey], list[ClaimedTrigger]]:
        found = self._connection.execute(_OF_JOB_OR_FREE, {"job": job, "limit": _MOST_AT_ONCE}).all()
        free = [row for row in found if row.triggerer is None and _is_of(row.queue, queues)]
        held = {TriggerKey(row.trigger_key) for row in found if row.triggerer is not None}
        if not free:
            return held, []
        ours = set(self._connection.execute(_LOCK_FREE, {"keys": sorted(row.trigger_key for row in free)}).scalars())
        self._connection.execute(_CLAIM, {"keys": sorted(ours), "job": job})
        return held, [to_claimed(row, is_called_off=True) for row in free if row.trigger_key in ours]

    def held(self, job: JobKey) -> set[TriggerKey]:
        return {TriggerKey(key) for key in self._connection.execute(_HELD, {"job": job}).scalars()}

    def delete(self, keys: Collection[TriggerKey]) -> None:
        if keys:
            self._connection.execute(_DELETE, {"keys": sorted(keys)})

    def release(self, job: JobKey, keys: Collection[TriggerKey] | None = None) -> None:
        if keys is None:
            released = self._connection.execute(_RELEASE, {"job": job}).rowcount
        elif keys:
            released = self._connection.execute(_RELEASE_SOME, {"job": job, "keys": sorted(keys)}).rowcount
        else:
            return
        if released:
            self._tell()

    def release_all_but(self, jobs: Collection[JobKey]) -> None:
        if self._connection.execute(_RELEASE_OTHERS, {"jobs": sorted(jobs)}).rowcount:
            self._tell()

    def sealed(self) -> list[SealedKwargs]:
        return sealed_in(self._connection, orphan_trigger)

    def reseal(self, kwargs: Sequence[SealedKwargs]) -> None:
        reseal_in(self._connection, orphan_trigger, kwargs)

    def _keep(self, found: Sequence[AnyRow]) -> None:
        if found:
            self._connection.execute(sa.insert(orphan_trigger), [dict(zip(_NAMES, row, strict=True)) for row in found])
            self._tell()


def _is_of(queue: str | None, queues: Collection[str] | None) -> bool:
    return queue is None if queues is None else queue in queues
