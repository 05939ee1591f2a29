"""Which waiting tasks get slots.

Strict by priority: the head of a pool's queue goes first, and where it needs more slots than are free, nobody behind
it overtakes, so that the slots it needs come free at last. Only a limit that does not concern the others (its own
executor is full, its own task has all the instances it may have) lets the next one pass.
"""

from collections.abc import Iterable, Mapping
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
    MAX_ACTIVE_PER_DAG = "as many instances of this task run, over all runs, as max_active_tis_per_dag allows"


@dataclass(slots=True)
class Capacity:
    """What is left. `admit` uses it up."""

    pool_free: int | None
    """None: without limit."""
    parallelism: int
    executors: dict[str | None, int]
    """Free slots by executor; None is the default one."""
    active_by_task: Mapping[tuple[str, str], int]
    """For tasks with `max_active_tis_per_dag`: how many instances hold slots, by (dag_id, task_id)."""


@dataclass(slots=True)
class Admission:
    """Who goes, and who was held back and why."""

    admitted: list[Candidate] = field(default_factory=list)
    held: list[tuple[Candidate, HoldReason]] = field(default_factory=list)
    is_exhausted: bool = False
    """Nobody behind the last one can go either."""

    @property
    def full_executors(self) -> set[str | None]:
        """Executors without a free slot."""
        return {task.executor for task, reason in self.held if reason is HoldReason.EXECUTOR_FULL}

    @property
    def full_tasks(self) -> set[tuple[str, str]]:
        """Tasks at their limit over all runs."""
        return {(task.dag_id, task.task_id) for task, reason in self.held if reason is HoldReason.MAX_ACTIVE_PER_DAG}


def free_slots(pool: Pool, occupied: int) -> int | None:
    """Free slots of a pool; None: without limit. Never negative: a pool may have been made smaller."""
    return None if pool.slots == UNLIMITED_SLOTS else max(0, pool.slots - occupied)


def can_ever_fit(pool: Pool | None, pool_slots: int) -> HoldReason | None:
    """Why a task can never get slots in this pool as it is, if so."""
    if pool is None:
        return HoldReason.POOL_MISSING
    if pool.slots != UNLIMITED_SLOTS and pool_slots > pool.slots:
        return HoldReason.POOL_TOO_SMALL
    return None


def admit(candidates: Iterable[Candidate], capacity: Capacity) -> Admission:
    """Walk down one pool's queue and hand out what `capacity` has left."""
    admission = Admission()
    active = dict(capacity.active_by_task)
    for task in candidates:
        reason = hold_reason(task, capacity, active.get((task.dag_id, task.task_id), 0))
        if reason is not None:
            admission.held.append((task, reason))
            if reason in (HoldReason.PARALLELISM, HoldReason.POOL_FULL):
                admission.is_exhausted = True
                break
            continue
        admission.admitted.append(task)
        active[task.dag_id, task.task_id] = active.get((task.dag_id, task.task_id), 0) + 1
        capacity.parallelism -= 1
        capacity.executors[task.executor] -= 1
        if capacity.pool_free is not None:
            capacity.pool_free -= task.pool_slots
    return admission


def hold_reason(task: Candidate, capacity: Capacity, active: int) -> HoldReason | None:
    """Why this task, were it the head of the queue, would get no slots; None if it would."""
    if capacity.parallelism <= 0:
        return HoldReason.PARALLELISM
    if task.max_active_per_dag is not None and active >= task.max_active_per_dag:
        return HoldReason.MAX_ACTIVE_PER_DAG
    if capacity.executors.get(task.executor, 0) <= 0:
        return HoldReason.EXECUTOR_FULL
    if capacity.pool_free is not None and task.pool_slots > capacity.pool_free:
        return HoldReason.POOL_FULL
    return None
