"""Duty: look at the runs in which something changed, and decide what follows.

The only place where the engine's memory of a run meets the database. What is remembered of a run is used only if its
change number is the stored one, is taken out of the memory while it is being changed, and goes back after the commit.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from tradewind.decide.cells import Cell
from tradewind.decide.progress import Settlement
from tradewind.errors import DagUnusable, DatabaseError
from tradewind.model.ids import RunKey
from tradewind.model.run import RunHead
from tradewind.model.states import OCCUPYING_STATES, RunState, TaskRole
from tradewind.operations.call_off_triggers import stop_unfinished
from tradewind.operations.deadlines import meet_deadlines
from tradewind.operations.finish_runs import finish_runs
from tradewind.operations.past import past_of
from tradewind.operations.request_callbacks import request_run_callbacks
from tradewind.scheduler.run_work import Work, deciding, give_up, load_works, undecidable
from tradewind.scheduler.state import SchedulerState
from tradewind.scheduler.write_moves import write_moves
from tradewind.storage.interface import RunEnd, TakenChanges, Transaction

STEAL_AFTER = timedelta(seconds=1)
"""A run whose own scheduler leaves a change lying for so long is taken over by any other."""


@dataclass(slots=True)
class Advanced:
    """What a pass did, for the notes of the scheduler."""

    runs: int = 0
    works: list[Work] = field(default_factory=list)
    dags_to_start: set[str] = field(default_factory=set)
    may_be_more: bool = False
    """Whether another look at once may find something."""


def advance_runs(state: SchedulerState) -> int:
    """Look at up to `max_dagruns_per_loop_to_schedule` changed runs. Returns how many were looked at.

    To look once more after a single change, and find nothing, would cost as much again for each task of a chain.
    Whoever changes something wakes the scheduler. Where more than that goes on, the next look comes at once.
    """
    now = state.clock.now()
    state.is_to_look_again = False
    try:
        advanced = state.store.transact(lambda tx: _advance(tx, state, *_take_dirty(tx, state, now), now))
    except DatabaseError:
        raise
    except Exception:
        # Something in one run upsets the whole batch: go one by one, so that only its DAG is fenced off (B10).
        return _advance_one_by_one(state, now)
    _note(state, advanced)
    state.is_to_look_again = advanced.may_be_more
    return advanced.runs


def _take_dirty(tx: Transaction, state: SchedulerState, now: datetime) -> tuple[list[RunHead], TakenChanges]:
    limit = state.settings.max_dagruns_per_loop_to_schedule
    return tx.changes.take_dirty(limit, job=state.job, foreign_before=now - STEAL_AFTER)


def _advance_one_by_one(state: SchedulerState, now: datetime) -> int:
    limit = state.settings.max_dagruns_per_loop_to_schedule

    def find(tx: Transaction) -> list[RunKey]:
        return [run.key for run in tx.changes.lock_dirty(limit, job=state.job, foreign_before=now - STEAL_AFTER)]

    keys = state.store.transact(find)
    state.is_to_look_again = bool(keys)
    for key in keys:
        try:
            _note(state, state.store.transact(partial(_advance_one, state=state, run_key=key, now=now)))
        except DatabaseError:
            raise
        except Exception as error:
            state.store.transact(partial(_give_up_run, run_key=key, error=error, now=now))
    return len(keys)


def _give_up_run(tx: Transaction, run_key: RunKey, error: Exception, now: datetime) -> None:
    for run in tx.runs.lock_heads([run_key]):
        give_up(tx, run, tx.changes.take([run_key]).flags[run_key], undecidable(run, error), now)


def _advance_one(tx: Transaction, state: SchedulerState, run_key: RunKey, now: datetime) -> Advanced:
    runs = tx.runs.lock_heads([run_key])
    return _advance(tx, state, runs, tx.changes.take([run.key for run in runs]), now)


def _advance(
    tx: Transaction, state: SchedulerState, runs: list[RunHead], taken: TakenChanges, now: datetime
) -> Advanced:
    if not runs:
        return Advanced()
    running = [run for run in runs if run.state is RunState.RUNNING]
    works = [work for work in load_works(tx, state, running, taken, now) if _decide(tx, work, taken.runs, now)]
    write_moves(tx, state, works, now)
    _finish(tx, state, works, now)
    to_start = {run.dag_id for run in runs if run.state is RunState.QUEUED}
    to_start |= {work.run.dag_id for work in works if work.outcome is not None}
    is_full = len(runs) >= state.settings.max_dagruns_per_loop_to_schedule
    is_busy = is_full or len(taken.runs) + len(taken.tasks) > 1
    return Advanced(len(runs), works, to_start, is_busy or tx.has_recorded_changes or bool(to_start))


def _decide(tx: Transaction, work: Work, looked_for: set[RunKey], now: datetime) -> bool:
    """Settle one run. False: it cannot be decided about. `looked_for`: runs of which no single task was named."""
    if work.run.key in looked_for:
        work.progress.ask_past_again()
    try:
        settlement = _settle(work)
        while settlement.asks_past or settlement.stops_remaining:
            if settlement.asks_past:
                _answer_past(tx, work, settlement.asks_past)
            if settlement.stops_remaining:
                _stop_remaining(tx, work, now)
            settlement = _settle(work)
        work.outcome = settlement.outcome
        _let_through(tx, work)
    except DagUnusable as error:
        give_up(tx, work.run, work.flags, error, now)
        return False
    return True


def _answer_past(tx: Transaction, work: Work, cells: list[Cell]) -> None:
    past = past_of(tx, work.run, work.progress.structure, {cell.number for cell in cells})
    for cell in cells:
        work.progress.learn_past(cell, past[cell.number])


def _settle(work: Work) -> Settlement:
    with deciding(work.run):
        settlement = work.progress.settle(is_paused=work.flags.is_paused)
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
    reason = "fail_fast: another task failed"
    stopped = stop_unfinished(tx, work.run.key, now, spare=teardowns, reason=reason, fails_running=True)
    for snapshot in stopped:
        work.progress.apply(snapshot)
        work.changed.append(snapshot)
    work.moves = {key: move for key, move in work.moves.items() if tasks[move.cell.number].role is TaskRole.TEARDOWN}
    work.progress.stopped()
    work.is_touched = work.is_touched or bool(stopped)


def _let_through(tx: Transaction, work: Work) -> None:
    gate = work.progress.gate
    yielding = [] if work.flags.is_paused else gate.yielding()
    if yielding:
        taken_back = tx.tasks.hold([work.key(cell) for cell in yielding])
        for cell in yielding:
            if work.key(cell) in taken_back:
                gate.took_back(cell)
            else:
                gate.kept(cell)
        work.is_touched = True
    if not work.flags.is_paused:
        work.released = gate.release()


def _finish(tx: Transaction, state: SchedulerState, works: list[Work], now: datetime) -> None:
    ends = [
        (work.run, RunEnd(work.run.key, work.run.forced_state or work.outcome.state, work.outcome.reason))
        for work in works
        if work.outcome is not None
    ]
    if ends:
        finished = finish_runs(tx, ends, now)
        ended = [(run, end) for run, end in ends if run.key in finished]
        succeeded = {run.key for run, end in ended if end.state is RunState.SUCCESS}
        for work in (each for each in works if each.run.key in succeeded):
            meet_deadlines(tx, work.progress.structure.dag, work.run, now)
        request_run_callbacks(tx, ended, state.structures, now, heard=state.heard_of_runs)


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
