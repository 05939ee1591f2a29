"""Running what comes next only in the newest run."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from tradewind.model.states import RunType
from tradewind.sdk import timezone
from tradewind.sdk.branch import BaseBranchOperator
from tradewind.sdk.context import Context
from tradewind.sdk.runtime import current_runtime

_OF_THE_SCHEDULE = frozenset({RunType.SCHEDULED, RunType.BACKFILL})


class LatestOnlyOperator(BaseBranchOperator):
    """Skip what is directly behind it if the schedule has already asked for a newer run than this one.

    Runs that nobody's schedule asked for (by hand, by another DAG, for an asset) always go on.
    """

    ui_color = "#e9ffdb"

    def choose_branch(self, context: Context) -> str | Iterable[str]:
        """All that follows, or nothing."""
        newer = newer_run(context["dag_run"], timezone.utcnow())
        if newer is not None:
            self.log.info("This is not the newest run: %s", newer)
            return []
        return list(self.get_direct_relative_ids(upstream=False))


def newer_run(dag_run: Any, now: datetime) -> str | None:
    """The newer run that was due by `now`, in words; `None` if there is none.

    Usually it has been created. If the scheduler is behind (paused, or busy with older runs), the next logical date
    tells: that run is due when its data interval ends, which is taken to be as long as this run's.
    """
    if dag_run.run_type not in _OF_THE_SCHEDULE:
        return None
    runtime = current_runtime()
    # Before the runs: a scheduler that creates the next one in between moves this date on, and the run is seen then.
    dag = runtime.get_dag(dag_run.dag_id)
    before = now
    while (run := runtime.get_previous_dag_run(dag_run.dag_id, logical_date=before)) is not None:
        if run.logical_date is None or run.logical_date <= dag_run.logical_date:
            break
        if run.run_type in _OF_THE_SCHEDULE:
            return f"there is {run.run_id}"
        before = run.logical_date
    if dag is None or dag.next_dagrun is None:
        return None
    length = timedelta()
    if dag_run.data_interval_start is not None and dag_run.data_interval_end is not None:
        length = dag_run.data_interval_end - dag_run.data_interval_start
    due = dag.next_dagrun + length
    return f"another was due at {due.isoformat()}" if due < now else None
