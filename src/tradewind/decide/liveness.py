"""When something that fell silent counts as lost.

A clock that jumps must not kill what is alive. So age by the wall clock only makes a suspect; it is lost when, for as
long as it may be silent, by the observer's own monotonic clock, nothing new was heard of it. Whoever measures the same
time from the moment it sent its last sign of life knows by then that it counts as lost.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Suspects:
    """Remembers who fell silent, since when we know, and what was last heard of them."""

    __slots__ = ("_confirm_s", "_seen")

    def __init__(self, confirm_s: float) -> None:
        self._confirm_s = confirm_s
        self._seen: dict[Hashable, tuple[datetime | None, float]] = {}

    def confirm(self, silent: Iterable[tuple[Hashable, datetime | None]], monotonic_s: float) -> set[Hashable]:
        """Those that stayed silent. `silent` are all who seem to be now, each with the last sign of life."""
        lost: set[Hashable] = set()
        seen: dict[Hashable, tuple[datetime | None, float]] = {}
        for who, last_sign in silent:
            known = self._seen.get(who)
            since = known[1] if known is not None and known[0] == last_sign else monotonic_s
            if monotonic_s - since >= self._confirm_s:
                lost.add(who)
            else:
                seen[who] = (last_sign, since)
        self._seen = seen
        return lost


class StuckAction(StrEnum):
    """What to do with a task that its executor does not start."""

    REQUEUE = "requeue"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class StuckDecision:
    """What to do, and why."""

    action: StuckAction
    reason: str


def decide_stuck(requeues: int, most_requeues: int, timeout_s: float) -> StuckDecision:
    """A task was queued for longer than `[scheduler] task_queued_timeout`."""
    if requeues < most_requeues:
        return StuckDecision(
            StuckAction.REQUEUE, f"not started within {timeout_s:g} s of being queued: back in line ({requeues + 1}.)"
        )
    return StuckDecision(
        StuckAction.FAIL, f"not started within {timeout_s:g} s of being queued, for the {requeues + 1}. time"
    )
