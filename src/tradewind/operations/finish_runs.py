"""End runs."""

from collections.abc import Sequence
from datetime import datetime

from tradewind.model.ids import RunKey
from tradewind.model.run import Run, RunHead
from tradewind.operations.run_times import times_of
from tradewind.storage.interface import RunEnd, Transaction
from tradewind.telemetry.events import RunMoved


def finish_runs(tx: Transaction, ends: Sequence[tuple[Run | RunHead, RunEnd]], now: datetime) -> set[RunKey]:
    """running → success or failed. Returns those that were running.

    What this means for the DAG (further runs, a pause after too many failures) is for whoever holds the DAG's lock:
    `scheduler.start_runs`. Here only the runs are locked, and DAGs come before runs.
    """
    finished = tx.runs.finish([end for _, end in ends], now)
    for run, end in ends:
        if run.key in finished:
            tx.emit(RunMoved(run.key, run.dag_id, run.run_id, end.state, end.reason, times_of(run, now)))
    return finished
