"""Let tasks run again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tradewind.decide.transitions import TaskEvent, sources, target
from tradewind.errors import Conflict
from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_RUN_STATES, RunState, TaskState
from tradewind.model.task import TaskInstance
from tradewind.operations.call_off_triggers import call_off_triggers
from tradewind.operations.choose_tasks import Chosen, Selection, choose_tasks, touch_run
from tradewind.operations.deadlines import move_deadlines
from tradewind.operations.structures import Structures
from tradewind.operations.use_latest_version import goes_on_with_latest, use_latest_version
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import RunMoved, TasksMoved

_UNDONE_AT_ONCE: Final = sources(TaskEvent.CLEAR) - {TaskState.NONE}


@dataclass(frozen=True, slots=True)
class Afterwards:
    """What becomes of the runs of cleared tasks, and what is refused."""

    reopens_runs: bool = True
    """Whether runs that had ended are queued again. Else the tasks wait until somebody does that."""
    on_latest_version: bool | None = False
    """Whether the runs go on with the DAG as it is now. None: as the DAG says."""
    refuses_running: bool = False
    """Whether to clear nothing if one of them is running."""


def clear_tasks(
    tx: Transaction,
    selection: Selection,
    structures: Structures,
    now: datetime,
    afterwards: Afterwards = Afterwards(),  # noqa: B008 - never changes
) -> list[TaskKey]:
    """Undo the chosen instances (with the setups and teardowns around them) and let their runs go on.

    A task that runs is told to stop and then starts over. A run that had ended is queued again. Past tries stay in
    the history, and each cleared task gets as many further tries as its DAG gives it.

    Raises:
        UnknownDag, UnknownRun, UnknownTask: as the name says.
        Conflict: one of them is running, and that is refused.
    """
    cleared: list[TaskKey] = []
    for chosen in choose_tasks(tx, selection, structures, with_setups=True):
        if afterwards.refuses_running:
            _refuse_running(chosen)
        changed = clear_chosen(tx, chosen, now)
        if changed:
            if goes_on_with_latest(chosen.structure, afterwards.on_latest_version):
                use_latest_version(tx, chosen.run, structures, now)
            if afterwards.reopens_runs:
                reopen_run(tx, chosen.run, now)
            touch_run(tx, chosen.run, now)
        cleared.extend(sorted(changed))
    return cleared


def would_clear_tasks(tx: Transaction, selection: Selection, structures: Structures) -> list[TaskKey]:
    """What `clear_tasks` would clear. Nobody waits for it, and it waits for nobody.

    Raises:
        UnknownDag, UnknownRun, UnknownTask: as the name says.
    """
    found = choose_tasks(tx, selection, structures, with_setups=True, locks=False)
    return [
        task.key
        for chosen in found
        for task in chosen.instances
        if task.state in _UNDONE_AT_ONCE | sources(TaskEvent.RESTART)
    ]


def clear_chosen(tx: Transaction, chosen: Chosen, now: datetime) -> set[TaskKey]:
    """Clear instances of one locked run; the run itself is left as it is."""
    restarting = [task for task in chosen.instances if task.state in sources(TaskEvent.RESTART)]
    clearing = [task for task in chosen.instances if task.state in _UNDONE_AT_ONCE]
    tx.attempts.archive([task.key for task in clearing])
    changed = set()
    for tasks, event in ((restarting, TaskEvent.RESTART), (clearing, TaskEvent.CLEAR)):
        state = target(event)
        moved = tx.tasks.set_state(tasks, state, now, max_tries=_further_tries(chosen, tasks), reason="")
        if moved:
            tx.emit(TasksMoved(state, tuple(sorted(moved))))
        changed |= moved
    call_off_triggers(tx, chosen.instances, changed)
    return changed


def _refuse_running(chosen: Chosen) -> None:
    for task in chosen.instances:
        if task.state is TaskState.RUNNING:
            raise Conflict(f"task {task.task_id!r} of run {task.run_id!r} is running")


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
        move_deadlines(tx, run, now)
        tx.emit(RunMoved(run.key, run.dag_id, run.run_id, RunState.QUEUED))
