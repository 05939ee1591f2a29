"""Let tasks run again."""

from collections.abc import Sequence
from datetime import datetime

from tradewind.decide.transitions import TaskEvent, sources, target
from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_RUN_STATES, RunState, TaskState
from tradewind.model.task import TaskInstance
from tradewind.operations.choose_tasks import Chosen, Selection, choose_tasks, touch_run
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import RunMoved, TasksMoved


def clear_tasks(tx: Transaction, selection: Selection, structures: Structures, now: datetime) -> list[TaskKey]:
    """Undo the chosen instances (with the setups and teardowns around them) and let their runs go on.

    A task that runs is told to stop and then starts over. A run that had ended is queued again. Past tries stay in
    the history, and each cleared task gets as many further tries as its DAG gives it.

    Raises:
        UnknownDag, UnknownRun, UnknownTask: as the name says.
    """
    cleared: list[TaskKey] = []
    for chosen in choose_tasks(tx, selection, structures, with_setups=True):
        changed = clear_chosen(tx, chosen, now)
        if changed:
            reopen_run(tx, chosen.run, now)
            touch_run(tx, chosen.run, now)
        cleared.extend(sorted(changed))
    return cleared


def clear_chosen(tx: Transaction, chosen: Chosen, now: datetime) -> set[TaskKey]:
    """Clear instances of one locked run; the run itself is left as it is."""
    restarting = [task for task in chosen.instances if task.state in sources(TaskEvent.RESTART)]
    clearing = [
        task for task in chosen.instances if task.state in sources(TaskEvent.CLEAR) and task.state is not TaskState.NONE
    ]
    tx.attempts.archive([task.key for task in clearing])
    changed = set()
    for tasks, event in ((restarting, TaskEvent.RESTART), (clearing, TaskEvent.CLEAR)):
        state = target(event)
        moved = tx.tasks.set_state(tasks, state, now, max_tries=_further_tries(chosen, tasks), reason="")
        if moved:
            tx.emit(TasksMoved(state, tuple(sorted(moved))))
        changed |= moved
    return changed


def _further_tries(chosen: Chosen, tasks: Sequence[TaskInstance]) -> list[int]:
    structure = chosen.structure
    retries = {task.task_id: task.retry.retries for task in structure.tasks}
    return [task.try_number + retries.get(task.task_id, 0) for task in tasks]


def reopen_run(tx: Transaction, run: Run, now: datetime) -> None:
    """A run that had ended is queued again; any other goes on anyway."""
    if run.state not in FINISHED_RUN_STATES:
        tx.runs.set_state(run.key, run.state, run.state, now, forced_state=None)
        return
    queue_again(tx, run, now)


def queue_again(tx: Transaction, run: Run, now: datetime) -> None:
    """From the beginning: when its time and a place come, it starts."""
    is_open = tx.runs.set_state(
        run.key,
        run.state,
        RunState.QUEUED,
        now,
        queued_at=now,
        started_at=None,
        times_out_at=None,
        reason=None,
        forced_state=None,
        clear_number=run.clear_number + 1,
    )
    if is_open:
        tx.emit(RunMoved(run.key, run.dag_id, run.run_id, RunState.QUEUED))
