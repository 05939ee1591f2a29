"""The store of callbacks of missed deadlines, on their way to who calls them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from tradewind.model.deadline import Deadline, DeadlineKey, DeadlineState
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem


class DeadlineCallbackStore(Protocol):
    """A state is written only where the one before is still there, and by who was given it last."""

    def waiting(self, *, is_async: bool, limit: int) -> list[Deadline]:
        """Lock those that nobody has, for triggerers or for workers, the oldest first; not what another holds."""

    def hand_out(self, keys: Collection[DeadlineKey], after: DeadlineState, until: datetime) -> None:
        """pending → queued or running, of locked ones, for the next attempt."""

    def begin(self, items: Sequence[CallbackItem], until: datetime) -> list[Deadline]:
        """queued → running. Returns those that may be called now: an item may come twice, or late."""

    def is_held(self, item: CallbackItem) -> bool:
        """Whether it is being called, and by who has this."""

    def renew(self, items: Sequence[CallbackItem], until: datetime) -> None:
        """Who has them lives."""

    def end(self, end: CallbackEnd, after: DeadlineState) -> bool:
        """running → success or failed. False: it is somebody else's by now."""

    def refuse(self, key: DeadlineKey, message: str) -> None:
        """Not to be called → failed, of a locked one."""

    def lapsed(self, now: datetime, limit: int) -> list[Deadline]:
        """Lock those whose holders have fallen silent; not what another holds."""

    def put_back(self, keys: Collection[DeadlineKey]) -> None:
        """→ pending, of locked ones."""
