"""Which triggers a triggerer takes, and whose triggers are orphaned."""

from collections.abc import Collection, Sequence
from datetime import datetime

from tradewind.decide.liveness import Suspects
from tradewind.model.ids import JobKey


def most_to_claim(capacity: int, running: int, at_once: int) -> int:
    """How many more triggers one may take now. Few at a time where there are many, so that all take their part."""
    return max(0, min(capacity - running, at_once))


def silent_triggerers(
    others: Sequence[tuple[JobKey, datetime]],
    known_dead: Collection[JobKey],
    suspects: Suspects,
    monotonic_s: float,
) -> set[JobKey]:
    """Those who are dead: by the lock that they let go of, or because nothing was heard of them for too long."""
    lost = suspects.confirm(others, monotonic_s)
    return {job for job, _ in others if job in lost or job in known_dead}
