"""Operators that choose which of the tasks behind them run."""

from collections.abc import Iterable, Iterator
from typing import Any

from tradewind.sdk.context import Context
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.skip import SkipMixin


class BranchMixIn(SkipMixin):
    """For operators that branch: one call does it."""

    def do_branch(
        self, context: Context, branches_to_execute: str | Iterable[str] | None
    ) -> str | Iterable[str] | None:
        """Skip what is directly behind this task but not chosen; `None` chooses nothing."""
        self.log.info("Branching into %s", branches_to_execute)
        if branches_to_execute is None:
            self.skip_all_except(context["ti"], None)
        else:
            self.skip_all_except(context["ti"], list(self._expand_task_group_roots(context["ti"], branches_to_execute)))
        return branches_to_execute

    def _expand_task_group_roots(self, ti: Any, branches_to_execute: str | Iterable[str]) -> Iterator[str]:
        # Choosing a group means choosing the tasks in it that nothing else in it comes before.
        groups = ti.task.dag.task_group_dict
        branches: Any = branches_to_execute
        if isinstance(branches, str) or not isinstance(branches, Iterable):
            branches = [branches]
        for branch in branches:
            if isinstance(branch, str) and branch in groups:
                yield from (root.task_id for root in groups[branch].roots)
            else:
                yield branch


class BaseBranchOperator(BaseOperator, BranchMixIn):
    """Base of operators that choose: implement `choose_branch`."""

    inherits_from_skipmixin = True

    def choose_branch(self, context: Context) -> str | Iterable[str] | None:
        """The id of the task or task group to follow, several of them, or `None` to skip all that is downstream."""
        raise NotImplementedError(f"{type(self).__name__} must implement choose_branch(context)")

    def execute(self, context: Context) -> Any:
        """Ask for the branch and follow it."""
        return self.do_branch(context, self.choose_branch(context))
