"""Write what was decided about all runs of a pass, in a handful of statements."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from tradewind.decide.cells import Cell
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.model.states import FINISHED_STATES, HeldBy, TaskState
from tradewind.model.task import NewTask
from tradewind.operations.create_run import new_task
from tradewind.operations.past import tell_readers
from tradewind.operations.tell_moves import tell_moves
from tradewind.scheduler.run_work import Work
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import TaskAdvance, Transaction
from tradewind.telemetry.measurements import TasksCreated


def write_moves(tx: Transaction, state: SchedulerState, works: Sequence[Work], now: datetime) -> None:
    """Create expanded instances, move tasks, renew change numbers, and tell."""
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
    if created:
        tx.tasks.create(created)
        tx.emit(TasksCreated(created))
    touched = [work.run.key for work in works if work.is_touched or work.moves or work.released or work.expanded]
    written = tx.runs.decided(touched, state.job, now, rows)
    _check(tx, works, rows, written, now)
    for work in works:
        work.is_touched = work.run.key in touched
        if work.progress.structure.past_readers:
            tell_readers(tx, work.run, work.progress.structure, _ended(work), now)
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
    starts_waiting = to_state is TaskState.SCHEDULED and cell.held_by is HeldBy.START_FROM_TRIGGER
    if starts_waiting:
        state.pools_of_starts.add(task.pool)
    is_waiting = starts_waiting or (to_state is TaskState.SCHEDULED and cell.held_by is None)
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


def _check(
    tx: Transaction, works: Sequence[Work], rows: list[TaskAdvance], written: set[TaskKey], now: datetime
) -> None:
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


def _tell(tx: Transaction, works: Sequence[Work]) -> None:
    tell_moves(tx, ((move.to_state, work.key(move.cell)) for work in works for move in work.moves.values()))
