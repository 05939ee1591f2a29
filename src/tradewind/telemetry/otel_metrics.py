"""Metrics for OpenTelemetry, by its own SDK: an extra, loaded only where it is wanted."""

import re
import threading
from dataclasses import dataclass
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.metrics import Histogram as AnyHistogram
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExponentialBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource

from tradewind.telemetry.metric import Metric, MetricKind, Tags

_TIMEOUT_S: Final = 5
_CLOSING_S: Final = 2.0
_MOST_INSTRUMENTS: Final = 2_000
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.\-/]{0,254}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OtelOptions:
    """Where it goes, and as what."""

    url: str | None = None
    """None: as the variables of OpenTelemetry say."""
    resource: Resource
    prefix: str = ""
    interval_s: float = 60.0


class OtelSink:
    """Implements `metric.Sink`. The SDK adds up, and a thread of it sends; what cannot be sent goes with the next."""

    def __init__(self, options: OtelOptions) -> None:
        self._prefix = f"{options.prefix}." if options.prefix else ""
        exporter = OTLPMetricExporter(endpoint=options.url, timeout=_TIMEOUT_S)
        reader = PeriodicExportingMetricReader(exporter, options.interval_s * 1000, _TIMEOUT_S * 1000)
        # What takes milliseconds and what takes hours is told apart without a word about either.
        view = View(instrument_type=AnyHistogram, aggregation=ExponentialBucketHistogramAggregation())
        self._provider = MeterProvider([reader], options.resource, shutdown_on_exit=False, views=[view])
        self._meter = self._provider.get_meter("tradewind")
        self._instruments: dict[str, Any] = {}
        self._gauges: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}

    def count(self, metric: Metric, amount: float, tags: Tags) -> None:
        """See `Sink.count`. What goes down is no counter, and is not kept."""
        instrument = self._instrument(metric)
        if instrument is not None and amount >= 0:
            instrument.add(amount, tags)

    def gauge(self, metric: Metric, value: float, tags: Tags, *, is_change: bool = False) -> None:
        """See `Sink.gauge`."""
        instrument = self._instrument(metric)
        if instrument is None:
            return
        if is_change:
            key = (metric.name, tuple(sorted(tags.items())))
            if key not in self._gauges and len(self._gauges) >= _MOST_INSTRUMENTS:
                return
            value = self._gauges[key] = self._gauges.get(key, 0.0) + value
        instrument.set(value, tags)

    def timing(self, metric: Metric, seconds: float, tags: Tags) -> None:
        """See `Sink.timing`. In milliseconds, as Airflow has it."""
        instrument = self._instrument(metric)
        if instrument is not None:
            instrument.record(seconds * 1000, tags)

    def close(self) -> None:
        """See `Sink.close`. A collector that gives no answer is not waited for."""
        closing = threading.Thread(target=self._provider.shutdown, name="otel metrics", daemon=True)
        closing.start()
        closing.join(_CLOSING_S)

    def _instrument(self, metric: Metric) -> Any:
        """None: there can be none of that name, or there are too many already."""
        name = f"{self._prefix}{metric.name}"
        key = f"{metric.kind}:{name}"
        known = self._instruments.get(key)
        if known is None and _NAME.fullmatch(name) and len(self._instruments) < _MOST_INSTRUMENTS:
            known = self._instruments[key] = self._made(metric, name)
        return known

    def _made(self, metric: Metric, name: str) -> Any:
        if metric.kind is MetricKind.COUNTER:
            return self._meter.create_counter(name, description=metric.help)
        if metric.kind is MetricKind.GAUGE:
            return self._meter.create_gauge(name, description=metric.help)
        return self._meter.create_histogram(name, "ms", metric.help)


def resource_of(service: str, default: str, instance: str) -> Resource:
    """Who tells. `default` is its name where neither the configuration nor `OTEL_SERVICE_NAME` has one."""
    resource = Resource.create({"service.instance.id": instance})
    if service:
        return resource.merge(Resource({"service.name": service}))
    is_unknown = str(resource.attributes.get("service.name", "")).startswith("unknown_service")
    return resource.merge(Resource({"service.name": default})) if is_unknown else resource
