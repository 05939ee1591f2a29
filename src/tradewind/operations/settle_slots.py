"""Ticks that wait for assets come, and get their runs."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from tradewind.decide.assets import condition_words, missing
from tradewind.decide.slots import SlotMove, Turn, move_of, new_slot, opens_in_order, superseded
from tradewind.model.asset import AssetExpression, AssetKey
from tradewind.model.ids import RunKey
from tradewind.model.run import NewRun
from tradewind.model.slot import Slot, SlotEnd
from tradewind.model.slot_policy import EventWindow, SlotState
from tradewind.model.states import RunState
from tradewind.model.timetable import AssetAndTime, RunInfo
from tradewind.operations.create_run import create_run
from tradewind.operations.deliver_events import on_their_way
from tradewind.operations.finish_runs import finish_runs
from tradewind.operations.listen_to_assets import awaited_assets
from tradewind.operations.request_callbacks import request_run_callbacks
from tradewind.operations.run_for_assets import ListeningDag
from tradewind.operations.scheduled_run import scheduled_run
from tradewind.operations.slot_turns import SlotTurns
from tradewind.operations.structures import Structures
from tradewind.operations.tell_moves import tell_moves
from tradewind.storage.interface import RunEnd, Transaction
from tradewind.telemetry.events import DagsAwaitAssets, SlotOverdue

_MOST_IN_ORDER: Final = 20
"""Slots that are looked at where each opens only after those before it. What is left is looked at again."""
_PAGE: Final = 500
"""Slots that are asked about in one statement."""
_NEXT_TICK: Final = timedelta(microseconds=1)
_HAS_RUN: Final = "a run of this date was there already"


def take_ticks(tx: Transaction, dag_id: str, gate: AssetAndTime, ticks: Sequence[RunInfo], now: datetime) -> None:
    """Let ticks of a locked DAG wait for their assets, unless somebody asked for the run of that very date before."""
    tx.slots.add([new_slot(dag_id, gate, info) for info in ticks], now)
    dates = [info.logical_date for info in ticks if info.logical_date is not None]
    existing = tx.backfills.existing_runs(dag_id, dates) if dates else {}
    for date, run in existing.items():
        tx.slots.settle_date(dag_id, date, run.key, _HAS_RUN, now)
    tx.emit(DagsAwaitAssets((dag_id,)))


class SlotSettler:
    """Settles the waiting slots of one locked DAG: from the earliest tick on, each gets what the earlier ones leave.

    What a tick costs does not grow with the slots that wait in vain, of which there may be a hundred thousand.
    """

    def __init__(self, tx: Transaction, dag: ListeningDag, gate: AssetAndTime, structures: Structures) -> None:
        self._tx = tx
        self._dag = dag
        self._gate = gate
        self._structures = structures
        self._turns = SlotTurns(tx, dag.structure.dag, gate)
        self._assets = awaited_assets(dag.condition, dag.meaning)
        self._has_consumed = False
        self._coming: Collection[AssetKey] | None = None

    def settle(self, now: datetime, *, since: datetime | None = None) -> int:
        """Returns how many got runs. `since`: nothing has happened but that this tick has come, and later ones."""
        catchup = self._dag.structure.dag.catchup
        if opens_in_order(self._gate, catchup=catchup):
            return self._settle_first(now)
        runs = 0
        # Without catchup a new tick ends the turn of the one before it.
        since = since if catchup else None
        while page := self._tx.slots.first_waiting(self._dag.dag_id, _PAGE, since):
            runs += self._settle(page, now)[0]
            since = page[-1].info.run_after + _NEXT_TICK
        return runs

    def _settle_first(self, now: datetime) -> int:
        slots, dag_id = self._tx.slots, self._dag.dag_id
        first = slots.first_waiting(dag_id, _MOST_IN_ORDER)
        overdue = slots.overdue_of(dag_id, now, _MOST_IN_ORDER)
        by_key = {slot.key: slot for slot in (*first, *overdue)}
        runs, left = self._settle(sorted(by_key.values(), key=lambda slot: slot.info.run_after), now)
        is_done = any(slot in left for slot in first) or len(first) < _MOST_IN_ORDER
        if not is_done or len(overdue) == _MOST_IN_ORDER:
            self._tx.dag_changes.record([dag_id], now)
        return runs

    def _settle(self, slots: Sequence[Slot], now: datetime) -> tuple[int, Collection[Slot]]:
        """Returns how many got runs, and which go on waiting."""
        turns = [self._turns.of(slot) for slot in slots]
        waiting: list[Turn] = []
        runs = 0
        for turn, updated in zip(turns, self._updated(turns), strict=True):
            move, left = self._decide(turn, updated, now)
            if move is not SlotMove.WAIT and self._has_consumed:
                # What was there for it may be gone.
                turn = self._turns.of(turn.slot)
                move, left = self._decide(turn, self._updated([turn])[0], now)
            if move is SlotMove.WAIT:
                waiting.append(turn)
            elif not self._has_run(turn.slot, now):
                runs += self._move(turn, move, left, now)
                waiting += [turn] if move is SlotMove.ALERT else []
        late = {slot.key for slot in superseded([turn for turn in waiting if not self._is_coming(turn, now)], now)}
        self._tx.slots.supersede(late, "the next tick came", now)
        return runs, [turn.slot for turn in waiting if turn.slot.key not in late]

    def _decide(
        self, turn: Turn, updated: Collection[AssetKey], now: datetime
    ) -> tuple[SlotMove, AssetExpression | None]:
        """Its move, and what is missing."""
        dag = self._dag
        left = missing(dag.condition, updated, dag.meaning) if updated else dag.condition
        move = move_of(self._gate, turn.slot, now, is_satisfied=left is None, ends_at=turn.ends_at)
        return (move, left) if move is SlotMove.OPEN or not self._is_coming(turn, now) else (SlotMove.WAIT, left)

    def _updated(self, turns: Sequence[Turn]) -> list[set[AssetKey]]:
        windows = list(dict.fromkeys(turn.window for turn in turns))
        found = self._tx.slots.updated_in(self._dag.dag_id, self._assets, windows)
        by_window = dict(zip(windows, found, strict=True))
        return [by_window[turn.window] for turn in turns]

    def _is_coming(self, turn: Turn, now: datetime) -> bool:
        """Whether its time is up, but updates that count for it are being handed out by another scheduler, or will be
        by the next look: when they are there, the DAG is looked at again."""
        ends = (turn.slot.deadline_at, turn.ends_at)
        if not any(end is not None and end <= now for end in ends):
            return False
        if self._coming is None:
            self._coming = on_their_way(self._tx, self._dag.dag_id, self._assets)
        return bool(self._coming and on_their_way(self._tx, self._dag.dag_id, self._coming, turn.window))

    def _has_run(self, slot: Slot, now: datetime) -> bool:
        """Somebody, or a backfill, asked for the run of this very date: it is there, all that was wanted."""
        run_id, logical_date = self._run_of(slot).run_id, slot.info.logical_date
        if not self._tx.runs.is_taken(self._dag.dag_id, run_id, logical_date):
            return False
        run = self._tx.runs.find(self._dag.dag_id, run_id)
        self._tx.slots.end([SlotEnd(slot.key, SlotState.OPEN, None if run is None else run.key, _HAS_RUN)], now)
        return True

    def _move(self, turn: Turn, move: SlotMove, left: AssetExpression | None, now: datetime) -> int:
        slot, window = turn.slot, turn.window
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
        return scheduled_run(self._dag.structure.dag, slot.info, version_key, self._turns.plan)

    def _create(self, slot: Slot, window: EventWindow, now: datetime, *, consumes: bool) -> RunKey:
        run_key = create_run(self._tx, self._dag.structure, self._run_of(slot), now, may_exist=False)
        self._turns.note_run(now)
        self._has_consumed = True
        if consumes:
            self._tx.deliveries.take(self._dag.dag_id, run_key, window=window)
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
