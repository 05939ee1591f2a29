"""What waiting tasks wait for, and which triggerer runs it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, cached_property

import sqlalchemy as sa

from tradewind.model.ids import JobKey, RunKey, TaskKey, TriggerKey, VersionKey
from tradewind.model.states import TaskState
from tradewind.model.trigger import ClaimedTrigger, NewTrigger
from tradewind.model.trouble import Trouble
from tradewind.storage.batch import batch_parameters, batch_table
from tradewind.storage.guarded import KEY_COLUMNS
from tradewind.storage.interface.trigger_store import PreparedTrigger, SealedKwargs, TriggerRecord, UnknownTrigger
from tradewind.storage.one_of import one_of
from tradewind.storage.orphan_triggers import OrphanTriggers
from tradewind.storage.schema import dag_run, dag_version, task_instance, task_trigger
from tradewind.storage.trigger_rows import reseal_in, sealed_in, to_claimed
from tradewind.storage.troubles import note_trouble, trouble_rows
from tradewind.storage.types import AnyRow, AnySelect, Instant

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

# A person called it off, and what it waits for was not ended yet. What nobody ever had and nobody knows waits for
# nothing; what somebody had may be known to its DAG alone.
_IS_TO_BE_ENDED = sa.and_(
    _COLUMNS.is_killed.is_(sa.true()),
    sa.or_(_COLUMNS.is_prepared.is_(sa.true()), _COLUMNS.claimed_at.is_not(None)),
)


def _free(*, has_queue: bool) -> AnySelect:
    is_ours = one_of(_COLUMNS.queue, "queues") if has_queue else _COLUMNS.queue.is_(None)
    return (
        sa.select(
            task_trigger,
            task_instance.c.dag_id,
            task_instance.c.try_number,
            task_instance.c.queue.label("task_queue"),
            task_instance.c.started_at,
            task_instance.c.hostname,
            dag_run.c.run_id,
            dag_run.c.bundle_version,
            dag_version.c.bundle_name,
            dag_version.c.path,
        )
        .join(task_instance, _IS_TASK)
        .join(dag_run, dag_run.c.run_key == _COLUMNS.run_key)
        .outerjoin(dag_version, dag_version.c.version_key == dag_run.c.version_key)
        .where(_IS_FREE, is_ours, sa.or_(_IS_WANTED, _IS_TO_BE_ENDED))
        .order_by(task_instance.c.priority_weight.desc(), _COLUMNS.trigger_key)
        .limit(sa.bindparam("limit"))
    )


_FREE = _free(has_queue=False)
_FREE_OF_QUEUES = _free(has_queue=True)
# Of triggers alone: who claims must not wait for a scheduler that has locked a run, nor keep one waiting. And found by
# their keys, for MariaDB locks whatever it looks at on the way: by the other index, all that are free.
_STILL_FREE = sa.and_(_OF_KEYS, sa.case((_IS_FREE, 1), else_=0) == 1)
_LOCK_FREE = sa.select(_COLUMNS.trigger_key).where(_STILL_FREE).with_for_update(skip_locked=True)
_CLAIM = (
    sa.update(task_trigger)
    .where(_STILL_FREE)
    .values(triggerer=sa.bindparam("job"), claimed_at=sa.bindparam("now", type_=Instant()))
)
_CALLED_OFF = sa.select(_COLUMNS.trigger_key, _COLUMNS.is_killed).where(_OF_JOB, _COLUMNS.is_called_off.is_(sa.true()))
_WANTED = sa.select(_COLUMNS.trigger_key).join(task_instance, _IS_TASK).where(_OF_JOB, _IS_WANTED)
_UNWANTED = (
    sa.select(_COLUMNS.trigger_key)
    .join(task_instance, _IS_TASK)
    .where(
        sa.or_(
            sa.and_(_IS_FREE, sa.not_(_IS_TO_BE_ENDED)),
            sa.and_(_OF_JOB, _COLUMNS.is_called_off.is_(sa.false())),
        ),
        sa.not_(_IS_WANTED),
    )
)
_NOTE_TROUBLE = note_trouble(task_trigger, _COLUMNS.trigger_key)
_DELETE = sa.delete(task_trigger).where(_OF_KEYS)
_DELETE_OF_JOB = _DELETE.where(_OF_JOB)
_RELEASE = sa.update(task_trigger).where(_OF_JOB).values(triggerer=None)
_RELEASE_SOME = _RELEASE.where(_OF_KEYS)
_RELEASE_OTHERS = (
    sa.update(task_trigger)
    .where(_COLUMNS.triggerer.is_not(None), sa.not_(one_of(_COLUMNS.triggerer, "jobs")))
    .values(triggerer=None)
)
# Found by their keys, as those that are still free.
_HELD = sa.select(_COLUMNS.trigger_key).where(_OF_KEYS, sa.case((_OF_JOB, 1), else_=0) == 1)
_LOCK_HELD = _HELD.order_by(_COLUMNS.trigger_key).with_for_update()
_PREPARE = (
    sa.update(task_trigger)
    .where(_COLUMNS.trigger_key == sa.bindparam("of"))
    .values(
        class_path=sa.bindparam("path"),
        kwargs=sa.bindparam("sealed"),
        is_encrypted=sa.bindparam("encrypted"),
        is_prepared=sa.true(),
    )
)

_UNKNOWN_OF_DAG = (
    sa.select(_COLUMNS.trigger_key, _COLUMNS.task_id, dag_run.c.version_key)
    .join(dag_run, dag_run.c.run_key == _COLUMNS.run_key)
    .where(
        dag_run.c.dag_id == sa.bindparam("dag_id"),
        _COLUMNS.is_prepared.is_(sa.false()),
        _COLUMNS.claimed_at.is_not(None),
    )
    .order_by(_COLUMNS.trigger_key)
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

    @cached_property
    def orphans(self) -> OrphanTriggers:
        return OrphanTriggers(self._connection, self.tell)

    def add(self, triggers: Sequence[NewTrigger]) -> None:
        rows = [
            {
                **each.attempt._asdict(),
                "class_path": each.class_path,
                "kwargs": each.kwargs,
                "is_encrypted": each.is_encrypted,
                "is_prepared": each.is_prepared,
                "queue": each.queue,
                "is_called_off": False,
                "is_killed": False,
                "created_at": each.created_at,
                "blocks": 0,
                "is_quarantined": False,
            }
            for each in sorted(triggers, key=lambda each: each.attempt)
        ]
        if rows:
            self._connection.execute(sa.insert(task_trigger), rows)
            self.tell()

    def claim(
        self, job: JobKey, limit: int, now: datetime, queues: Collection[str] | None = None
    ) -> list[ClaimedTrigger]:
        statement = _FREE if queues is None else _FREE_OF_QUEUES
        found = self._connection.execute(statement, {"limit": limit, "queues": list(queues or ())}).all()
        if not found:
            return []
        keys = {"keys": [row.trigger_key for row in found]}
        ours = set(self._connection.execute(_LOCK_FREE, keys).scalars())
        self._connection.execute(_CLAIM, {"keys": sorted(ours), "job": job, "now": now})
        return [
            replace(
                to_claimed(row, is_called_off=row.is_killed),
                blocks=row.blocks,
                is_quarantined=row.is_quarantined,
                task_queue=row.task_queue,
                started_at=row.started_at,
                hostname=row.hostname,
            )
            for row in found
            if row.trigger_key in ours
        ]

    def called_off(self, job: JobKey) -> dict[TriggerKey, bool]:
        return {TriggerKey(key): is_killed for key, is_killed in self._connection.execute(_CALLED_OFF, {"job": job})}

    def wanted(self, job: JobKey) -> set[TriggerKey]:
        return {TriggerKey(key) for key in self._connection.execute(_WANTED, {"job": job}).scalars()}

    def call_off(self, tasks: Collection[TaskKey], *, kills: bool) -> None:
        found = self._of_tasks(tasks)
        if not kills:
            self.delete([TriggerKey(row.trigger_key) for row in found if row.triggerer is None])
        keys = [row.trigger_key for row in found if kills or row.triggerer is not None]
        if keys:
            values = {"is_called_off": True} | ({"is_killed": True} if kills else {})
            self._connection.execute(sa.update(task_trigger).where(_OF_KEYS).values(values), {"keys": keys})
            self.tell()

    def delete(self, keys: Collection[TriggerKey], job: JobKey | None = None) -> None:
        if keys:
            self._connection.execute(_DELETE if job is None else _DELETE_OF_JOB, {"keys": sorted(keys), "job": job})

    def delete_unwanted(self, job: JobKey) -> int:
        keys = [TriggerKey(key) for key in self._connection.execute(_UNWANTED, {"job": job}).scalars()]
        self.delete(keys)
        return len(keys)

    def note_troubles(self, troubles: Mapping[TriggerKey, Trouble], job: JobKey) -> None:
        rows = trouble_rows(troubles, job)
        if rows:
            self._connection.execute(_NOTE_TROUBLE, rows)

    def release(self, job: JobKey, keys: Collection[TriggerKey] | None = None) -> None:
        if keys is None:
            released = self._connection.execute(_RELEASE, {"job": job}).rowcount
        elif keys:
            released = self._connection.execute(_RELEASE_SOME, {"job": job, "keys": sorted(keys)}).rowcount
        else:
            return
        if released:
            self.tell()

    def release_all_but(self, jobs: Collection[JobKey]) -> int:
        released = self._connection.execute(_RELEASE_OTHERS, {"jobs": sorted(jobs)}).rowcount
        if released:
            self.tell()
        return released

    def of_tasks(self, tasks: Collection[TaskKey]) -> dict[TaskKey, TriggerRecord]:
        return {
            TaskKey(RunKey(row.run_key), row.task_id, row.map_index): TriggerRecord(
                TriggerKey(row.trigger_key), row.class_path, row.queue, row.triggerer, row.created_at
            )
            for row in self._of_tasks(tasks)
        }

    def sealed(self) -> list[SealedKwargs]:
        return sealed_in(self._connection, task_trigger)

    def reseal(self, kwargs: Sequence[SealedKwargs]) -> None:
        reseal_in(self._connection, task_trigger, kwargs)

    def held(self, keys: Collection[TriggerKey], job: JobKey, *, locks: bool = False) -> set[TriggerKey]:
        if not keys:
            return set()
        found = self._connection.execute(_LOCK_HELD if locks else _HELD, {"keys": sorted(keys), "job": job})
        return {TriggerKey(key) for key in found.scalars()}

    def prepare(self, triggers: Sequence[PreparedTrigger]) -> None:
        rows = [
            {"of": each.key, "path": each.class_path, "sealed": each.kwargs, "encrypted": each.is_encrypted}
            for each in triggers
        ]
        if rows:
            self._connection.execute(_PREPARE, rows)

    def unknown_of_dag(self, dag_id: str) -> list[UnknownTrigger]:
        found = self._connection.execute(_UNKNOWN_OF_DAG, {"dag_id": dag_id})
        return [UnknownTrigger(TriggerKey(row[0]), row[1], VersionKey(row[2])) for row in found]

    def _of_tasks(self, tasks: Collection[TaskKey]) -> Sequence[AnyRow]:
        if not tasks:
            return ()
        parameters = batch_parameters(self._dialect, KEY_COLUMNS, sorted(tasks))
        return self._connection.execute(_of_tasks(self._dialect), parameters).all()

    def tell(self) -> None:
        """Wake the triggerers with the commit."""
        if self._channel is not None and not self.has_news:
            self._connection.execute(_NOTIFY, {"channel": self._channel})
        self.has_news = True
