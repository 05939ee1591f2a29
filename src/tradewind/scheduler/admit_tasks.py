"""Duty: give slots to waiting tasks, and hand them to their executors.

Only the pools that the candidates need are locked, in order of their names, so two schedulers serve different pools
at the same time and never the same one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tradewind.decide.admission import Capacity, HoldReason, PoolQueue, admit, can_never_fit, free_slots
from tradewind.model.ids import AttemptKey
from tradewind.model.pool import UNLIMITED_SLOTS, Pool
from tradewind.model.states import TaskState
from tradewind.model.task import Candidate, WorkItem
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import MOST_SLOTS, SlotsInUse, Transaction
from tradewind.telemetry.events import TaskCannotFit, TasksMoved
from tradewind.telemetry.measurements import PoolsContended

_TURNS_BETWEEN_NOTES = 64
"""How far a pool's served turn may run ahead of what is stored. Others see it late by so much; nobody loses by it."""
_MOST_PASSES_IN_CONTENTION = 50
"""Enough for any admission that is under way; a scheduler that was frozen in the middle of one is not waited for."""
_UNLIMITED_BATCH = 10_000
_OWN_LIMITS = frozenset({HoldReason.EXECUTOR_FULL, HoldReason.EXECUTOR_MISSING, HoldReason.MAX_ACTIVE_PER_DAG})
_STARVING = frozenset({HoldReason.PARALLELISM, HoldReason.EXECUTOR_FULL})


@dataclass(slots=True)
class Admitted:
    """What a pass of admission did."""

    work: list[WorkItem] = field(default_factory=list)
    served: dict[str, int] = field(default_factory=dict)
    """Pools that were looked at, with the last turn served."""
    starved: set[str] = field(default_factory=set)
    unfinished: set[str] = field(default_factory=set)
    """Pools in which more could go at once: the batch was full."""
    contended: set[str] = field(default_factory=set)
    """Pools that another scheduler had locked."""


@dataclass(slots=True)
class Exclusions:
    """What need not be looked at again in this pass, because it is at a limit of its own."""

    default_executor: str
    executors: set[str | None] = field(default_factory=set)
    tasks: set[tuple[str, str]] = field(default_factory=set)

    def add(self, held: Sequence[tuple[Candidate, HoldReason]]) -> None:
        """Take note of why tasks were held back."""
        for task, reason in held:
            if reason in (HoldReason.EXECUTOR_FULL, HoldReason.EXECUTOR_MISSING):
                self.executors.add(task.executor)
                if task.executor in (None, self.default_executor):
                    self.executors |= {None, self.default_executor}
            elif reason is HoldReason.MAX_ACTIVE_PER_DAG:
                self.tasks.add((task.dag_id, task.task_id))


def admit_tasks(state: SchedulerState) -> int:
    """Serve the pools in `pools_to_serve`. Returns how many tasks got slots."""
    if not state.pools_to_serve:
        return 0
    executors = {executor.name: executor.free_slots() for executor in state.executors}
    now = state.clock.now()
    chosen = sorted(state.pools_to_serve)
    if not any(free > 0 for free in executors.values()):
        state.pools_starved |= state.pools_to_serve
        return 0
    admitted = state.store.transact(lambda tx: _admit(tx, state, chosen, executors, now))
    for pool, turn in admitted.served.items():
        state.turns.served(pool, turn)
    state.pools_to_serve = admitted.unfinished | admitted.contended
    state.pools_starved -= set(admitted.served)
    state.pools_starved |= admitted.starved
    state.pool_rotation += 1
    submit(state, admitted.work)
    if admitted.work or not admitted.contended:
        state.passes_in_contention = 0
        return len(admitted.work)
    # Another scheduler is serving the pool this very moment: come back at once, unless it takes suspiciously long.
    state.passes_in_contention += 1
    if state.hub.measures:
        state.hub.emit(PoolsContended())
    return int(state.passes_in_contention <= _MOST_PASSES_IN_CONTENTION)


def submit(state: SchedulerState, work: Sequence[WorkItem]) -> None:
    """Hand work to the executors it is for."""
    for executor in state.executors:
        own = [item for item in work if state.executor(item.executor) is executor]
        if own:
            executor.submit(own)


def find_waiting(state: SchedulerState) -> None:
    """The polling net: all pools that tasks wait for. Tells of tasks that can never get what they wait for."""

    def work(tx: Transaction) -> dict[str, int]:
        waited_for = tx.queue.pools_waited_for()
        pools = {pool.name: pool for pool in tx.pools.all()}
        for name in waited_for:
            _report_misfits(tx, name, pools.get(name))
        return {name: pools[name].served_turn for name in waited_for if name in pools}

    found = state.store.transact(work)
    for name, turn in found.items():
        state.turns.served(name, turn)
    state.pools_to_serve.update(found)


def _report_misfits(tx: Transaction, name: str, pool: Pool | None) -> None:
    if pool is not None and pool.slots == UNLIMITED_SLOTS:
        return
    for task in tx.queue.waiting(name, 1, least_slots=0 if pool is None else pool.slots + 1):
        reason = can_never_fit(pool, task.pool_slots)
        if reason is not None:
            tx.emit(TaskCannotFit(task.dag_id, task.key, name, reason))


