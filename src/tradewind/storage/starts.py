"""Tasks that begin with a trigger, without a worker."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

import sqlalchemy as sa

from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.states import TaskState
from tradewind.model.task import Candidate, TaskInstance
from tradewind.storage.batch import Kind, batch_parameters, batch_table
from tradewind.storage.guarded import ATTEMPT_COLUMNS, GuardedUpdate, same_attempt
from tradewind.storage.interface.start_store import TriggerStart
from tradewind.storage.rows import INSTANCE_COLUMNS, to_instance
from tradewind.storage.schema import dag, state_in, task_instance, task_is_starting
from tradewind.storage.types import AnySelect, Instant

_COLUMNS = task_instance.c
_NOW = sa.bindparam("now", type_=Instant())
_POOLS = sa.select(_COLUMNS.pool).where(task_is_starting).distinct()
_READY = (
    sa.select(*(_COLUMNS[name] for name in Candidate._fields))
    .where(
        task_is_starting,
        _COLUMNS.pool == sa.bindparam("pool"),
        _COLUMNS.pool_slots <= sa.bindparam("most_slots"),
        ~sa.exists().where(dag.c.dag_id == _COLUMNS.dag_id, dag.c.is_paused),
    )
    .order_by(_COLUMNS.priority_weight.desc(), _COLUMNS.queue_turn, _COLUMNS.run_key, _COLUMNS.map_index)
    .limit(sa.bindparam("limit"))
)
_BEGIN = GuardedUpdate(
    (*ATTEMPT_COLUMNS, ("wake_at", Kind.INSTANT)),
    lambda batch: sa.and_(same_attempt(batch), task_is_starting),
    lambda batch: {
        "state": TaskState.DEFERRED.value,
        "attempt": batch.c.attempt + 1,
        "started_at": _NOW,
        "wake_at": batch.c.wake_at,
        **dict.fromkeys(("held_by", "queued_at", "queued_by", "heartbeat_at", "hostname", "pid", "worker"), sa.null()),
    },
)
_LIMIT = GuardedUpdate(
    (*ATTEMPT_COLUMNS, ("wake_at", Kind.INSTANT)),
    lambda batch: sa.and_(same_attempt(batch), state_in(TaskState.DEFERRED)),
    lambda batch: {"wake_at": batch.c.wake_at},
)


@cache
def _instances(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, ATTEMPT_COLUMNS)
    return sa.select(*INSTANCE_COLUMNS).join(batch, same_attempt(batch))


class Starts:
    """Implements `interface.start_store.StartStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def pools(self) -> set[str]:
        return set(self._connection.execute(_POOLS).scalars())

    def ready(self, pool: str, limit: int, most_slots: int) -> list[Candidate]:
        parameters = {"pool": pool, "limit": limit, "most_slots": most_slots}
        return [Candidate._make(row) for row in self._connection.execute(_READY, parameters)]

    def begin(self, starts: Sequence[TriggerStart], now: datetime) -> set[TaskKey]:
        return _BEGIN(self._connection, [(*start.attempt, start.times_out_at) for start in starts], {"now": now})

    def read(self, attempts: Sequence[AttemptKey]) -> list[TaskInstance]:
        if not attempts:
            return []
        dialect = self._connection.dialect.name
        found = self._connection.execute(
            _instances(dialect), batch_parameters(dialect, ATTEMPT_COLUMNS, sorted(attempts))
        )
        return [to_instance(row) for row in found]

    def limit(self, ends: Sequence[tuple[AttemptKey, datetime | None]]) -> set[TaskKey]:
        return _LIMIT(self._connection, [(*attempt, at) for attempt, at in ends])
