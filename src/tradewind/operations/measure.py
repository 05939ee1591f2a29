"""How things are at one moment, in numbers: for the schedulers, which tell it now and then, and the web server."""

from datetime import datetime

from tradewind.decide.admission import free_slots
from tradewind.model.ids import JobKey
from tradewind.model.pool import UNLIMITED_SLOTS, Pool
from tradewind.model.states import TaskState
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import PoolMeasured
from tradewind.telemetry.measurements import JobAge, JobsMeasured, TasksMeasured


def measure_pools(tx: Transaction) -> list[PoolMeasured]:
    """Each pool."""
    used = tx.queue.slots_by_state()
    waiting = tx.queue.pools_waited_for()
    return [_measured(pool, used, waiting.get(pool.name, 0)) for pool in tx.pools.all()]


def measure_tasks(tx: Transaction) -> TasksMeasured:
    """Task instances that wait for slots or have them."""
    return TasksMeasured(tx.measures.tasks())


def measure_jobs(tx: Transaction, now: datetime) -> JobsMeasured:
    """Services that have not ended; of several of a kind on one machine, the one that was heard of last."""
    ages: dict[tuple[str, str], float] = {}
    for job in tx.jobs.all_live():
        age_s = max(0.0, (now - job.heartbeat_at).total_seconds())
        ages[job.kind, job.hostname] = min(age_s, ages.get((job.kind, job.hostname), age_s))
    return JobsMeasured([JobAge(kind, hostname, age_s) for (kind, hostname), age_s in ages.items()])


def handed_out(tx: Transaction, job: JobKey, default_executor: str) -> dict[tuple[str, TaskState], int]:
    """By (executor, state): what a scheduler has given to its executors."""
    counts: dict[tuple[str, TaskState], int] = {}
    for (executor, state), count in tx.measures.handed_out(job).items():
        key = (executor or default_executor, state)
        counts[key] = counts.get(key, 0) + count
    return counts


def _measured(pool: Pool, used: dict[tuple[str, TaskState], int], waiting_tasks: int) -> PoolMeasured:
    def slots(*states: TaskState) -> int:
        return sum(used.get((pool.name, state), 0) for state in states)

    queued, running = slots(TaskState.QUEUED), slots(TaskState.RUNNING, TaskState.RESTARTING)
    deferred = slots(TaskState.DEFERRED)
    occupied = queued + running + (deferred if pool.include_deferred else 0)
    free = free_slots(pool, occupied)
    return PoolMeasured(
        pool=pool.name,
        slots=pool.slots,
        waiting=slots(TaskState.SCHEDULED),
        queued=queued,
        running=running,
        deferred=deferred,
        open=UNLIMITED_SLOTS if free is None else free,
        starving=waiting_tasks if free == 0 else 0,
    )
