"""Which runs a timetable will ask for next, and what keeps them from being made."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, islice

from tradewind.decide.explain import Reason
from tradewind.decide.simulate import clock_change
from tradewind.decide.timetables import Partition, partition_of, upcoming
from tradewind.errors import UnknownDag
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.timetable import RunInfo
from tradewind.operations.explain import why_no_next_run
from tradewind.operations.plan_runs import plan_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

_NOT_DUE = "not_due"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The next runs, as things are now."""

    runs: list[RunInfo]
    held_back_by: list[Reason]
    """Why none of them would be made even if its time had come; or why there is none."""
    partitions: list[Partition | None] = field(default_factory=list)
    """That each of them is about."""
    clock_changes: list[timedelta | None] = field(default_factory=list)
    """By how much clocks are put forward on the day of each of them."""


def foresee_runs(tx: Transaction, dag_id: str, structures: Structures, now: datetime, *, count: int) -> Foreseen:
    """What the scheduler would do from now on: make the run that is noted as the next one, then ask for the following.

    Raises:
        UnknownDag: there is none of that id.
        DagUnusable: its stored form cannot be read.
    """
    record = tx.dags.find(dag_id)
    if record is None or record.version_key is None:
        raise UnknownDag(dag_id)
    reasons = [each for each in why_no_next_run(tx, dag_id, structures, now) if each.code != _NOT_DUE]
    if record.next_run is None:
        return Foreseen([], reasons)
    dag = structures.get(tx, record.version_key).dag
    plan = plan_of(tx, dag)
    runs = list(_noted_and_following(record.next_run, dag, plan, now, count))
    return Foreseen(
        runs,
        reasons,
        [partition_of(dag.timetable, info.run_after, plan) for info in runs],
        [clock_change(dag, info.run_after) for info in runs],
    )


def next_instants(
    tx: Transaction, dag_id: str, structures: Structures, now: datetime, *, most: int
) -> Iterator[datetime]:
    """When the next runs are due, as they are asked for: who needs few of them pays for few.

    Raises:
        UnknownDag: there is none of that id.
        DagUnusable: its stored form cannot be read.
    """
    record = tx.dags.find(dag_id)
    if record is None or record.version_key is None:
        raise UnknownDag(dag_id)
    if record.next_run is None:
        return
    dag = structures.get(tx, record.version_key).dag
    for info in _noted_and_following(record.next_run, dag, plan_of(tx, dag), now, most):
        yield info.run_after


def _noted_and_following(
    noted: RunInfo, dag: Dag, plan: PlannedRuns | None, now: datetime, count: int
) -> Iterator[RunInfo]:
    following = upcoming(
        dag.timetable,
        last=noted,
        restriction=restriction_of(dag),
        now=now,
        count=count,
        plan=plan,
    )
    return islice(chain((noted,), following), count)
