"""The instants at which a schedule ticks, however they are found."""

from datetime import datetime
from typing import Protocol


class Grid(Protocol):
    """Ticks in order. `None` says that there is none on that side: before the first or after the last."""

    def after(self, instant: datetime) -> datetime | None:
        """The first tick later than `instant`."""

    def before(self, instant: datetime) -> datetime | None:
        """The last tick earlier than `instant`."""

    def at_or_after(self, instant: datetime) -> datetime | None:
        """`instant` if it is a tick, else the one that follows."""

    def at_or_before(self, instant: datetime) -> datetime | None:
        """`instant` if it is a tick, else the one that precedes it."""

    def newest_boundary(self, now: datetime, start: datetime | None) -> datetime | None:
        """Where the newest complete span between two ticks ends, for a schedule that began at `start`."""
