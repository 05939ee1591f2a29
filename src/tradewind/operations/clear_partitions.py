"""Runs are chosen by their partitions, and made to be about none."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from tradewind.decide.timetables import wall_clock_date
from tradewind.errors import InvalidRequest, UnknownDag, UnknownRun
from tradewind.model.run import Run
from tradewind.model.timetable import Never, Timetable
from tradewind.operations.clear_runs import Clearing, clear_run, would_clear
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class PartitionChoice:
    """Which runs of a DAG: of one key, between two dates (both included), or the one."""

    partition_key: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    run_id: str | None = None

    def __post_init__(self) -> None:
        given = [self.partition_key is not None, (self.start or self.end) is not None, self.run_id is not None]
        if sum(given) != 1:
            raise InvalidRequest("give one of partition_key, partition_date_start with partition_date_end, and run_id")
        if self.start is not None and self.end is not None and self.start > self.end:
            raise InvalidRequest("partition_date_start is after partition_date_end")


class PartitionsCleared(NamedTuple):
    """What was done, or would be."""

    runs: tuple[Run, ...]
    """As they were, while they were about a partition."""
    tasks: int
    """How many instances start over."""


def chosen_runs(tx: Transaction, dag_id: str, choice: PartitionChoice, structures: Structures) -> list[str]:
    """Their ids, oldest first. Dates are readings of the clock of the DAG's timetable.

    Raises `UnknownDag`, and `UnknownRun` for a run that is named.
    """
    record = tx.dags.find(dag_id)
    if record is None:
        raise UnknownDag(dag_id)
    if choice.run_id is not None:
        if tx.runs.find(dag_id, choice.run_id) is None:
            raise UnknownRun(dag_id, choice.run_id)
        return [choice.run_id]
    timetable: Timetable = (
        Never() if record.version_key is None else structures.get(tx, record.version_key).dag.timetable
    )
    start, end = (None if each is None else wall_clock_date(timetable, each) for each in (choice.start, choice.end))
    return tx.run_partitions.choose(dag_id, key=choice.partition_key, start=start, end=end)


def clear_partitions(
    tx: Transaction,
    dag_id: str,
    choice: PartitionChoice,
    structures: Structures,
    now: datetime,
    *,
    clears_tasks: bool,
    is_dry: bool,
) -> PartitionsCleared:
    """Let runs be about no partition, and start over if that is wanted. Raises as `chosen_runs`."""
    if not is_dry:
        tx.dags.lock([dag_id])
    run_ids = chosen_runs(tx, dag_id, choice, structures)
    tasks = 0
    for run_id in run_ids if clears_tasks else ():
        tasks += len(would_clear(tx, dag_id, run_id, Clearing(), structures))
        if not is_dry:
            clear_run(tx, dag_id, run_id, Clearing(), structures, now)
    found = [run for run_id in run_ids if (run := tx.runs.find(dag_id, run_id)) is not None]
    runs = tuple(run for run in found if run.partition_key is not None or run.partition_date is not None)
    if not is_dry:
        tx.run_partitions.forget([run.key for run in runs], now)
    return PartitionsCleared(runs, tasks)
