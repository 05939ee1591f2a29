"""What the code of tasks, triggers and DAG files measures, told to whoever watches over their process."""

import math
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from time import perf_counter
from typing import Final, Literal

from tradewind.sdk.stats import Tags
from tradewind.wire.metrics import LONGEST_METRIC_NAME, MOST_METRIC_TAGS, Measured

_MOST_A_SECOND: Final = 100
"""Metrics that are told at once. Whatever comes faster is added up first, so that no loop can flood the supervisor."""
_MOST_GATHERED: Final = 1_000
"""Of different names or tags. The rest is lost until the next second."""

Kind = Literal["c", "g", "d", "ms"]
_Key = tuple[Kind, str, tuple[tuple[str, str], ...]]


class TaskMetrics:
    """Implements `sdk.stats.StatsSink`. All is told, so sample rates mean nothing here."""

    def __init__(self, tell: Callable[[list[Measured]], object], hide: Callable[[str], str] = str) -> None:
        """`tell` may be called from any thread that measures; what `hide` returns is told in place of a text."""
        self._tell = tell
        self._hide = hide
        self._lock = Lock()
        self._pid = os.getpid()
        self._second = 0
        self._told = 0
        self._gathered: dict[_Key, float] = {}

    def incr(self, stat: str, count: int, rate: float, tags: Tags) -> None:
        """See `StatsSink.incr`."""
        self._take("c", stat, count, tags)

    def gauge(self, stat: str, value: float, rate: float, delta: bool, tags: Tags) -> None:
        """See `StatsSink.gauge`."""
        self._take("d" if delta else "g", stat, value, tags)

    def timing(self, stat: str, milliseconds: float, tags: Tags) -> None:
        """See `StatsSink.timing`."""
        self._take("ms", stat, milliseconds, tags)

    def flush(self) -> None:
        """Tell what was gathered."""
        with self._lock:
            gathered, self._gathered = self._gathered, {}
        if gathered:
            self._send([Measured(kind, name, value, dict(tags)) for (kind, name, tags), value in gathered.items()])

    def _take(self, kind: Kind, name: str, value: float, tags: Tags) -> None:
        if os.getpid() != self._pid:
            return  # two processes at one stream would mix up their words
        if len(name) > LONGEST_METRIC_NAME or not math.isfinite(value):
            return
        name, shown = self._hide(name), self._plain(tags or {})
        second = int(perf_counter())
        if second != self._second:
            self._second, self._told = second, 0
            self.flush()
        if self._told < _MOST_A_SECOND:
            self._told += 1
            self._send([Measured(kind, name, float(value), shown)])
        else:
            with self._lock:
                self._gather((kind, name, tuple(sorted(shown.items()))), float(value))

    def _gather(self, key: _Key, value: float) -> None:
        """Counters and changes add up; of a value, or of how long something took, the last one is kept."""
        if key not in self._gathered and len(self._gathered) >= _MOST_GATHERED:
            return
        adds_up = key[0] in ("c", "d")
        self._gathered[key] = value + (self._gathered.get(key, 0.0) if adds_up else 0.0)

    def _send(self, metrics: list[Measured]) -> None:
        with suppress(ValueError):  # half of a character: no name, no tag
            self._tell(metrics)

    def _plain(self, tags: Mapping[str, object]) -> dict[str, str]:
        chosen = list(tags.items())[:MOST_METRIC_TAGS]
        return {self._hide(str(key)): self._hide(str(value))[:LONGEST_METRIC_NAME] for key, value in chosen}
