"""`with setup_task:` and `with teardown_task:` blocks.

What is defined inside such a block lies between the setups and the teardowns it was opened with. The arrows are drawn
when the block ends, from the setups to whatever has nothing of the block before it, and from whatever has nothing of
the block after it to the teardowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tradewind.sdk.abstract_operator import AbstractOperator


class _Block:
    """One open block."""

    def __init__(self, owners: Sequence[AbstractOperator]) -> None:
        self.setups = [task for task in owners if task.is_setup]
        self.teardowns = [task for task in owners if task.is_teardown]
        self._complete()
        self.members: dict[str, AbstractOperator] = {}

    def _complete(self) -> None:
        """A block of a teardown is also one of its setups, and the other way round."""
        for teardown in list(self.teardowns):
            self._add(self.setups, [task for task in teardown.upstream_list if task.is_setup])
        for setup in list(self.setups):
            self._add(self.teardowns, [task for task in setup.downstream_list if task.is_teardown])

    @staticmethod
    def _add(known: list[AbstractOperator], more: Sequence[AbstractOperator]) -> None:
        known.extend(task for task in more if not any(task is other for other in known))

    def close(self) -> None:
        owners = {task.task_id for task in (*self.setups, *self.teardowns)}
        work = [task for task_id, task in self.members.items() if task_id not in owners]
        inside = {task.task_id for task in work}
        for task in work:
            if inside.isdisjoint(task.upstream_task_ids) and not task.is_teardown:
                task.set_upstream(self.setups)
            if inside.isdisjoint(task.downstream_task_ids) and not task.is_setup:
                task.set_downstream(self.teardowns)
        for setup in self.setups:
            setup.set_downstream(self.teardowns)


class SetupTeardownContext:
    """The open blocks, innermost last."""

    _blocks: list[_Block] = []  # noqa: RUF012 - one file is read at a time, by one thread

    @classmethod
    def push(cls, owners: Sequence[AbstractOperator]) -> None:
        """Open a block."""
        cls._blocks.append(_Block(owners))

    @classmethod
    def pop(cls) -> None:
        """Close the innermost block and draw its arrows. What is in it is in the block around it as well."""
        block = cls._blocks.pop()
        block.close()
        if cls._blocks:
            cls._blocks[-1].members.update(block.members)
            cls._blocks[-1].members.update({task.task_id: task for task in (*block.setups, *block.teardowns)})

    @classmethod
    def add(cls, task: AbstractOperator) -> None:
        """A task was defined; it belongs to the innermost block, if one is open."""
        if cls._blocks:
            cls._blocks[-1].members[task.task_id] = task

    @classmethod
    def add_task(cls, task: Any) -> None:
        """A task that was defined before the block belongs to it: `with teardown as scope: scope.add_task(work)`."""
        for operator in task if isinstance(task, list | tuple) else [task]:
            made: Any = getattr(operator, "operator", operator)
            cls.add(made)


class ContextWrapper(list[Any]):
    """Several setups and teardowns that open one block together: `with context_wrapper([a, b]):`."""

    def __enter__(self) -> type[SetupTeardownContext]:
        SetupTeardownContext.push([getattr(task, "operator", task) for task in self])
        return SetupTeardownContext

    def __exit__(self, *exc_info: object) -> None:
        SetupTeardownContext.pop()


def context_wrapper(tasks: Sequence[Any]) -> ContextWrapper:
    """Open one block with several setups and teardowns."""
    return ContextWrapper(tasks)
