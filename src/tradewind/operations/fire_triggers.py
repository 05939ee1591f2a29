"""What triggers say changes their tasks: once, and only those that still wait at that very deferral."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from tradewind.decide.mapping import MOST_MAPPED, why_unmappable
from tradewind.decide.retry import LONGEST_DELAY_S
from tradewind.decide.structure import Structure
from tradewind.errors import DagUnusable
from tradewind.model.asset import AssetRef
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import OutletEvent
from tradewind.model.ids import UNMAPPED, AttemptKey, RunKey, TaskKey
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_STATES, TaskState
from tradewind.model.task import Failed, Skipped, Succeeded
from tradewind.model.trigger import Broke, EndedTask, Fired, Happened, NeedsWorker
from tradewind.operations.record_asset_events import AssetUpdate, record_asset_events
from tradewind.operations.report_tasks import end_waiting_tasks, resume_tasks
from tradewind.operations.request_callbacks import request_task_callbacks
from tradewind.operations.resumptions import with_event, with_failure
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral, XComValue

_SAID_SO: Final = "its trigger said so"
_RETURN_KEY: Final = "return_value"


def fire_triggers(
    tx: Transaction,
    fired: Sequence[Fired],
    now: datetime,
    structures: Structures,
    *,
    longest_delay_s: float = LONGEST_DELAY_S,
    longest_mapped: int = MOST_MAPPED,
) -> set[TaskKey]:
    """Let tasks go on, or end them. Returns those that were changed: the others had gone on already.

    Of two events of one trigger the first counts, also where both come at once. `longest_mapped`: how many elements
    tasks may be mapped over.
    """
    first = {each.attempt: each for each in reversed(fired)}
    changed = _go_on(tx, [each for each in first.values() if not isinstance(each.what, EndedTask)], now)
    said = {each.attempt: each.what for each in first.values() if isinstance(each.what, EndedTask)}
    if said:
        known = _Tasks(tx, said, structures)
        ends = {attempt: known.judged(attempt, end, longest_mapped) for attempt, end in said.items()}
        changed |= _end_all(tx, ends, known, now, structures, longest_delay_s)
    tx.triggers.delete([each.trigger for each in fired])
    return changed


class _Tasks:
    """Those whose triggers end them, as their DAGs declare them."""

    def __init__(self, tx: Transaction, attempts: Iterable[AttemptKey], structures: Structures) -> None:
        self._tx = tx
        self._structures = structures
        self.runs: Mapping[RunKey, Run] = {
            run.key: run for run in tx.runs.read({attempt.run_key for attempt in attempts})
        }

    def place(self, key: TaskKey) -> tuple[Structure, int] | None:
        """The DAG, and the number of the task in it. None: nobody knows any more."""
        run = self.runs.get(key.run_key)
        if run is None:
            return None
        with suppress(DagUnusable, KeyError):
            structure = self._structures.get(self._tx, run.version_key)
            return structure, structure.index[key.task_id]
        return None

    def judged(self, attempt: AttemptKey, end: EndedTask, longest_mapped: int) -> EndedTask:
        """How the task ends, as it would in a worker: with what nobody can be mapped over it fails."""
        if end.state is not TaskState.SUCCESS:
            return end
        place = self.place(attempt.task)
        # The copies of a mapped task are counted instead.
        if place is None or attempt.map_index != UNMAPPED or not place[0].map_dependents[place[1]]:
            return replace(end, map_length=None)
        reason = why_unmappable(end.map_length, longest_mapped)
        if reason is None:
            return end
        xcoms = {name: value for name, value in end.xcoms.items() if name != _RETURN_KEY}
        return EndedTask(TaskState.FAILED, xcoms, reason=reason, is_listened=end.is_listened)


def _end_all(
    tx: Transaction,
    ends: Mapping[AttemptKey, EndedTask],
    known: _Tasks,
    now: datetime,
    structures: Structures,
    longest_delay_s: float,
) -> set[TaskKey]:
    reports = [_end(attempt, end, now) for attempt, end in ends.items()]
    ended = end_waiting_tasks(tx, reports, now, structures, longest_delay_s=longest_delay_s)
    by_task = {attempt.task: end for attempt, end in ends.items()}
    _leave(tx, ended, by_task, now)
    _update_outlets(tx, [key for key in ended if by_task[key].state is TaskState.SUCCESS], known, now)
    for reason in sorted({by_task[key].reason or _SAID_SO for key in ended}):
        told = {key for key in ended if (by_task[key].reason or _SAID_SO) == reason}
        listened = {key for key in told if by_task[key].is_listened}
        request_task_callbacks(tx, told, reason, structures, now, listened=listened, with_links=True)
    return ended


def _go_on(tx: Transaction, fired: Sequence[Fired], now: datetime) -> set[TaskKey]:
    if not fired:
        return set()
    resumed = resume_tasks(tx, [each.attempt for each in fired], now)
    stored = tx.deferrals.of_tasks(resumed)
    said = [(stored[each.attempt.task], each.what) for each in fired if each.attempt.task in stored]
    tx.deferrals.put([_with(deferral, what) for deferral, what in said if isinstance(what, Happened | Broke)])
    tx.deferrals.drop([deferral.attempt.task for deferral, what in said if isinstance(what, NeedsWorker)])
    return resumed


def _with(deferral: StoredDeferral, what: Happened | Broke) -> StoredDeferral:
    """How the task goes on."""
    return with_failure(deferral, what.traceback) if isinstance(what, Broke) else with_event(deferral, what.payload)


def _end(attempt: AttemptKey, end: EndedTask, now: datetime) -> Succeeded | Failed | Skipped:
    match end.state:
        case TaskState.SUCCESS:
            return Succeeded(attempt, now, map_length=end.map_length)
        case TaskState.SKIPPED:
            return Skipped(attempt, now, reason=_SAID_SO)
        case _:
            return Failed(attempt, now, reason=end.reason or _SAID_SO)


def _leave(tx: Transaction, ended: Collection[TaskKey], ends: Mapping[TaskKey, EndedTask], now: datetime) -> None:
    """What tasks that have ended for good leave to others."""
    with_values = [key for key in ended if ends[key].xcoms]
    if not with_values:
        return
    over = {each.key for each in tx.tasks.snapshots(with_values) if each.state in FINISHED_STATES}
    values: list[Any] = [(key, name, value) for key in sorted(over) for name, value in ends[key].xcoms.items()]
    tx.xcoms.put([XComValue(key, name, value) for key, name, value in values], now)


def _update_outlets(tx: Transaction, succeeded: Collection[TaskKey], known: _Tasks, now: datetime) -> None:
    """Of an asset that only an alias stands for, none of them has said anything."""
    updates: list[AssetUpdate] = []
    for key in sorted(succeeded):
        place = known.place(key)
        if place is None:  # then nobody knows what it updates
            continue
        structure, number = place
        outlets = [outlet for outlet in structure.tasks[number].outlets if isinstance(outlet, AssetRef)]
        updates += [_update(key, known.runs[key.run_key], outlet) for outlet in outlets]
    if succeeded:
        record_asset_events(tx, updates, now)


def _update(key: TaskKey, run: Run, asset: AssetRef) -> AssetUpdate:
    event = OutletEvent(name=asset.name, uri=asset.uri, group=asset.group, asset_extra=asset.extra)
    return AssetUpdate(Asker(key, run.dag_id, run.run_id), event, run.partition_key)
