"""Which waiting tasks get slots.

Strict by priority: the most urgent head of the pools' queues goes first, and where it needs more slots than its pool
has free, nobody behind it in that pool overtakes, so that the slots it needs come free at last. Only a limit that
does not concern the others (its own executor is full, its own task has all the instances it may have) lets the next
one pass. Between pools whose heads are equally urgent, the one that got least in this round goes first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tradewind.model.pool import UNLIMITED_SLOTS, Pool
from tradewind.model.task import Candidate


class HoldReason(StrEnum):
    """Why a waiting task gets no slots now."""

    POOL_MISSING = "its pool does not exist"
    POOL_TOO_SMALL = "it needs more slots than its pool has in all"
    POOL_FULL = "its pool has too few free slots"
    PARALLELISM = "the scheduler has handed out as many tasks as [core] parallelism allows"
    EXECUTOR_FULL = "its executor has no free slot"
    EXECUTOR_MISSING = "the scheduler has no executor of that name"
    MAX_ACTIVE_PER_DAG = "as many instances of this task run, over all runs, as max_active_tis_per_dag allows"


@dataclass(slots=True)
class PoolQueue:
    """The head of one pool's queue, in order, and what the pool has free. `admit` uses it up."""

    pool: str
    candidates: Sequence[Candidate]
    free: int | None
    """None: without limit."""
    position: int = 0
    admitted: int = 0

    @property
    def head(self) -> Candidate | None:
        """Whose turn it is."""
        return self.candidates[self.position] if self.position < len(self.candidates) else None


@dataclass(slots=True)
class Capacity:
    """What all pools share. `admit` uses it up."""

    parallelism: int
    executors: dict[str, int]
    """Free slots by executor."""
    default_executor: str
    active_by_task: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """For tasks with `max_active_tis_per_dag`: how many instances hold slots, by (dag_id, task_id)."""

    def executor_of(self, task: Candidate) -> str:
        """The executor that the task is for."""
        return task.executor or self.default_executor


@dataclass(slots=True)
class Admission:
    """Who goes, and who was held back and why."""

    admitted: list[Candidate] = field(default_factory=list)
    held: list[tuple[Candidate, HoldReason]] = field(default_factory=list)


def free_slots(pool: Pool, occupied: int) -> int | None:
    """Free slots of a pool; None: without limit. Never negative: a pool may have been made smaller."""
    return None if pool.slots == UNLIMITED_SLOTS else max(0, pool.slots - occupied)


def can_never_fit(pool: Pool | None, pool_slots: int) -> HoldReason | None:
    """Why a task can never get slots in this pool as it is, if so."""
    if pool is None:
        return HoldReason.POOL_MISSING
    if pool.slots != UNLIMITED_SLOTS and pool_slots > pool.slots:
        return HoldReason.POOL_TOO_SMALL
    return None


def admit(queues: Sequence[PoolQueue], capacity: Capacity) -> Admission:
    """Hand out what the pools and `capacity` have left."""
    admission = Admission()
    active = dict(capacity.active_by_task)
    open_queues = list(queues)
    while open_queues:
        queue = _next_queue(open_queues)
        task = queue.head
        if task is None:
            open_queues.remove(queue)
            continue
        key = (task.dag_id, task.task_id)
        reason = hold_reason(task, queue.free, capacity, active.get(key, 0))
        if reason is None:
            _take(queue, capacity, task)
            active[key] = active.get(key, 0) + 1
            admission.admitted.append(task)
        elif reason is HoldReason.PARALLELISM:
            # It concerns all, and each pool must know that something in it waits for nothing else.
            heads = (each.head for each in open_queues)
            admission.held.extend((head, reason) for head in heads if head is not None)
            break
        else:
            admission.held.append((task, reason))
            if reason is HoldReason.POOL_FULL:
                open_queues.remove(queue)
        queue.position += 1
    return admission


def hold_reason(task: Candidate, pool_free: int | None, capacity: Capacity, active: int) -> HoldReason | None:
    """Why this task, were it the head of the queue, would get no slots; None if it would.

    `active` is the number of instances of the task that hold slots.
    """
    if capacity.parallelism <= 0:
        return HoldReason.PARALLELISM
    if task.max_active_per_dag is not None and active >= task.max_active_per_dag:
        return HoldReason.MAX_ACTIVE_PER_DAG
    executor_free = capacity.executors.get(capacity.executor_of(task))
    if executor_free is None:
        return HoldReason.EXECUTOR_MISSING
    if executor_free <= 0:
        return HoldReason.EXECUTOR_FULL
    if pool_free is not None and task.pool_slots > pool_free:
        return HoldReason.POOL_FULL
    return None


def starting(pool: Pool | None, occupied: int, first: Candidate | None, candidates: Sequence[Candidate]) -> int:
    """How many of these, in order, may begin with a trigger.

    They need no executor, and a slot only in a pool that counts deferred tasks; there, strictly by priority, they wait
    for whoever is more urgent: `first` is the head of those that wait for slots and a worker.
    """
    free = free_slots(pool, occupied) if pool is not None else None
    for number, task in enumerate(candidates):
        if start_hold_reason(pool, free, task) is not None:
            return number
        if pool is not None and pool.include_deferred and free is not None:
            if first is not None and first.priority_weight > task.priority_weight:
                return number
            free -= task.pool_slots
    return len(candidates)


def start_hold_reason(pool: Pool | None, free: int | None, task: Candidate) -> HoldReason | None:
    """Why a task that begins with a trigger, were it the next one, could not; None if it could."""
    never = can_never_fit(pool, task.pool_slots)
    if never is not None:
        return never
    if pool is not None and pool.include_deferred and free is not None and task.pool_slots > free:
        return HoldReason.POOL_FULL
    return None


def _next_queue(queues: Sequence[PoolQueue]) -> PoolQueue:
    if len(queues) == 1:
        return queues[0]
    return min(queues, key=_urgency)


def _urgency(queue: PoolQueue) -> tuple[bool, int, int]:
    head = queue.head
    return (head is None, 0 if head is None else -head.priority_weight, queue.admitted)


def _take(queue: PoolQueue, capacity: Capacity, task: Candidate) -> None:
    capacity.parallelism -= 1
    capacity.executors[capacity.executor_of(task)] -= 1
    queue.admitted += 1
    if queue.free is not None:
        queue.free -= task.pool_slots
