"""Why has this run not ended? Its own reasons if it does not run; else what becomes of its tasks."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tradewind.decide.explain import Reason
from tradewind.errors import UnknownRun
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_STATES, OCCUPYING_STATES, RunState, TaskState
from tradewind.model.task import TaskInstance, TaskSnapshot
from tradewind.operations.explain import why_run_waits, why_task_waits
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

_MOST: Final = 10
_NEAREST: Final = (OCCUPYING_STATES, frozenset(TaskState) - FINISHED_STATES - {TaskState.NONE})
"""Those that work come first, then those that are next, then those that may wait for them."""


@dataclass(frozen=True, slots=True)
class RunExplanation:
    """Why a run does not run, or has not ended."""

    run: Run
    reasons: list[Reason]
    awaited: list[tuple[TaskInstance, list[Reason]]]
    """The first of its task instances that have not ended, and why."""
    unfinished: int
    summary: str | None
    """Of a running one."""


def explain_one_run(tx: Transaction, dag_id: str, run_id: str, structures: Structures, now: datetime) -> RunExplanation:
    """Raises `UnknownDag` and `UnknownRun`."""
    reasons = why_run_waits(tx, dag_id, run_id, structures, now)
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    if run.state is not RunState.RUNNING:
        return RunExplanation(run, reasons, [], 0, None)
    unfinished = [each for each in tx.tasks.of_runs([run.key]) if each.state not in FINISHED_STATES]
    first = sorted(unfinished, key=_nearness)[:_MOST]
    tasks = {task.key: task for task in tx.tasks.instances(run.key, {each.task_id for each in first})}
    awaited = [(tasks[each.key], _why(tx, tasks[each.key], structures, now)) for each in first if each.key in tasks]
    return RunExplanation(run, reasons, awaited, len(unfinished), _summary(unfinished))


def _nearness(task: TaskSnapshot) -> tuple[int, str, int]:
    rank = next((number for number, states in enumerate(_NEAREST) if task.state in states), len(_NEAREST))
    return rank, task.task_id, task.map_index


def _why(tx: Transaction, task: TaskInstance, structures: Structures, now: datetime) -> list[Reason]:
    if task.state is TaskState.RUNNING:
        since = "" if task.started_at is None else f" since {task.started_at.isoformat()}"
        return [Reason("running", f"it is running{since}")]
    return why_task_waits(tx, task.dag_id, task.run_id, task.task_id, structures, now, map_index=task.map_index)


def _summary(unfinished: list[TaskSnapshot]) -> str:
    if not unfinished:
        return "All its tasks have ended: a scheduler will end it next."
    working = sum(each.state in OCCUPYING_STATES for each in unfinished)
    return f"It is running: {len(unfinished)} of its tasks have not ended, {working} of them are at work."
