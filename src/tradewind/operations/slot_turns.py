"""Which updates count for ticks that wait, and how long these wait: what `decide/slots.py` has to know for that."""

from datetime import datetime

from tradewind.decide.slots import Turn, event_window, turn_end
from tradewind.errors import DagUnusable
from tradewind.model.dag import Dag
from tradewind.model.slot import Slot
from tradewind.model.slot_policy import Match
from tradewind.model.timetable import AssetAndTime
from tradewind.operations.plan_runs import plan_of
from tradewind.storage.interface import Transaction


class SlotTurns:
    """Of one DAG."""

    def __init__(self, tx: Transaction, dag: Dag, gate: AssetAndTime) -> None:
        self._dag = dag
        self._gate = gate
        newest = None if dag.catchup else tx.slots.last(dag.dag_id)
        self._newest = None if newest is None else newest.info.run_after
        self.plan = plan_of(tx, dag)
        self._last_run_at = _last_run_at(tx, dag.dag_id) if gate.match is Match.SINCE_LAST_RUN else None

    def of(self, slot: Slot) -> Turn:
        """Raises `DagUnusable`: the timetable does not say what follows."""
        try:
            ends_at = turn_end(self._dag, slot.info, self._newest, self.plan)
        except Exception as error:  # whatever a timetable cannot cope with concerns its own DAG only
            message = f"its timetable failed: {type(error).__name__}: {error}"
            raise DagUnusable(self._dag.dag_id, message) from error
        return Turn(slot, event_window(self._gate, slot.info, self._last_run_at, ends_at), ends_at)

    def note_run(self, now: datetime) -> None:
        """A run of the timetable was made just now."""
        self._last_run_at = now


def _last_run_at(tx: Transaction, dag_id: str) -> datetime | None:
    """When the last run of the timetable was made. Its slot knows; the run itself only says since when it is queued,
    which is later once it was cleared. One from before the DAG had slots was not made before it was due."""
    last = tx.runs.last_scheduled(dag_id)
    if last is None:
        return None
    slot = tx.slots.at(dag_id, last.run_after)
    return last.run_after if slot is None or slot.settled_at is None else slot.settled_at
