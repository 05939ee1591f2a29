"""The store of what timetables of authors' own have named, and are still to be asked."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from tradewind.model.dag_file import FileKey
from tradewind.model.ids import RunKey
from tradewind.model.manual_interval import IntervalQuestion
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.timetable import DataInterval


class PlanStore(Protocol):
    """Coming runs, by DAG; and what runs by hand are about, as questions until the timetable has said it."""

    def find(self, dag_id: str) -> PlannedRuns | None:
        """None: nothing was planned."""

    def put(self, plans: Mapping[str, PlannedRuns], now: datetime) -> None:
        """In place of what there was. The DAGs must be locked."""

    def drop(self, dag_ids: Collection[str]) -> None:
        """Their timetables are no longer of their authors' own."""

    def planned_in(self, files: Collection[FileKey]) -> dict[FileKey, list[str]]:
        """Of the DAGs that these files have, those with a plan."""

    def add_question(self, question: IntervalQuestion) -> None:
        """The run must not start before it is settled."""

    def questions(self, dag_ids: Collection[str]) -> list[IntervalQuestion]:
        """All of these DAGs, in the order of their runs."""

    def ask(self, files: Collection[FileKey], now: datetime) -> dict[FileKey, list[IntervalQuestion]]:
        """The questions of DAGs that these files have; noted is that whoever reads the files is given them now."""

    def files_to_ask(self, bundles: Collection[str], asked_before: datetime) -> list[FileKey]:
        """Files with questions that nobody was given, or that were given to somebody before that and are still here."""

    def settle(
        self, run_key: RunKey, interval: DataInterval | None, now: datetime, partition_date: datetime | None = None
    ) -> None:
        """The question of a locked run is over; what it is about is known now, where there is an interval or a date."""
