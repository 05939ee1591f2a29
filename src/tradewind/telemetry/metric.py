"""What a metric is, and where its values go."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

Tags = Mapping[str, str]


class MetricKind(StrEnum):
    """How its values belong together."""

    COUNTER = "counter"
    GAUGE = "gauge"
    TIMER = "timer"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric, under the name that Airflow gives it."""

    name: str
    kind: MetricKind
    help: str
    tags: tuple[str, ...] = ()
    legacy_name: str | None = None
    """With the values of tags in it, for receivers that know no tags."""
    is_own: bool = False
    """Airflow has no such metric."""


class Sink(Protocol):
    """Somewhere to send values. Never blocks, never raises, and forgets what it cannot deliver."""

    def count(self, metric: Metric, amount: float, tags: Tags) -> None:
        """A counter went up."""

    def gauge(self, metric: Metric, value: float, tags: Tags, *, is_change: bool = False) -> None:
        """A value is now this, or changed by this."""

    def timing(self, metric: Metric, seconds: float, tags: Tags) -> None:
        """Something took so long."""

    def close(self) -> None:
        """Deliver what is left, within seconds."""