def _admit(
    tx: Transaction, state: SchedulerState, names: Sequence[str], executor_slots: dict[str, int], now: datetime
) -> Admitted:
    pools = tx.pools.lock(names, skip_locked=True)
    admitted = Admitted(served={pool.name: pool.served_turn for pool in pools})
    if len(pools) < len(names):
        existing = {pool.name for pool in tx.pools.all()}
        admitted.contended = (set(names) & existing) - set(admitted.served)
    if pools:
        _serve(tx, state, pools, executor_slots, admitted, now)
    for pool in pools:
        if admitted.served[pool.name] >= pool.served_turn + _TURNS_BETWEEN_NOTES:
            tx.pools.served(pool.name, admitted.served[pool.name])
    return admitted


def _serve(
    tx: Transaction,
    state: SchedulerState,
    pools: Sequence[Pool],
    executor_slots: dict[str, int],
    admitted: Admitted,
    now: datetime,
) -> None:
    batch = state.settings.max_tis_per_query or _UNLIMITED_BATCH
    in_use, head = _look(tx, state, pools, batch)
    room = state.core.parallelism - in_use.held
    limit = min(room, batch)
    capacity = Capacity(limit, dict(executor_slots), state.executors[0].name)
    exclusions = Exclusions(capacity.default_executor)
    serving = _rotated(pools, state.pool_rotation)
    while serving:
        queues = [_queue(tx, pool, in_use.of(pool), max(limit, 1), exclusions, head) for pool in serving]
        head = None
        capacity.active_by_task = _active_instances(tx, queues)
        admission = admit(queues, capacity)
        _write(tx, state, admitted, admission.admitted, now)
        exclusions.add(admission.held)
        admitted.starved |= {task.pool for task, reason in admission.held if reason in _STARVING}
        # Look behind those that a limit of their own held back, where they filled all that was looked at.
        behind = {task.pool for task, reason in admission.held if reason in _OWN_LIMITS}
        full_pages = {queue.pool for queue in queues if len(queue.candidates) >= limit}
        serving = [pool for pool in serving if pool.name in behind & full_pages and capacity.parallelism > 0]
        if serving:
            in_use = tx.queue.slots_in_use(state.job)
    if len(admitted.work) == limit < room:
        admitted.unfinished = set(admitted.served)


def _look(
    tx: Transaction, state: SchedulerState, pools: Sequence[Pool], batch: int
) -> tuple[SlotsInUse, Sequence[Candidate] | None]:
    """What is in use, and with it the head of the queue, where it is a single pool's, as it mostly is.

    By a statement of its own, after the lock: one that locks sees what was before the lock.
    """
    if len(pools) > 1:
        return tx.queue.slots_in_use(state.job), None
    (pool,) = pools
    most = max(1, min(state.core.parallelism, batch))
    return tx.queue.survey(state.job, pool.name, most, most_slots=_most_slots(pool))


def _most_slots(pool: Pool) -> int:
    return MOST_SLOTS if pool.slots == UNLIMITED_SLOTS else pool.slots


def _queue(
    tx: Transaction, pool: Pool, in_use: int, limit: int, exclusions: Exclusions, head: Sequence[Candidate] | None
) -> PoolQueue:
    """`head`: the first of them, at least as many as `limit` if there are so many, where that was asked before."""
    free = free_slots(pool, in_use)
    if free == 0:
        return PoolQueue(pool.name, (), free)
    if head is not None:
        return PoolQueue(pool.name, head[:limit], free)
    waiting = tx.queue.waiting(
        pool.name,
        limit,
        most_slots=_most_slots(pool),
        full_executors=exclusions.executors,
        full_tasks=exclusions.tasks,
    )
    return PoolQueue(pool.name, waiting, free)


def _write(
    tx: Transaction, state: SchedulerState, admitted: Admitted, chosen: Sequence[Candidate], now: datetime
) -> None:
    done = tx.queue.admit(chosen, state.job, now)
    for task in chosen:
        if task.key in done:
            admitted.work.append(_work_item(task))
            admitted.served[task.pool] = max(admitted.served[task.pool], task.queue_turn)
    if done:
        tx.emit(TasksMoved(TaskState.QUEUED, tuple(done)))


def _work_item(task: Candidate) -> WorkItem:
    attempt = AttemptKey(task.run_key, task.task_id, task.map_index, task.attempt + 1)
    return WorkItem(attempt, task.dag_id, task.queue, task.try_number, task.priority_weight, task.executor)


def _rotated(pools: Sequence[Pool], rotation: int) -> list[Pool]:
    start = rotation % len(pools)
    return [*pools[start:], *pools[:start]]


def _active_instances(tx: Transaction, queues: Sequence[PoolQueue]) -> dict[tuple[str, str], int]:
    """For candidates with `max_active_tis_per_dag`: counted under the lock of their DAGs, so that no scheduler that
    serves another pool counts the same at the same time."""
    limited = {
        (task.dag_id, task.task_id)
        for queue in queues
        for task in queue.candidates
        if task.max_active_per_dag is not None
    }
    if not limited:
        return {}
    tx.dags.lock(sorted({dag_id for dag_id, _ in limited}))
    return {key: tx.queue.count_active(*key) for key in limited}
