"""A sink that remembers what it was told."""

from dataclasses import dataclass, field

from tradewind.telemetry.metric import Metric, Tags


@dataclass
class Remembering:
    """Implements `telemetry.metric.Sink`."""

    told: list[tuple[str, str, float, dict[str, str]]] = field(default_factory=list)
    is_closed: bool = False

    def count(self, metric: Metric, amount: float, tags: Tags) -> None:
        self.told.append(("count", metric.name, amount, dict(tags)))

    def gauge(self, metric: Metric, value: float, tags: Tags, *, is_change: bool = False) -> None:
        self.told.append(("change" if is_change else "gauge", metric.name, value, dict(tags)))

    def timing(self, metric: Metric, seconds: float, tags: Tags) -> None:
        self.told.append(("timing", metric.name, seconds, dict(tags)))

    def close(self) -> None:
        self.is_closed = True

    def of(self, name: str) -> list[tuple[str, float, dict[str, str]]]:
        """What was told of one metric."""
        return [(kind, value, tags) for kind, told, value, tags in self.told if told == name]
