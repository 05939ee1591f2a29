"""Between which dates a DAG may run."""

from tradewind.model.dag import Dag
from tradewind.model.timetable import TimeRestriction


def restriction_of(dag: Dag) -> TimeRestriction:
    """The bounds within which the timetable may make runs: from the smallest start date on (B2)."""
    starts = [task.start_at for task in dag.tasks if task.start_at is not None]
    if dag.start_at is not None:
        starts.append(dag.start_at)
    return TimeRestriction(earliest=min(starts, default=None), latest=dag.end_at, catchup=dag.catchup)
