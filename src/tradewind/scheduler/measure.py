"""Duty: say how the pools are used, for whoever draws curves of it."""

from tradewind.model.states import TaskState
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import PoolMeasured


def measure_pools(state: SchedulerState) -> None:
    """One `PoolMeasured` for each pool, every `pool_metrics_interval`."""

    def work(tx: Transaction) -> None:
        used = tx.queue.slots_by_state()
        for pool in tx.pools.all():
            running = used.get((pool.name, TaskState.RUNNING), 0) + used.get((pool.name, TaskState.RESTARTING), 0)
            tx.emit(
                PoolMeasured(
                    pool=pool.name,
                    slots=pool.slots,
                    waiting=used.get((pool.name, TaskState.SCHEDULED), 0),
                    queued=used.get((pool.name, TaskState.QUEUED), 0),
                    running=running,
                    deferred=used.get((pool.name, TaskState.DEFERRED), 0),
                )
            )

    state.store.transact(work)
