"""Duty: look at the runs in which something changed, and decide what follows.

The only place where the engine's memory of a run meets the database. What is remembered of a run is used only if its
change number is the stored one, is taken out of the memory while it is being changed, and goes back after the commit.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from tradewind.decide.cells import Cell
from tradewind.decide.progress import RunProgress, Settlement, TaskMove
from tradewind.decide.run_outcome import RunOutcome
from tradewind.errors import DagUnusable, DatabaseError
from tradewind.model.ids import UNMAPPED, RunKey, TaskKey
from tradewind.model.run import RunHead
from tradewind.model.states import FINISHED_STATES, OCCUPYING_STATES, RunState, TaskRole, TaskState
from tradewind.model.task import NewTask, TaskSnapshot
from tradewind.operations.create_run import new_task
from tradewind.operations.finish_runs import finish_runs
from tradewind.scheduler.create_runs import fence
from tradewind.scheduler.past import load_past, tell_next_run
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import RunEnd, TaskAdvance, Transaction
from tradewind.telemetry.events import TasksMoved

STEAL_AFTER = timedelta(seconds=1)
"""A run whose own scheduler leaves a change lying for so long is taken over by any other."""


@dataclass(slots=True)
class Work:
    """One run on its way through a pass."""

    run: RunHead
    progress: RunProgress
    is_paused: bool
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


@dataclass(slots=True)
class Advanced:
    """What a pass did, for the notes of the scheduler."""

    runs: int = 0
    works: list[Work] = field(default_factory=list)
    dags_to_start: set[str] = field(default_factory=set)


def advance_runs(state: SchedulerState) -> int:
    """Look at up to `max_dagruns_per_loop_to_schedule` changed runs. Returns how many were looked at."""
    now = state.clock.now()
    try:
        advanced = state.store.transact(lambda tx: _advance(tx, state, _dirty(tx, state, now), now))
    except DatabaseError:
        raise
    except Exception:
        # Something in one run upsets the whole batch: go one by one, so that only its DAG is fenced off (B10).
        return _advance_one_by_one(state, now)
    _note(state, advanced)
    return advanced.runs


def _dirty(tx: Transaction, state: SchedulerState, now: datetime) -> list[RunKey]:
    limit = state.settings.max_dagruns_per_loop_to_schedule
    return tx.changes.dirty_runs(limit, job=state.job, foreign_before=now - STEAL_AFTER)


def _advance_one_by_one(state: SchedulerState, now: datetime) -> int:
    keys = state.store.transact(lambda tx: _dirty(tx, state, now))
    for key in keys:
        try:
            _note(state, state.store.transact(partial(_advance, state=state, keys=[key], now=now)))
        except DatabaseError:
            raise
        except Exception as error:
            state.store.transact(partial(_fence_run, run_key=key, error=error))
    return len(keys)


def _fence_run(tx: Transaction, run_key: RunKey, error: Exception) -> None:
    for run in tx.runs.lock_heads([run_key]):
        tx.changes.take([run_key])
        fence(tx, _undecidable(run, error))


def _undecidable(run: RunHead, error: Exception) -> DagUnusable:
    return DagUnusable(run.dag_id, f"deciding about its run {run.run_id!r} failed: {type(error).__name__}: {error}")


def _advance(tx: Transaction, state: SchedulerState, keys: list[RunKey], now: datetime) -> Advanced:
    runs = tx.runs.lock_heads(keys) if keys else []
    if not runs:
        return Advanced()
    _, changed = tx.changes.take([run.key for run in runs])
    works = _load(tx, state, [run for run in runs if run.state is RunState.RUNNING], changed)
    works = [work for work in works if _decide(tx, work, now)]
    _write(tx, state, works, now)
    _finish(tx, works, now)
    to_start = {run.dag_id for run in runs if run.state is RunState.QUEUED}
    to_start |= {work.run.dag_id for work in works if work.outcome is not None}
    return Advanced(len(runs), works, to_start)


def _load(tx: Transaction, state: SchedulerState, runs: list[RunHead], changed: set[TaskKey]) -> list[Work]:
    """The progress of each run: remembered and brought up to date, or read anew."""
    if not runs:
        return []
    flags = tx.dags.flags({run.dag_id for run in runs})
    remembered = {run.key: state.memory.take(run) for run in runs}
    by_run: dict[RunKey, list[TaskSnapshot]] = {run.key: [] for run in runs}
    for snapshot in tx.tasks.snapshots([key for key in changed if remembered.get(key.run_key) is not None]):
        by_run[snapshot.run_key].append(snapshot)
    unknown = [run.key for run in runs if remembered[run.key] is None]
    state.structures.prepare(tx, {run.version_key for run in runs if remembered[run.key] is None})
    for snapshot in tx.tasks.of_runs(unknown) if unknown else ():
        by_run[snapshot.run_key].append(snapshot)
    works = []
    for run in runs:
        is_paused, error_of_dag = flags[run.dag_id]
        if error_of_dag is not None:
            continue
        try:
            progress = _progress(tx, state, run, remembered[run.key], by_run[run.key])
        except DagUnusable as error:
            fence(tx, error)
            continue
        news = [snapshot for snapshot in by_run[run.key] if snapshot.key in changed]
        works.append(Work(run, progress, is_paused, news))
    return works


def _progress(
    tx: Transaction,
    state: SchedulerState,
    run: RunHead,
    remembered: RunProgress | None,
    snapshots: list[TaskSnapshot],
) -> RunProgress:
    if remembered is None:
        structure = state.structures.get(tx, run.version_key)
        with _deciding(run):
            return RunProgress(structure, snapshots)
    with _deciding(run):
        for snapshot in snapshots:
            remembered.apply(snapshot)
    return remembered


@contextmanager
def _deciding(run: RunHead) -> Iterator[None]:
    """Around pure code only: whatever it raises concerns this run's DAG and nothing else (B10)."""
    try:
        yield
    except Exception as error:
        raise _undecidable(run, error) from error


