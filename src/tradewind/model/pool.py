"""A pool: how many slots its tasks may hold at once."""

from dataclasses import dataclass

DEFAULT_POOL = "default_pool"
UNLIMITED_SLOTS = -1


@dataclass(frozen=True, slots=True)
class Pool:
    """A named number of slots."""

    name: str
    slots: int
    include_deferred: bool = False
    """Whether a deferred task keeps its slots."""
    description: str | None = None
    served_turn: int = 0
    """The fair turn of the task admitted last: the pool's virtual time (see `decide.fairness`)."""
