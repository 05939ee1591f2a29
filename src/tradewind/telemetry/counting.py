"""How handlers say numbers."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from tradewind.telemetry.metric import Metric, Sink

Handlers = dict[type, Callable[[Any], None]]
"""Which kind of event is whose."""


class Numbers:
    """What handlers of some events have in common."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def _count(self, metric: Metric, /, **tags: str) -> None:
        self._sink.count(metric, 1, tags)

    def _add(self, metric: Metric, amount: float, /, **tags: str) -> None:
        self._sink.count(metric, amount, tags)

    def _gauge(self, metric: Metric, value: float, /, **tags: str) -> None:
        self._sink.gauge(metric, value, tags)

    def _timing(self, metric: Metric, seconds: float, /, **tags: str) -> None:
        self._sink.timing(metric, seconds, tags)

    def _between(self, metric: Metric, since: datetime | None, until: datetime | None, /, **tags: str) -> None:
        if since is not None and until is not None:
            self._timing(metric, max(0.0, (until - since).total_seconds()), **tags)