def _decide(tx: Transaction, work: Work, now: datetime) -> bool:
    """Settle one run. False: it cannot be decided about, and its DAG is fenced off."""
    try:
        settlement = _settle(work)
        while settlement.asks_past or settlement.stops_remaining:
            if settlement.asks_past:
                load_past(tx, work.run, work.progress, settlement.asks_past)
            if settlement.stops_remaining:
                _stop_remaining(tx, work, now)
            settlement = _settle(work)
        work.outcome = settlement.outcome
        _let_through(tx, work)
    except DagUnusable as error:
        fence(tx, error)
        return False
    return True


def _settle(work: Work) -> Settlement:
    with _deciding(work.run):
        settlement = work.progress.settle(is_paused=work.is_paused)
    for key, move in settlement.moves.items():
        earlier = work.moves.get(key)
        if earlier is None:
            work.moves[key] = move
        else:
            earlier.to_state = move.to_state
    work.expanded.extend(settlement.expanded)
    return settlement


def _stop_remaining(tx: Transaction, work: Work, now: datetime) -> None:
    """`fail_fast`. What the pass has decided but not written yet is undone by it as well."""
    tasks = work.progress.structure.tasks
    teardowns = {task.task_id for task in tasks if task.role is TaskRole.TEARDOWN}
    stopped = tx.tasks.stop_unfinished(
        work.run.key, now, spare=teardowns, reason="fail_fast: another task failed", fails_running=True
    )
    for snapshot in stopped:
        work.progress.apply(snapshot)
        work.changed.append(snapshot)
    work.moves = {key: move for key, move in work.moves.items() if tasks[move.cell.number].role is TaskRole.TEARDOWN}
    work.progress.stopped()
    work.is_touched = work.is_touched or bool(stopped)


def _let_through(tx: Transaction, work: Work) -> None:
    gate = work.progress.gate
    yielding = [] if work.is_paused else gate.yielding()
    if yielding:
        taken_back = tx.tasks.hold([work.key(cell) for cell in yielding])
        for cell in yielding:
            if work.key(cell) in taken_back:
                gate.took_back(cell)
            else:
                gate.kept(cell)
        work.is_touched = True
    if not work.is_paused:
        work.released = gate.release()


