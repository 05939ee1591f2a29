"""Duties: say how things are, for whoever draws curves of it."""

from tradewind.model.states import TaskState
from tradewind.operations.measure import handed_out, measure_pools, measure_tasks
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import Transaction
from tradewind.telemetry.measurements import ExecutorMeasured


def tell_pools(state: SchedulerState) -> None:
    """One `PoolMeasured` for each pool, every `pool_metrics_interval`; and how busy the executors are, if anybody wants
    to know."""

    def work(tx: Transaction) -> None:
        tx.emit(*measure_pools(tx))
        if state.hub.measures:
            tx.emit(*_executors(tx, state), state.structures.measured("scheduler"))

    state.store.transact(work)


def tell_tasks(state: SchedulerState) -> None:
    """How many task instances are where, every `ti_metrics_interval`, if anybody wants to know."""
    if state.hub.measures:
        state.store.transact(lambda tx: tx.emit(measure_tasks(tx)))


def tell_runs(state: SchedulerState) -> None:
    """How many runs there are, every `dagrun_metrics_interval`, if anybody wants to know."""
    if state.hub.measures:
        state.store.transact(lambda tx: tx.emit(tx.measures.runs()))


def _executors(tx: Transaction, state: SchedulerState) -> list[ExecutorMeasured]:
    counts = handed_out(tx, state.job, state.executors[0].name)
    return [
        ExecutorMeasured(
            executor.name,
            open_slots=executor.free_slots(),
            queued=counts.get((executor.name, TaskState.QUEUED), 0),
            running=sum(counts.get((executor.name, each), 0) for each in (TaskState.RUNNING, TaskState.RESTARTING)),
        )
        for executor in state.executors
    ]
