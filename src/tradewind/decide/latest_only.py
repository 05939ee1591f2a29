"""Whether the tasks behind a LatestOnlyOperator are skipped."""

from dataclasses import dataclass
from datetime import datetime

from tradewind.decide.timetables import next_run
from tradewind.model.states import RunType
from tradewind.model.timetable import DataInterval, RunInfo, TimeRestriction, Timetable


@dataclass(frozen=True, slots=True)
class LatestOnlyVerdict:
    """What happens to the tasks behind it, and why."""

    skip: bool
    reason: str


def latest_only(
    *,
    run_type: RunType,
    run_after: datetime,
    data_interval: DataInterval | None,
    timetable: Timetable,
    now: datetime,
) -> LatestOnlyVerdict:
    """Skip if the schedule already asked for a newer run than this one; never skip a run by hand.

    Airflow also skips while `now` is not yet past the start of the data interval. That takes a run that began
    before its time, or in the very microsecond of its tick, so we leave it out.
    """
    if run_type is RunType.MANUAL:
        return LatestOnlyVerdict(skip=False, reason="the run was started by hand")
    following = _following(RunInfo(run_after, data_interval), timetable, now)
    if following is None:
        return LatestOnlyVerdict(skip=False, reason="no run follows this one")
    due = following.run_after.isoformat()
    if now > following.run_after:
        return LatestOnlyVerdict(skip=True, reason=f"a newer run was due at {due}")
    return LatestOnlyVerdict(skip=False, reason=f"this is the newest run; the next is due at {due}")


def _following(run: RunInfo, timetable: Timetable, now: datetime) -> RunInfo | None:
    # With catchup, whatever the DAG says: the question is what the schedule names, not what will be created.
    end = run.run_after if run.data_interval is None else run.data_interval.end
    anywhere_after = TimeRestriction(earliest=end, latest=None, catchup=True)
    return next_run(timetable, last=run, restriction=anywhere_after, now=now)
