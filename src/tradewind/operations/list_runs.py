"""Which runs a DAG has."""

from dataclasses import dataclass
from datetime import datetime

from tradewind.errors import UnknownDag
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class RunFilter:
    """What is asked for; everything that is not said is left open. The dates are logical dates, both included."""

    state: RunState | None = None
    since: datetime | None = None
    until: datetime | None = None
    with_backfills: bool = True

    def lets_pass(self, run: Run) -> bool:
        """Whether the run is asked for."""
        return (
            (self.state is None or run.state is self.state)
            and (self.with_backfills or run.run_type is not RunType.BACKFILL)
            and (self.since is None or (run.logical_date is not None and run.logical_date >= self.since))
            and (self.until is None or (run.logical_date is not None and run.logical_date <= self.until))
        )


def list_runs(tx: Transaction, dag_id: str, wanted: RunFilter) -> list[Run]:
    """The newest first. Raises `UnknownDag`."""
    if tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)
    return [run for run in reversed(tx.runs.of_dag(dag_id)) if wanted.lets_pass(run)]
