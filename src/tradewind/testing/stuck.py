"""Runs in which nothing can happen any more, and why."""

from collections.abc import Iterable
from datetime import datetime

from tradewind.model.ids import RunKey
from tradewind.model.states import FINISHED_STATES, TaskState
from tradewind.model.task import TaskInstance
from tradewind.operations.explain import why_task_waits
from tradewind.storage.interface import Transaction
from tradewind.testing.memory.premises import Premises


class RunStuck(RuntimeError):
    """A task waits for something that can never come in this test; the message says for what."""


def why_stuck(tx: Transaction, runs: Iterable[RunKey], premises: Premises, now: datetime) -> str:
    """What the unfinished tasks wait for, in the words of the engine."""
    unfinished = [task for key in runs for task in tx.tasks.instances(key) if task.state not in FINISHED_STATES]
    # Those that only wait for others say nothing about the cause, unless there are no others.
    told = [task for task in unfinished if task.state is not TaskState.NONE] or unfinished
    lines = [
        f"{task.dag_id}.{task.task_id}{'' if task.map_index < 0 else f'[{task.map_index}]'} is"
        f" {task.state.value}: {_why(tx, task, premises, now)}"
        for task in told
    ]
    return "\n".join(["nothing can happen any more", *lines])


def _why(tx: Transaction, task: TaskInstance, premises: Premises, now: datetime) -> str:
    if task.state is TaskState.AWAITING_INPUT:
        return f"a person has to answer: give run_dag the answer, as in answers={{{task.task_id!r}: 'Approve'}}"
    reasons = why_task_waits(
        tx, task.dag_id, task.run_id, task.task_id, premises.structures, now, map_index=task.map_index
    )
    return "; ".join(reason.text for reason in reasons) or "nothing holds it back"
