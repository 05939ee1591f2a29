"""Ticks that wait for assets come, and get their runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from tradewind.decide.assets import condition_words, missing
from tradewind.decide.slots import SlotMove, event_window, move_of, new_slot, superseded
from tradewind.model.asset import AssetExpression, AssetKey
from tradewind.model.ids import RunKey
from tradewind.model.run import NewRun
from tradewind.model.slot import Slot, SlotEnd
from tradewind.model.slot_policy import EventWindow, SlotState
from tradewind.model.states import RunState
from tradewind.model.timetable import AssetAndTime, RunInfo
from tradewind.operations.create_run import create_run
from tradewind.operations.finish_runs import finish_runs
from tradewind.operations.plan_runs import plan_of
from tradewind.operations.request_callbacks import request_run_callbacks
from tradewind.operations.run_for_assets import ListeningDag
from tradewind.operations.scheduled_run import scheduled_run
from tradewind.operations.structures import Structures
from tradewind.operations.tell_moves import tell_moves
from tradewind.storage.interface import RunEnd, Transaction
from tradewind.telemetry.events import DagsAwaitAssets, SlotOverdue


def take_tick(tx: Transaction, dag_id: str, gate: AssetAndTime, info: RunInfo, now: datetime) -> None:
    """Let a tick of a locked DAG wait for its assets."""
    tx.slots.add(new_slot(dag_id, gate, info), now)
    tx.dag_changes.record([dag_id], now)
    tx.emit(DagsAwaitAssets((dag_id,)))


class SlotSettler:
    """Settles the waiting slots of one locked DAG: from the earliest tick on, each gets what the earlier ones leave."""

    def __init__(self, tx: Transaction, dag: ListeningDag, gate: AssetAndTime, structures: Structures) -> None:
        self._tx = tx
        self._dag = dag
        self._gate = gate
        self._structures = structures
        self._plan = plan_of(tx, dag.structure.dag)
        self._pending: dict[EventWindow, Mapping[AssetKey, int]] = {}
        self._last_run_at: datetime | None = None

    def settle(self, slots: Sequence[Slot], now: datetime) -> int:
        """Returns how many got runs."""
        last = self._tx.runs.last_scheduled(self._dag.dag_id)
        self._last_run_at = None if last is None else last.queued_at
        waiting: list[Slot] = []
        runs = 0
        for slot in slots:
            if self._has_run(slot, now):
                continue
            window = event_window(self._gate, slot.info, self._last_run_at)
            left = self._missing(window)
            move = move_of(self._gate, slot, now, is_satisfied=left is None)
            runs += self._move(slot, move, window, left, now)
            if move in (SlotMove.WAIT, SlotMove.ALERT):
                waiting.append(slot)
        late = superseded(waiting, catchup=self._dag.structure.dag.catchup)
        self._tx.slots.end([SlotEnd(slot.key, SlotState.SUPERSEDED, reason="the next tick came") for slot in late], now)
        return runs

    def _has_run(self, slot: Slot, now: datetime) -> bool:
        """Somebody, or a backfill, asked for the run of this very date: it is there, all that was wanted."""
        run_id, logical_date = self._run_of(slot).run_id, slot.info.logical_date
        if not self._tx.runs.is_taken(self._dag.dag_id, run_id, logical_date):
            return False
        run = self._tx.runs.find(self._dag.dag_id, run_id)
        reason = "a run of this date was there already"
        self._tx.slots.end([SlotEnd(slot.key, SlotState.OPEN, None if run is None else run.key, reason)], now)
        return True

    def _missing(self, window: EventWindow) -> AssetExpression | None:
        if window not in self._pending:
            self._pending[window] = self._dag.oldest(self._tx, window)
        updated = self._pending[window].keys()
        return missing(self._dag.condition, updated, self._dag.meaning) if updated else self._dag.condition

    def _move(
        self, slot: Slot, move: SlotMove, window: EventWindow, left: AssetExpression | None, now: datetime
    ) -> int:
        reason = None if left is None else f"its deadline passed without {condition_words(left)}"
        match move:
            case SlotMove.WAIT:
                return 0
            case SlotMove.ALERT:
                self._tx.slots.note(slot, str(reason))
                self._tell(slot, left, move)
                return 0
            case SlotMove.EXPIRE:
                self._tx.slots.end([SlotEnd(slot.key, SlotState.EXPIRED, reason=reason)], now)
                self._tell(slot, left, move)
                return 0
            case SlotMove.FAIL:
                run_key = self._create(slot, window, now, consumes=False)
                self._fail(run_key, str(reason), now)
                self._tx.slots.end([SlotEnd(slot.key, SlotState.EXPIRED, run_key, reason)], now)
                self._tell(slot, left, move)
                return 1
            case SlotMove.OPEN | SlotMove.RUN_LATE:
                run_key = self._create(slot, window, now, consumes=True)
                self._tx.slots.end([SlotEnd(slot.key, SlotState.OPEN, run_key, reason)], now)
                if left is not None:
                    self._tell(slot, left, move)
                return 1

    def _run_of(self, slot: Slot) -> NewRun:
        version_key = self._dag.record.version_key
        assert version_key is not None
        return scheduled_run(self._dag.structure.dag, slot.info, version_key, self._plan)

    def _create(self, slot: Slot, window: EventWindow, now: datetime, *, consumes: bool) -> RunKey:
        run_key = create_run(self._tx, self._dag.structure, self._run_of(slot), now, may_exist=False)
        self._last_run_at = now
        if consumes:
            self._tx.deliveries.take(self._dag.dag_id, run_key, window=window)
            self._pending.clear()
        return run_key

    def _fail(self, run_key: RunKey, reason: str, now: datetime) -> None:
        self._tx.runs.start([(run_key, None)], now)
        stopped = self._tx.tasks.stop_unfinished(run_key, now, spare=(), reason=reason, fails_running=False)
        tell_moves(self._tx, ((snapshot.state, snapshot.key) for snapshot in stopped))
        (run,) = self._tx.runs.read([run_key])
        ends = [(run, RunEnd(run_key, RunState.FAILED, reason))]
        finish_runs(self._tx, ends, now)
        request_run_callbacks(self._tx, ends, self._structures, now, heard=self._tx.bundles.heard())

    def _tell(self, slot: Slot, left: AssetExpression | None, move: SlotMove) -> None:
        words = "" if left is None else condition_words(left)
        self._tx.emit(SlotOverdue(slot.dag_id, slot.info.run_after, words, move.value))
