"""What becomes of each thing that Airflow has."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tradewind.operations.cipher import Cipher


class Kind(StrEnum):
    """What can be copied."""

    CONNECTIONS = "connections"
    VARIABLES = "variables"
    POOLS = "pools"
    USERS = "users"
    PAUSES = "pauses"
    """Whether DAGs are paused."""
    HISTORY = "history"
    """Runs that are over."""


class Fate(StrEnum):
    """What is done with one of them."""

    COPY = "copy"
    """It is not here yet."""
    REPLACE = "replace"
    """It is here, is another, and is overwritten."""
    SAME = "same"
    """It is here already, and the same."""
    DIFFERS = "differs"
    """It is here, is another, and stays as it is here."""
    LEFT_OUT = "left out"
    """It need not be copied, or not yet."""
    IMPOSSIBLE = "impossible"
    """It should be copied, and cannot be."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one thing, or of several for the same reason."""

    name: str
    fate: Fate
    why: str | None = None
    """Never with anything secret."""
    count: int = 1
    """0: it only comes along with another."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How to copy."""

    theirs: Cipher
    """Opens what Airflow has encrypted."""
    ours: Cipher
    now: datetime
    writes: bool = False
    overwrites: bool = False

    def fate(self, *, is_here: bool, is_same: bool) -> Fate:
        """Of what could be copied."""
        if not is_here:
            return Fate.COPY
        if is_same:
            return Fate.SAME
        return Fate.REPLACE if self.overwrites else Fate.DIFFERS


def is_written(outcome: Outcome) -> bool:
    """Whether something is written for it."""
    return outcome.fate in (Fate.COPY, Fate.REPLACE)
