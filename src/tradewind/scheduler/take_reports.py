"""Duty: put what the executors report into the database, many reports in one transaction."""

from datetime import datetime

from tradewind.operations.report_tasks import report_tasks
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import Transaction


def take_reports(state: SchedulerState) -> int:
    """Everything reported since the last pass. What could not be written is kept for the next one."""
    for executor in state.executors:
        state.unreported.extend(executor.reports())
    if not state.unreported:
        return 0
    reports = list(state.unreported)
    now = state.clock.now()

    def work(tx: Transaction) -> datetime | None:
        reported = report_tasks(tx, reports, now, state.structures, longest_delay_s=state.core.max_task_retry_delay)
        return reported.next_wake_at

    state.remind(state.store.transact(work))
    state.unreported.clear()
    return len(reports)
