"""The store of backfills and of what is special about their runs."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.backfill import Backfill, BackfillPlan, BackfillRuns
from tradewind.model.ids import BackfillKey, RunKey
from tradewind.model.run import RunHead
from tradewind.model.states import RunState


class OpenBackfill(NamedTuple):
    """A backfill that is not complete."""

    key: BackfillKey
    dag_id: str


class ExistingRun(NamedTuple):
    """The run of a date."""

    key: RunKey
    run_id: str
    state: RunState


class BackfillStore(Protocol):
    """Backfills. Whoever changes one has locked its DAG."""

    def create(self, plan: BackfillPlan, now: datetime) -> BackfillKey:
        """None of its dates is looked at yet."""

    def find(self, key: BackfillKey) -> Backfill | None:
        """One of them."""

    def read(self, keys: Collection[BackfillKey]) -> list[Backfill]:
        """By key."""

    def open(self) -> list[OpenBackfill]:
        """Those that are not complete, paused or not, by key."""

    def open_of_dag(self, dag_id: str) -> BackfillKey | None:
        """That of the DAG that is not complete."""

    def advance(self, key: BackfillKey, *, since: int, looked_at: int, passed_over: int, now: datetime) -> bool:
        """So many dates more were looked at, and so many of them passed over. False: it is no longer at `since`, or
        complete; then nothing was written."""

    def set_paused(self, key: BackfillKey, is_paused: bool, now: datetime) -> bool:
        """False: it is complete."""

    def complete(self, key: BackfillKey, now: datetime) -> bool:
        """False: it was complete already."""

    def existing_runs(self, dag_id: str, logical_dates: Collection[datetime]) -> dict[datetime, ExistingRun]:
        """The runs that the DAG has for these dates, by date."""

    def existing_partitions(self, dag_id: str, partition_dates: Collection[datetime]) -> dict[datetime, ExistingRun]:
        """The newest run that the DAG has for each partition of these dates, by date."""

    def take_over(self, run_key: RunKey, backfill: Backfill, now: datetime) -> bool:
        """Make a queued run one of this backfill, with its conf if it has one. False: it is not queued."""

    def count_runs(self, key: BackfillKey) -> BackfillRuns:
        """What became of its runs."""

    def count_active(self, key: BackfillKey) -> tuple[int, int]:
        """Its (running, queued) runs."""

    def queued_runs(self, key: BackfillKey) -> list[RunKey]:
        """By key."""

    def startable(self, backfill: Backfill, now: datetime, limit: int) -> list[RunHead]:
        """Lock queued runs of it whose time has come, in its direction. The DAG must be locked."""
