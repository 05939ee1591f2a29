"""Which runs a timetable will ask for next, and what keeps them from being made."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from tradewind.decide.explain import Reason
from tradewind.decide.timetables import upcoming
from tradewind.errors import UnknownDag
from tradewind.model.timetable import RunInfo
from tradewind.operations.explain import why_no_next_run
from tradewind.operations.publish_dag import restriction_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

_NOT_DUE = "not_due"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The next runs, as things are now."""

    runs: list[RunInfo]
    held_back_by: list[Reason]
    """Why none of them would be made even if its time had come; or why there is none."""


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
    restriction = restriction_of(dag)
    following = upcoming(dag.timetable, last=record.next_run, restriction=restriction, now=now, count=count)
    return Foreseen(list(islice((record.next_run, *following), count)), reasons)
