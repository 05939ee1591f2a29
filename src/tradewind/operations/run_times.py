"""When a run came into its state, for whoever measures it."""

from datetime import datetime

from tradewind.model.run import Run, RunHead
from tradewind.telemetry.events import RunTimes


def times_of(run: Run | RunHead, now: datetime) -> RunTimes:
    """Of a run that came into its state just now."""
    return RunTimes(run.run_type, run.run_after, run.started_at, now)
