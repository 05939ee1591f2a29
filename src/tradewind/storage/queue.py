"""The queue that all schedulers share: scheduled task instances that wait for slots, and those that have them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from tradewind.model.ids import AttemptKey, JobKey, RunKey, TaskKey
from tradewind.model.states import OCCUPYING_STATES, HeldBy, TaskState
from tradewind.model.task import Candidate, TaskInstance, WorkItem
from tradewind.storage.batch import Kind
from tradewind.storage.guarded import ATTEMPT_COLUMNS, GuardedUpdate, same_attempt
from tradewind.storage.interface import MOST_SLOTS, SlotsInUse
from tradewind.storage.rows import INSTANCE_COLUMNS, to_instance
from tradewind.storage.schema import dag, state_in, task_instance, task_is_active, task_is_waiting
from tradewind.storage.types import Instant

_COLUMNS = task_instance.c
_CANDIDATE_COLUMNS = tuple(_COLUMNS[name] for name in Candidate._fields)

_OF_PAUSED_DAG = sa.exists().where(dag.c.dag_id == _COLUMNS.dag_id, dag.c.is_paused)

_ADMIT = GuardedUpdate(
    ATTEMPT_COLUMNS,
    lambda batch: sa.and_(same_attempt(batch), task_is_waiting),
    lambda batch: {
        "state": TaskState.QUEUED.value,
        "attempt": batch.c.attempt + 1,
        "queued_at": sa.bindparam("now", type_=Instant()),
        "queued_by": sa.bindparam("job", type_=sa.BigInteger()),
        "heartbeat_at": sa.null(),
        "hostname": sa.null(),
        "pid": sa.null(),
        "worker": sa.null(),
    },
)
_REQUEUE = GuardedUpdate(
    ATTEMPT_COLUMNS,
    lambda batch: sa.and_(same_attempt(batch), state_in(TaskState.QUEUED)),
    lambda _: {
        "state": TaskState.SCHEDULED.value,
        "queued_by": sa.null(),
        "requeues": _COLUMNS.requeues + 1,
        "held_by": sa.case((_OF_PAUSED_DAG, HeldBy.DAG_PAUSED.value), else_=sa.null()),
    },
)
_ADOPT = GuardedUpdate(
    (*ATTEMPT_COLUMNS, ("queued_by", Kind.INT)),
    lambda batch: sa.and_(same_attempt(batch), task_is_active, _COLUMNS.queued_by == batch.c.queued_by),
    lambda _: {"queued_by": sa.bindparam("job", type_=sa.BigInteger())},
)


_WAITING = (
    sa.select(*_CANDIDATE_COLUMNS)
    .where(
        task_is_waiting,
        _COLUMNS.pool == sa.bindparam("pool"),
        _COLUMNS.pool_slots.between(sa.bindparam("least_slots"), sa.bindparam("most_slots")),
    )
    .order_by(_COLUMNS.priority_weight.desc(), _COLUMNS.queue_turn, _COLUMNS.run_key, _COLUMNS.map_index)
    .limit(sa.bindparam("limit"))
)
_ACTIVE_SLOTS = sa.select(sa.func.coalesce(sa.func.sum(_COLUMNS.pool_slots), 0)).where(
    task_is_active, _COLUMNS.pool == sa.bindparam("pool")
)
_IS_OCCUPYING = state_in(*OCCUPYING_STATES)
# The index's own condition stays in: PostgreSQL would prove it from the second, SQLite would not.
_OCCUPIED_SLOTS = _ACTIVE_SLOTS.where(_IS_OCCUPYING)
_ACTIVE_OF_TASK = sa.select(sa.func.count()).where(
    task_is_active,
    _IS_OCCUPYING,
    _COLUMNS.dag_id == sa.bindparam("dag_id"),
    _COLUMNS.task_id == sa.bindparam("task_id"),
)


def _sum_where(condition: sa.ColumnElement[bool], of: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((condition, of), else_=sa.literal_column("0")))


# All that admission counts, in one look at the few active rows: each statement is a way to the server and back.
_IN_USE = (
    sa.select(
        _COLUMNS.pool,
        _sum_where(_IS_OCCUPYING, _COLUMNS.pool_slots),
        _sum_where(~_IS_OCCUPYING, _COLUMNS.pool_slots),
        _sum_where(sa.and_(_IS_OCCUPYING, _COLUMNS.queued_by == sa.bindparam("job")), sa.literal_column("1")),
    )
    .where(task_is_active)
    .group_by(_COLUMNS.pool)
)

# Both looks in one statement, for PostgreSQL: no row of one has anything to do with a row of the other.
_USED = _IN_USE.subquery("used")
_HEAD = _WAITING.subquery("head")
_SURVEY = (
    sa.select(*_USED.c, *_HEAD.c)
    .join_from(_USED, _HEAD, sa.false(), full=True)
    .order_by(_HEAD.c.priority_weight.desc(), _HEAD.c.queue_turn, _HEAD.c.run_key, _HEAD.c.map_index)
)

_SLOTS = sa.select(_COLUMNS.pool, _COLUMNS.state, sa.func.sum(_COLUMNS.pool_slots)).group_by(
    _COLUMNS.pool, _COLUMNS.state
)
_SLOTS_WAITING = _SLOTS.where(task_is_waiting)
_SLOTS_ACTIVE = _SLOTS.where(task_is_active)

_WAITED_FOR = sa.select(_COLUMNS.pool, sa.func.count()).where(task_is_waiting).group_by(_COLUMNS.pool)
_QUEUED_WORK = sa.select(*_CANDIDATE_COLUMNS).where(
    task_is_active, state_in(TaskState.QUEUED), _COLUMNS.queued_by == sa.bindparam("job")
)
_HELD_BY_DEAD = sa.select(*INSTANCE_COLUMNS).where(
    task_is_active, state_in(*OCCUPYING_STATES), _COLUMNS.queued_by.not_in(sa.bindparam("live", expanding=True))
)
_QUEUED_BEFORE = sa.select(*INSTANCE_COLUMNS).where(
    task_is_active, state_in(TaskState.QUEUED), _COLUMNS.queued_at < sa.bindparam("instant", type_=Instant())
)


class Queue:
    """Implements `interface.QueueStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def waiting(
        self,
        pool: str,
        limit: int,
        *,
        least_slots: int = 0,
        most_slots: int = MOST_SLOTS,
        full_executors: Collection[str | None] = (),
        full_tasks: Collection[tuple[str, str]] = (),
    ) -> list[Candidate]:
        statement = _WAITING
        parameters = {"pool": pool, "limit": limit, "least_slots": least_slots, "most_slots": most_slots}
        named = [name for name in full_executors if name is not None]
        if named:
            statement = statement.where(sa.or_(_COLUMNS.executor.is_(None), _COLUMNS.executor.not_in(named)))
        if None in full_executors:
            statement = statement.where(_COLUMNS.executor.is_not(None))
        for dag_id, task_id in full_tasks:
            statement = statement.where(~sa.and_(_COLUMNS.dag_id == dag_id, _COLUMNS.task_id == task_id))
        return [Candidate._make(row) for row in self._connection.execute(statement, parameters)]

    def pools_waited_for(self) -> dict[str, int]:
        return {row[0]: row[1] for row in self._connection.execute(_WAITED_FOR)}

    def slots_by_state(self) -> dict[tuple[str, TaskState], int]:
        found = [*self._connection.execute(_SLOTS_WAITING), *self._connection.execute(_SLOTS_ACTIVE)]
        return {(pool, TaskState(state)): int(slots) for pool, state, slots in map(tuple, found)}

    def count_ahead(self, key: TaskKey) -> int:
        own = self._connection.execute(
            sa.select(_COLUMNS.pool, _COLUMNS.priority_weight, _COLUMNS.queue_turn).where(
                task_is_waiting,
                _COLUMNS.run_key == key.run_key,
                _COLUMNS.task_id == key.task_id,
                _COLUMNS.map_index == key.map_index,
            )
        ).first()
        if own is None:
            return 0
        by_turn = sa.tuple_(_COLUMNS.queue_turn, _COLUMNS.run_key, _COLUMNS.map_index)
        is_before = sa.or_(
            _COLUMNS.priority_weight > own.priority_weight,
            sa.and_(
                _COLUMNS.priority_weight == own.priority_weight,
                by_turn < sa.tuple_(own.queue_turn, key.run_key, key.map_index),
            ),
        )
        statement = sa.select(sa.func.count()).where(task_is_waiting, _COLUMNS.pool == own.pool, is_before)
        return int(self._connection.execute(statement).scalar_one())

    def occupied_slots(self, pool: str, *, include_deferred: bool) -> int:
        statement = _ACTIVE_SLOTS if include_deferred else _OCCUPIED_SLOTS
        return int(self._connection.execute(statement, {"pool": pool}).scalar_one())

    def slots_in_use(self, job: JobKey) -> SlotsInUse:
        return _slots_in_use(self._connection.execute(_IN_USE, {"job": job}).all())

    def survey(
        self, job: JobKey, pool: str, limit: int, *, most_slots: int = MOST_SLOTS
    ) -> tuple[SlotsInUse, list[Candidate]]:
        if self._connection.dialect.name != "postgresql":
            return self.slots_in_use(job), self.waiting(pool, limit, most_slots=most_slots)
        parameters = {"job": job, "pool": pool, "limit": limit, "least_slots": 0, "most_slots": most_slots}
        rows = self._connection.execute(_SURVEY, parameters).all()
        width = len(_USED.c)
        in_use = _slots_in_use([row[:width] for row in rows if row[0] is not None])
        return in_use, [Candidate._make(row[width:]) for row in rows if row[width] is not None]

    def count_active(self, dag_id: str, task_id: str) -> int:
        return int(self._connection.execute(_ACTIVE_OF_TASK, {"dag_id": dag_id, "task_id": task_id}).scalar_one())

    def admit(self, candidates: Sequence[Candidate], job: JobKey, now: datetime) -> set[TaskKey]:
        rows = [(task.run_key, task.task_id, task.map_index, task.attempt) for task in candidates]
        return _ADMIT(self._connection, rows, {"now": now, "job": job})

    def requeue(self, attempts: Sequence[AttemptKey]) -> set[TaskKey]:
        return _REQUEUE(self._connection, attempts)

    def adopt(self, attempts: Sequence[tuple[AttemptKey, JobKey]], job: JobKey) -> set[TaskKey]:
        return _ADOPT(self._connection, [(*attempt, former) for attempt, former in attempts], {"job": job})

    def queued_work(self, job: JobKey) -> list[WorkItem]:
        found = self._connection.execute(_QUEUED_WORK, {"job": job})
        return [to_work_item(Candidate._make(row)) for row in found]

    def held_by_dead(self, live: Collection[JobKey]) -> list[TaskInstance]:
        return [to_instance(row) for row in self._connection.execute(_HELD_BY_DEAD, {"live": list(live)})]

    def queued_before(self, instant: datetime) -> list[TaskInstance]:
        return [to_instance(row) for row in self._connection.execute(_QUEUED_BEFORE, {"instant": instant})]


def _slots_in_use(rows: Sequence[Sequence[Any]]) -> SlotsInUse:
    held = sum(int(row[3]) for row in rows)
    return SlotsInUse(held, {row[0]: (int(row[1]), int(row[2])) for row in rows})


def to_work_item(candidate: Candidate) -> WorkItem:
    """What the executor is told about an admitted candidate, whose `attempt` must be the new one."""
    return WorkItem(
        AttemptKey(RunKey(candidate.run_key), candidate.task_id, candidate.map_index, candidate.attempt),
        candidate.dag_id,
        candidate.queue,
        candidate.try_number,
        candidate.priority_weight,
        candidate.executor,
    )
