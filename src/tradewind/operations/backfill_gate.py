"""Which dates a backfill leaves out, because their assets were not updated then."""

from tradewind.decide.assets import Meaning, missing
from tradewind.decide.slots import history_window
from tradewind.model.dag import Dag
from tradewind.model.timetable import AssetAndTime, RunInfo
from tradewind.operations.listen_to_assets import awaited_assets, meaning_of
from tradewind.storage.interface import Transaction


class BackfillGate:
    """Of one DAG. Open for all dates, unless its `AssetAndTimeSchedule` says `gate_backfill`."""

    def __init__(self, tx: Transaction, dag: Dag) -> None:
        timetable = dag.timetable
        is_gated = isinstance(timetable, AssetAndTime) and timetable.gates_backfill
        self._tx = tx
        self._gate = timetable if isinstance(timetable, AssetAndTime) and is_gated else None
        self._condition = dag.assets if is_gated else None
        self._meaning = Meaning() if self._condition is None else meaning_of(tx, [self._condition])

    def is_open(self, info: RunInfo) -> bool:
        """Whether updates that count for the date are found, consumed or not."""
        if self._gate is None or self._condition is None:
            return True
        keys = awaited_assets(self._condition, self._meaning)
        updated = self._tx.asset_events.updated(keys, history_window(self._gate, info))
        return bool(updated) and missing(self._condition, updated, self._meaning) is None
