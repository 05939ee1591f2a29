"""A person stopped tasks that wait: what their triggers wait for outside is to be ended too."""

from collections.abc import Collection, Iterable

from tradewind.model.ids import TaskKey
from tradewind.model.states import TaskState
from tradewind.model.task import TaskInstance, TaskSnapshot
from tradewind.storage.interface import Transaction


def call_off_triggers(
    tx: Transaction, before: Iterable[TaskInstance | TaskSnapshot], changed: Collection[TaskKey]
) -> None:
    """Of those task instances that waited, and were changed."""
    waited = [task.key for task in before if task.state is TaskState.DEFERRED and task.key in changed]
    if waited:
        tx.triggers.call_off(waited)
