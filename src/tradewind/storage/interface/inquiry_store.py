"""The store of what tasks ask people."""

from collections.abc import Collection
from typing import Protocol

from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.inquiry import HumanAnswer, Inquiry


class InquiryStore(Protocol):
    """Questions of tasks to people, one for each try."""

    def put(self, inquiry: Inquiry) -> None:
        """Create, or replace what the same try has asked before. The task instance must exist."""

    def find(self, task: TaskKey, try_number: int) -> Inquiry | None:
        """What a try asked."""

    def of_attempts(self, attempts: Collection[AttemptKey]) -> dict[AttemptKey, Inquiry]:
        """What these attempts asked, as far as they asked something."""

    def answer(self, inquiry: Inquiry, answer: HumanAnswer) -> bool:
        """Store an answer. Returns whether it was the first one to this very question: else nothing has changed."""
