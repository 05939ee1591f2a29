"""What a triggerer is told about itself."""

from collections.abc import Collection
from dataclasses import dataclass

from tradewind.decide.mapping import MOST_MAPPED


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggererOptions:
    """Durations are in seconds."""

    capacity: int
    claimed_at_once: int
    heartbeat_s: float
    threshold_s: float
    """After how long a silence another triggerer counts as dead."""
    runner_threshold_s: float
    """After how long a silence the runner is started anew."""
    longest_retry_delay_s: float
    longest_mapped: int = MOST_MAPPED
    """How many elements of what a task returned others may be mapped over."""
    queues: Collection[str] | None = None
    """None: triggers without a queue."""
