"""Duties: hand callbacks of missed deadlines to executors, and give those to others whose holders fell silent."""

from datetime import timedelta

from tradewind.executors.interface import CallsBack
from tradewind.operations.deadline_callbacks import hand_out_callbacks, rescue_callbacks
from tradewind.scheduler.state import SchedulerState


def hand_out_deadline_callbacks(state: SchedulerState) -> int:
    """Returns how many went out. One that is lost on its way to a worker is handed out again in time."""
    until = state.clock.now() + timedelta(seconds=state.settings.task_queued_timeout)
    chosen = state.store.transact(
        lambda tx: hand_out_callbacks(tx, lambda name: _why_not(state, name), state.structures, until)
    )
    for name, item in chosen:
        executor = state.executor(name)
        if isinstance(executor, CallsBack):
            executor.call_back([item])
    return len(chosen)


def rescue_deadline_callbacks(state: SchedulerState) -> int:
    """Returns how many were lost."""
    now = state.clock.now()
    return state.store.transact(lambda tx: rescue_callbacks(tx, now))


def _why_not(state: SchedulerState, name: str | None) -> str | None:
    executor = state.executor(name)
    if executor is None:
        return f"there is no executor {name!r}"
    return None if isinstance(executor, CallsBack) else f"executor {executor.name!r} calls no callbacks of deadlines"
