"""Which triggers a triggerer takes, whose triggers are orphaned, and which are kept apart from others."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Final

from tradewind.decide.liveness import Suspects
from tradewind.model.ids import JobKey
from tradewind.model.trigger import EndedTask, Fired

MOST_RESUMED_AT_ONCE: Final = 200
"""Enough that the statements cost next to nothing for each, few enough that workers need not wait for all of them."""


def most_to_claim(capacity: int, running: int, at_once: int) -> int:
    """How many more triggers one may take now. Few at a time where there are many, so that all take their part."""
    return max(0, min(capacity - running, at_once))


def stored_together(fired: Sequence[Fired], most: int = MOST_RESUMED_AT_ONCE) -> tuple[list[Fired], list[Fired]]:
    """What one transaction stores, and what the next ones do, each in the order in which it was said.

    Of tasks that go on in workers only so many: while the next ones are stored, the first ones start. Those that have
    ended wait for nobody, and are stored with whatever else there is.
    """
    resumed = [each for each in fired if not isinstance(each.what, EndedTask)]
    later = resumed[most:]
    if not later:
        return list(fired), []
    now = set(map(id, resumed[:most]))
    return [each for each in fired if isinstance(each.what, EndedTask) or id(each) in now], later


def silent_triggerers(
    others: Sequence[tuple[JobKey, datetime]],
    known_dead: Collection[JobKey],
    suspects: Suspects,
    monotonic_s: float,
) -> set[JobKey]:
    """Those who are dead: by the lock that they let go of, or because nothing was heard of them for too long."""
    lost = suspects.confirm(others, monotonic_s)
    return {job for job, _ in others if job in lost or job in known_dead}


@dataclass(frozen=True, slots=True)
class Patience:
    """How much others put up with from a trigger. Durations are in seconds."""

    blocks: int = 3
    """Who holds up others so many times in `within_s` goes on in quarantine."""
    within_s: float = 600.0
    longest_block_s: float = 5.0
    """Who does not let others run for so long goes there at once."""
    in_quarantine_s: float = 30.0
    """Who does not let others in quarantine run for so long has failed."""


USUAL_PATIENCE: Final = Patience()


def keeps_blocking(blocked_at: Sequence[float], now_s: float, patience: Patience) -> bool:
    """Whether who held up others at these moments will do so again, as far as one can tell."""
    return sum(at > now_s - patience.within_s for at in blocked_at) >= patience.blocks


class Sentence(Enum):
    """What becomes of those whose code ran when their process stood still or died."""

    QUARANTINE = auto()
    """They go on apart from those whom nobody suspects."""
    SOLITUDE = auto()
    """Each goes on in a process of its own: one of them is to blame, and nobody knows which."""
    FAILURE = auto()


def sentence(*, suspects: int, strikes: int, is_quarantine: bool) -> Sentence:
    """For one of that many, who ran among all others or in quarantine, and is suspected for the so-manieth time.

    Nobody fails for a single time: whoever kills a process from outside strikes who just happens to run.
    """
    if not is_quarantine:
        return Sentence.QUARANTINE
    if suspects > 1:
        return Sentence.SOLITUDE
    return Sentence.FAILURE if strikes > 1 else Sentence.QUARANTINE
