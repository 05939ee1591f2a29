"""One run on its way through a pass of `advance_runs`: what is known of it, and what was decided."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from tradewind.decide.cells import Cell
from tradewind.decide.progress import RunProgress, TaskMove
from tradewind.decide.run_outcome import RunOutcome
from tradewind.errors import DagUnusable
from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.run import RunHead
from tradewind.model.states import RunState
from tradewind.model.task import TaskSnapshot
from tradewind.operations.call_off_triggers import stop_unfinished
from tradewind.operations.finish_runs import finish_runs
from tradewind.operations.request_callbacks import request_listeners
from tradewind.scheduler.fencing import fence
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import DagFlags, RunEnd, TakenChanges, Transaction


@dataclass(slots=True)
class Work:
    """One run on its way through a pass."""

    run: RunHead
    progress: RunProgress
    flags: DagFlags
    changed: list[TaskSnapshot]
    moves: dict[tuple[int, int], TaskMove] = field(default_factory=dict)
    expanded: list[tuple[int, int, int]] = field(default_factory=list)
    outcome: RunOutcome | None = None
    released: list[Cell] = field(default_factory=list)
    is_touched: bool = False
    """Something was written that other schedulers' memories do not know."""
    is_doubtful: bool = False
    """A guarded write found a row other than expected: forget what is remembered and look again."""

    def task_id(self, cell: Cell) -> str:
        """What the cell's task is called."""
        return self.progress.structure.tasks[cell.number].task_id

    def key(self, cell: Cell) -> TaskKey:
        """Which task instance the cell is."""
        return TaskKey(self.run.key, self.task_id(cell), cell.map_index)


def load_works(
    tx: Transaction, state: SchedulerState, runs: Sequence[RunHead], taken: TakenChanges, now: datetime
) -> list[Work]:
    """The progress of each run: remembered and brought up to date, or read anew. Runs of fenced DAGs are left out."""
    if not runs:
        return []
    remembered = {run.key: state.memory.take(run) for run in runs}
    news = _read(tx, state, runs, remembered, taken)
    works = []
    for run in runs:
        flags = taken.flags[run.key]
        if flags.error is not None:
            continue
        try:
            progress = _progress(tx, state, run, remembered[run.key], news[run.key], taken.tasks)
        except DagUnusable as error:
            give_up(tx, run, flags, error, now)
            continue
        own = [each for each in news[run.key] if each.key in taken.tasks]
        # Whoever begins to remember a run makes all other memories of it old: at each change number there is one at
        # most. Else a change that one scheduler takes, and that moves nothing, would be missing in the other's.
        works.append(Work(run, progress, flags, own, is_touched=remembered[run.key] is None))
    return works


def _read(
    tx: Transaction,
    state: SchedulerState,
    runs: Sequence[RunHead],
    remembered: Mapping[RunKey, RunProgress | None],
    taken: TakenChanges,
) -> dict[RunKey, list[TaskSnapshot]]:
    """Of runs that are remembered, the instances that changed; of all others, all."""
    found: dict[RunKey, list[TaskSnapshot]] = {run.key: [] for run in runs}
    unknown = [run for run in runs if remembered[run.key] is None]
    for snapshot in taken.snapshots:
        if remembered.get(snapshot.run_key) is not None:
            found[snapshot.run_key].append(snapshot)
    if unknown:
        state.structures.prepare(tx, {run.version_key for run in unknown})
        for snapshot in tx.tasks.of_runs([run.key for run in unknown]):
            found[snapshot.run_key].append(snapshot)
    return found


def _progress(
    tx: Transaction,
    state: SchedulerState,
    run: RunHead,
    remembered: RunProgress | None,
    snapshots: list[TaskSnapshot],
    changed: set[TaskKey],
) -> RunProgress:
    if remembered is None:
        structure = state.structures.get(tx, run.version_key)
        with deciding(run):
            fresh = RunProgress(structure, snapshots)
            for snapshot in snapshots:
                if snapshot.key in changed:
                    fresh.apply(snapshot)
            return fresh
    with deciding(run):
        for snapshot in snapshots:
            remembered.apply(snapshot)
    return remembered


@contextmanager
def deciding(run: RunHead) -> Iterator[None]:
    """Around pure code only: whatever it raises concerns this run's DAG and nothing else (B10)."""
    try:
        yield
    except Exception as error:
        raise undecidable(run, error) from error


def give_up(tx: Transaction, run: RunHead, flags: DagFlags, error: DagUnusable, now: datetime) -> None:
    """Fence the DAG off. A run of an older version than the current one cannot be helped by a new one: it ends."""
    if run.version_key == flags.version_key:
        fence(tx, error)
        return
    stop_unfinished(tx, run.key, now, spare=(), reason=error.reason, fails_running=True)
    tx.runs.decided([run.key], None, now)
    if finish_runs(tx, [(run, RunEnd(run.key, RunState.FAILED, error.reason))], now):
        request_listeners(tx, run, RunState.FAILED, error.reason, now)


def undecidable(run: RunHead, error: Exception) -> DagUnusable:
    """An error of ours, or of a DAG that got past all checks: it concerns this run's DAG only."""
    return DagUnusable(run.dag_id, f"deciding about its run {run.run_id!r} failed: {type(error).__name__}: {error}")