def _write(tx: Transaction, state: SchedulerState, works: list[Work], now: datetime) -> None:
    """All runs of the pass in a handful of statements."""
    unexpanded: list[TaskKey] = []
    created: list[NewTask] = []
    rows: list[TaskAdvance] = []
    for work in works:
        structure = work.progress.structure
        for number, first, end in work.expanded:
            if first == 0:
                unexpanded.append(TaskKey(work.run.key, structure.tasks[number].task_id, UNMAPPED))
            created.extend(new_task(structure, work.run.key, number, index) for index in range(first, end))
        rows.extend(_rows(state, work))
    if unexpanded:
        tx.tasks.drop_unexpanded(unexpanded)
    tx.tasks.create(created)
    written = tx.tasks.advance(rows, now)
    _check(tx, works, rows, written, now)
    touched = [work.run.key for work in works if work.is_touched or work.moves or work.released or work.expanded]
    if touched:
        tx.runs.decided(touched, state.job)
    for work in works:
        work.is_touched = work.run.key in touched
        if work.progress.structure.past_readers:
            tell_next_run(tx, work.run, work.progress.structure, _ended(work), now)
    _tell(tx, works)


def _rows(state: SchedulerState, work: Work) -> Iterable[TaskAdvance]:
    tasks = work.progress.structure.tasks
    released = {(cell.number, cell.map_index): cell for cell in work.released}
    for key, move in work.moves.items():
        released.pop(key, None)
        yield _row(state, work, move.cell, move.attempt, move.from_state, move.to_state)
    for cell in released.values():
        yield _row(state, work, cell, cell.attempt, TaskState.SCHEDULED, TaskState.SCHEDULED)
    state.pools_to_serve.update(tasks[cell.number].pool for cell in work.released)


def _row(
    state: SchedulerState, work: Work, cell: Cell, attempt: int, from_state: TaskState, to_state: TaskState
) -> TaskAdvance:
    task = work.progress.structure.tasks[cell.number]
    is_waiting = to_state is TaskState.SCHEDULED and cell.held_by is None
    return TaskAdvance(
        work.run.key,
        task.task_id,
        cell.map_index,
        attempt,
        from_state.value,
        to_state.value,
        cell.try_number,
        None if cell.held_by is None else cell.held_by.value,
        state.turns.next_turn(task.pool, work.run.dag_id) if is_waiting else 0,
    )


def _check(tx: Transaction, works: list[Work], rows: list[TaskAdvance], written: set[TaskKey], now: datetime) -> None:
    """A row that was not as expected means that the memory was wrong: forget it, and look at the run again."""
    if len(written) == len(rows):
        return
    doubtful = {row.run_key for row in rows if TaskKey(row.run_key, row.task_id, row.map_index) not in written}
    for work in works:
        work.is_doubtful = work.run.key in doubtful
        if work.is_doubtful:
            work.outcome = None
    tx.changes.record_runs(doubtful, now)


def _ended(work: Work) -> set[int]:
    index = work.progress.structure.index
    ended = {index[each.task_id] for each in work.changed if each.state in FINISHED_STATES and each.task_id in index}
    return ended | {move.cell.number for move in work.moves.values() if move.to_state in FINISHED_STATES}


def _tell(tx: Transaction, works: list[Work]) -> None:
    by_state: dict[TaskState, list[TaskKey]] = {}
    for work in works:
        for move in work.moves.values():
            by_state.setdefault(move.to_state, []).append(work.key(move.cell))
    tx.emit(*(TasksMoved(moved_to, tuple(keys)) for moved_to, keys in by_state.items()))


def _finish(tx: Transaction, works: list[Work], now: datetime) -> None:
    ends = [
        (work.run, RunEnd(work.run.key, work.outcome.state, work.outcome.reason))
        for work in works
        if work.outcome is not None
    ]
    if ends:
        finish_runs(tx, ends, now)


def _note(state: SchedulerState, advanced: Advanced) -> None:
    """After the commit: remember the runs that go on, and note what to look at next."""
    state.dags_to_start |= advanced.dags_to_start
    for work in advanced.works:
        tasks = work.progress.structure.tasks
        index = work.progress.structure.index
        for snapshot in work.changed:
            if snapshot.state not in OCCUPYING_STATES and snapshot.task_id in index:
                state.pools_to_serve.add(tasks[index[snapshot.task_id]].pool)
        if work.changed:
            state.pools_to_serve |= state.pools_starved
        if work.outcome is None and not work.is_doubtful:
            state.memory.put(work.run.key, work.run.change_number + work.is_touched, work.progress)
