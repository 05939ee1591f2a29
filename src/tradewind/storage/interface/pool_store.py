"""The store of pools."""

from collections.abc import Collection
from typing import Protocol

from tradewind.model.pool import Pool


class PoolStore(Protocol):
    """Pools."""

    def create(self, new: Pool) -> None:
        """A pool of a name that is not in use."""

    def all(self) -> list[Pool]:
        """By name."""

    def find(self, name: str) -> Pool | None:
        """Without a lock."""

    def lock(self, names: Collection[str], *, skip_locked: bool = False) -> list[Pool]:
        """Lock the rows that exist, by name; `skip_locked` leaves out those that others hold."""

    def served(self, name: str, turn: int) -> None:
        """The pool's virtual time moves on; never back."""

    def update(self, changed: Pool) -> bool:
        """False: there is no such pool."""

    def delete(self, name: str) -> bool:
        """False: there is no such pool."""
