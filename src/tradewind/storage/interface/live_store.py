"""The store of live changes: what transactions have done, for those who watch."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from tradewind.model.ids import RunKey
from tradewind.model.live import LiveRow


class LiveStore(Protocol):
    """Kept for a while, and only while somebody listens."""

    def listen(self, now: datetime) -> datetime | None:
        """Somebody listens: who writes shall tell. Has to be said again and again. Returns when it was last said."""

    def after(self, key: int, missing: Collection[int], limit: int) -> list[LiveRow]:
        """What came after that one, and those of the missing ones that are there now; by key."""

    def kept(self) -> list[tuple[int, datetime]]:
        """Keys of all that there is, in order, and when it happened."""

    def forget(self, through: int) -> None:
        """All up to this key."""

    def begin_anew(self, now: datetime) -> None:
        """Forget all of it. What is left is one row without entries: its key says where the beginning was."""

    def names_of_runs(self, run_keys: Collection[RunKey]) -> dict[RunKey, tuple[str, str]]:
        """Ids of the DAG and of the run, of those that are still there."""
