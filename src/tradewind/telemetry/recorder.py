"""Passes each value on to all sinks."""

import re
from collections.abc import Callable, Sequence

from tradewind.telemetry.metric import Metric, Sink, Tags


class Recorder:
    """Implements `metric.Sink`. A sink that raises is dropped: it never stops the engine, nor the other sinks (B10)."""

    def __init__(self, sinks: Sequence[Sink], is_wanted: Callable[[str], bool] = lambda _: True) -> None:
        """`is_wanted`: whether a metric of this name is kept at all."""
        self._sinks = list(sinks)
        self._is_wanted = is_wanted
        self._known: dict[str, bool] = {}

    def count(self, metric: Metric, amount: float, tags: Tags) -> None:
        """See `Sink.count`."""
        if self._wants(metric.name):
            self._each(lambda sink: sink.count(metric, amount, tags))

    def gauge(self, metric: Metric, value: float, tags: Tags, *, is_change: bool = False) -> None:
        """See `Sink.gauge`."""
        if self._wants(metric.name):
            self._each(lambda sink: sink.gauge(metric, value, tags, is_change=is_change))

    def timing(self, metric: Metric, seconds: float, tags: Tags) -> None:
        """See `Sink.timing`."""
        if self._wants(metric.name):
            self._each(lambda sink: sink.timing(metric, seconds, tags))

    def close(self) -> None:
        """See `Sink.close`."""
        self._each(lambda sink: sink.close())

    def _wants(self, name: str) -> bool:
        known = self._known.get(name)
        if known is None:
            known = self._is_wanted(name)
            if len(self._known) < _MOST_REMEMBERED:
                self._known[name] = known
        return known

    def _each(self, act: Callable[[Sink], None]) -> None:
        for sink in tuple(self._sinks):
            try:
                act(sink)
            except Exception:  # whatever a sink raises, the engine must go on
                self._sinks.remove(sink)


_MOST_REMEMBERED = 10_000


def wanted_names(allow_list: str, block_list: str) -> Callable[[str], bool]:
    """By `metrics_allow_list`, else by `metrics_block_list`: regular expressions with commas between them, looked for
    anywhere in a name. Raises `re.error`."""
    allowed, blocked = _patterns(allow_list), _patterns(block_list)
    if allowed:
        return lambda name: any(pattern.search(name) for pattern in allowed)
    return lambda name: not any(pattern.search(name) for pattern in blocked)


def _patterns(text: str) -> list[re.Pattern[str]]:
    return [re.compile(each.strip(), re.IGNORECASE) for each in text.split(",") if each.strip()]
