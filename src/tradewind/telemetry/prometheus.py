"""Values kept for Prometheus, which comes to fetch them."""

import re
import threading
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from tradewind.telemetry.metric import Metric, MetricKind, Tags

BUCKETS: Final = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 3600.0, 21600.0)
"""Seconds: a pass of the scheduler and a task of hours must both be told apart from others of their kind."""
_MOST_SERIES: Final = 10_000
_MOST_FAMILIES: Final = 2_000
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_:]")
_NOT_IN_LABELS: Final = re.compile(r"[^a-zA-Z0-9_]")
_ENDINGS: Final = {MetricKind.COUNTER: "", MetricKind.GAUGE: "", MetricKind.TIMER: "_seconds"}
_RESERVED: Final = ("le", "quantile")

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Histogram:
    """How long something took, each time."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    """Of each bucket alone; the last one is for all that is longer."""
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """Once more."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds


@dataclass(slots=True)
class Family:
    """All values of a metric, by labels."""

    name: str
    """As Prometheus knows it, without what its kind adds."""
    metric: Metric
    values: dict[Labels, float] = field(default_factory=dict)
    histograms: dict[Labels, Histogram] = field(default_factory=dict)

    def copy(self) -> "Family":
        """As it is now."""
        histograms = {labels: Histogram(list(each.counts), each.total) for labels, each in self.histograms.items()}
        return Family(self.name, self.metric, dict(self.values), histograms)


class Registry:
    """Implements `metric.Sink`. Bounded: what tasks name without end is not kept without end."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = f"{prefix}_" if prefix else ""
        self._families: dict[str, Family] = {}
        self._names: dict[str, str] = {}
        self._lock = threading.Lock()

    def count(self, metric: Metric, amount: float, tags: Tags) -> None:
        """See `Sink.count`. What goes down is no counter, and is not kept."""
        if amount < 0:
            return
        with self._lock:
            family, labels = self._family(metric), _labels(tags)
            if family is not None and _has_room(family.values, labels):
                family.values[labels] = family.values.get(labels, 0.0) + amount

    def gauge(self, metric: Metric, value: float, tags: Tags, *, is_change: bool = False) -> None:
        """See `Sink.gauge`."""
        with self._lock:
            family, labels = self._family(metric), _labels(tags)
            if family is not None and _has_room(family.values, labels):
                family.values[labels] = value + (family.values.get(labels, 0.0) if is_change else 0.0)

    def timing(self, metric: Metric, seconds: float, tags: Tags) -> None:
        """See `Sink.timing`."""
        with self._lock:
            family, labels = self._family(metric), _labels(tags)
            if family is not None and _has_room(family.histograms, labels):
                family.histograms.setdefault(labels, Histogram()).add(seconds)

    def close(self) -> None:
        """See `Sink.close`. Nothing is sent from here."""

    def families(self) -> list[Family]:
        """All of it, as it is now."""
        with self._lock:
            return [family.copy() for family in self._families.values()]

    def _family(self, metric: Metric) -> Family | None:
        """None: there is something else of that name, or too much already."""
        name = self._names.get(metric.name)
        if name is None:
            name = f"{self._prefix}{_NOT_IN_NAMES.sub('_', metric.name)}"
            name = f"_{name}" if name[:1].isdigit() else name
        key = f"{name}{_ENDINGS[metric.kind]}"
        family = self._families.get(key)
        if family is None and len(self._families) < _MOST_FAMILIES:
            self._names[metric.name] = name
            family = self._families[key] = Family(key, metric)
        return family if family is not None and family.metric.kind is metric.kind else None


def merged(parts: Iterable[Sequence[Family]]) -> list[Family]:
    """The families of all of them, by name, each once: where two have the same values, the last one's count."""
    found: dict[str, Family] = {}
    for families in parts:
        for family in families:
            known = found.setdefault(family.name, family)
            if known is not family and known.metric.kind is family.metric.kind:
                known.values |= family.values
                known.histograms |= family.histograms
    return [found[name] for name in sorted(found)]


def summed(parts: Iterable[Sequence[Family]]) -> list[Family]:
    """What processes counted that share their work: all of it together. They keep what they have by parts as well, such
    as how much each remembers, so that gauges add up too."""
    found: dict[str, Family] = {}
    for families in parts:
        for family in families:
            known = found.get(family.name)
            if known is None:
                found[family.name] = family.copy()
            elif known.metric.kind is family.metric.kind:
                _add(known, family)
    return list(found.values())


def _add(known: Family, more: Family) -> None:
    for labels, value in more.values.items():
        known.values[labels] = known.values.get(labels, 0.0) + value
    for labels, histogram in more.histograms.items():
        own = known.histograms.setdefault(labels, Histogram())
        own.counts = [count + another for count, another in zip(own.counts, histogram.counts, strict=True)]
        own.total += histogram.total


def _has_room(values: dict[Labels, float] | dict[Labels, Histogram], labels: Labels) -> bool:
    return labels in values or len(values) < _MOST_SERIES


def _labels(tags: Tags) -> Labels:
    return tuple(sorted((_label(key), value) for key, value in tags.items()))


@lru_cache(maxsize=1_000)
def _label(key: str) -> str:
    name = _NOT_IN_LABELS.sub("_", key)
    if name in _RESERVED or not name or name[0].isdigit() or name.startswith("__"):
        return f"tag_{name}"
    return name
