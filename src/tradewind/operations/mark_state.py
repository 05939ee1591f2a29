"""A person says how a task or a run ended."""

from datetime import datetime

from tradewind.decide.transitions import TaskEvent, target
from tradewind.errors import InvalidRequest
from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.states import FAILED_STATES, FINISHED_STATES, RunState, TaskRole, TaskState
from tradewind.operations.call_off_triggers import call_off_triggers, stop_unfinished
from tradewind.operations.choose_tasks import Chosen, Selection, choose_tasks, lock_dag_and_find_run, reach, touch_run
from tradewind.operations.clear_tasks import clear_chosen, queue_again, reopen_run
from tradewind.operations.deadlines import meet_deadlines
from tradewind.operations.listen_to_assets import look_again
from tradewind.operations.past import tell_next_run
from tradewind.operations.request_callbacks import request_listeners
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import RunMoved, TasksMoved

_EVENTS = {
    TaskState.SUCCESS: TaskEvent.MARK_SUCCESS,
    TaskState.FAILED: TaskEvent.MARK_FAILED,
    TaskState.SKIPPED: TaskEvent.MARK_SKIPPED,
}


def mark_tasks(
    tx: Transaction, selection: Selection, state: TaskState, structures: Structures, now: datetime
) -> list[TaskKey]:
    """Give the chosen instances this end. One that runs is stopped.

    What had failed because of them starts over: a success or a skip lets downstream failures be decided again.

    Raises:
        InvalidRequest: not a state that a person can give.
        UnknownDag, UnknownRun, UnknownTask: as the name says.
    """
    _refuse_state(state)
    marked: list[TaskKey] = []
    for chosen in choose_tasks(tx, selection, structures):
        tasks = [task for task in chosen.instances if task.state is not state]
        tx.attempts.archive([task.key for task in tasks if task.state in FINISHED_STATES])
        tries = [task.max_tries for task in tasks]
        changed = tx.tasks.set_state(
            tasks, target(_EVENTS[state]), now, max_tries=tries, reason=f"marked {state} by a person"
        )
        call_off_triggers(tx, tasks, changed)
        if changed:
            tx.emit(TasksMoved(state, tuple(sorted(changed))))
            _decide_failures_again(tx, chosen, changed, state, now)
            tell_next_run(tx, chosen.run, chosen.structure, now)
            touch_run(tx, chosen.run, now)
        marked.extend(sorted(changed))
    return marked


def would_mark_tasks(tx: Transaction, selection: Selection, state: TaskState, structures: Structures) -> list[TaskKey]:
    """The instances that `mark_tasks` would mark. Nobody waits for it, and it waits for nobody.

    Raises:
        InvalidRequest: not a state that a person can give.
        UnknownDag, UnknownRun, UnknownTask: as the name says.
    """
    _refuse_state(state)
    found = choose_tasks(tx, selection, structures, locks=False)
    return [task.key for chosen in found for task in chosen.instances if task.state is not state]


def mark_run(
    tx: Transaction, dag_id: str, run_id: str, state: RunState, structures: Structures, now: datetime
) -> list[TaskKey]:
    """Give the whole run this end, and its unfinished tasks with it; returns the tasks that changed.

    Marked failed, a run still lets its teardowns run; it ends when they have.

    Raises:
        InvalidRequest: not a state that a person can give.
        UnknownDag, UnknownRun: as the name says.
    """
    if state not in (RunState.SUCCESS, RunState.FAILED):
        raise InvalidRequest(f"a run cannot be marked {state}; use success or failed")
    found = lock_dag_and_find_run(tx, dag_id, run_id)
    (run,) = tx.runs.lock([found.key])
    structure = structures.get(tx, run.version_key)
    if state is RunState.SUCCESS:
        changed = _succeed_all(tx, run, now)
    else:
        teardowns = {task.task_id for task in structure.tasks if task.role is TaskRole.TEARDOWN}
        reason = "the run was marked failed by a person"
        stopped = stop_unfinished(tx, run.key, now, spare=teardowns, reason=reason, fails_running=True)
        changed = [snapshot.key for snapshot in stopped]
        if any(task.state not in FINISHED_STATES for task in tx.tasks.instances(run.key, teardowns)):
            tx.runs.set_state(run.key, run.state, run.state, now, forced_state=RunState.FAILED.value)
            tell_next_run(tx, run, structure, now)
            touch_run(tx, run, now)
            return changed
    reason = f"marked {state} by a person"
    if tx.runs.set_state(run.key, run.state, state, now, reason=reason, owner=None):
        tx.emit(RunMoved(run.key, dag_id, run_id, state))
        if state is RunState.SUCCESS:
            meet_deadlines(tx, structure.dag, run, now)
        request_listeners(tx, run, state, reason, now)
        tx.dags.set_at_run_limit([dag_id], False)
        look_again(tx, [dag_id], now)
    tell_next_run(tx, run, structure, now)
    touch_run(tx, run, now)
    return changed


def queue_run(tx: Transaction, dag_id: str, run_id: str, now: datetime) -> None:
    """Let the run start again, with its tasks as they are: its end is decided anew. One that is queued stays so.

    Raises:
        UnknownDag, UnknownRun: as the name says.
    """
    found = lock_dag_and_find_run(tx, dag_id, run_id)
    (run,) = tx.runs.lock([found.key])
    if run.state is not RunState.QUEUED:
        queue_again(tx, run, now)
        touch_run(tx, run, now)


def _refuse_state(state: TaskState) -> None:
    if state not in _EVENTS:
        raise InvalidRequest(f"a task cannot be marked {state}; use success, failed or skipped")


def _succeed_all(tx: Transaction, run: Run, now: datetime) -> list[TaskKey]:
    tasks = [task for task in tx.tasks.instances(run.key) if task.state is not TaskState.SUCCESS]
    tries = [task.max_tries for task in tasks]
    reason = "the run was marked success by a person"
    changed = tx.tasks.set_state(tasks, TaskState.SUCCESS, now, max_tries=tries, reason=reason)
    call_off_triggers(tx, tasks, changed)
    if changed:
        tx.emit(TasksMoved(TaskState.SUCCESS, tuple(sorted(changed))))
    return sorted(changed)


def _decide_failures_again(
    tx: Transaction, chosen: Chosen, changed: set[TaskKey], state: TaskState, now: datetime
) -> None:
    if state is TaskState.FAILED:
        return
    structure = chosen.structure
    marked = {structure.index[key.task_id] for key in changed if key.task_id in structure.index}
    behind = reach(structure, marked, upstream=False, downstream=True) - marked
    names = [structure.tasks[number].task_id for number in behind]
    failed = tuple(task for task in tx.tasks.instances(chosen.run.key, names) if task.state in FAILED_STATES)
    if clear_chosen(tx, Chosen(chosen.run, structure, failed), now):
        reopen_run(tx, chosen.run, now)
