"""The composition root of metrics and traces: which receivers, by the configuration."""

import importlib
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

from tradewind.errors import SettingsError
from tradewind.settings import MetricsSettings, Settings, TracesSettings
from tradewind.telemetry.engine_metrics import EngineMetrics
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.metric import Sink
from tradewind.telemetry.prometheus import Registry
from tradewind.telemetry.recorder import Recorder, wanted_names
from tradewind.telemetry.scrape import MetricsPage
from tradewind.telemetry.statsd import StatsdOptions, StatsdSink, TagStyle

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

_SERVICE: Final = "Airflow"


@contextmanager
def measured(settings: Settings, hub: Hub, service: str) -> Iterator[MetricsPage | None]:
    """While a block runs, what this service does goes to all receivers of the configuration. The page that Prometheus
    reads, if it shall.

    Enter it in the process that works: what sends is a thread. Without a receiver, nothing is measured at all.

    Raises:
        SettingsError: a receiver is wrongly described, or needs a package that is not installed.
    """
    metrics = settings.metrics
    registry = Registry(metrics.prometheus_prefix) if metrics.prometheus_on else None
    with ExitStack() as stack:
        sinks: list[Sink] = [] if registry is None else [registry]
        if metrics.statsd_on:
            sinks.append(StatsdSink(_statsd_options(metrics)))
        if metrics.otel_on:
            sinks.append(_otel_sink(metrics, service))
        if sinks:
            recorder = Recorder(sinks, wanted_names(metrics.metrics_allow_list, metrics.metrics_block_list))
            stack.callback(recorder.close)
            hub.attach(EngineMetrics(recorder), measures=True)
        if settings.traces.otel_on:
            traces = _traces(settings.traces, service)
            stack.callback(traces.close)
            hub.attach(traces)
        yield None if registry is None else page_of(settings, registry)


def page_of(settings: Settings, registry: Registry) -> MetricsPage:
    """What is kept for Prometheus, for those who may see it."""
    metrics = settings.metrics
    return MetricsPage(registry=registry, token=metrics.prometheus_token, is_public=metrics.prometheus_public)


def _statsd_options(metrics: MetricsSettings) -> StatsdOptions:
    style = TagStyle.NONE
    if metrics.statsd_datadog_enabled:
        style = TagStyle.DATADOG
    elif metrics.statsd_influxdb_enabled:
        style = TagStyle.INFLUXDB
    return StatsdOptions(
        host=metrics.statsd_host,
        port=metrics.statsd_port,
        prefix=metrics.statsd_prefix,
        is_ipv6=metrics.statsd_ipv6,
        style=style,
        has_metric_tags=style is not TagStyle.DATADOG or metrics.statsd_datadog_metrics_tags,
        constant_tags=tuple(each.strip() for each in metrics.statsd_datadog_tags.split(",") if each.strip()),
        disabled_tags=metrics.statsd_disabled_tags,
        has_legacy_names=metrics.legacy_names_on,
        rename=_function(metrics.stat_name_handler) if metrics.stat_name_handler else None,
    )


def _function(path: str) -> Callable[[str], str]:
    module, _, name = path.rpartition(".")
    try:
        found: Callable[[str], str] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingsError(f"[metrics] stat_name_handler is {path!r}, which cannot be loaded: {error}") from error
    if not callable(found):
        raise SettingsError(f"[metrics] stat_name_handler is {path!r}, which is no function")
    return found


def _otel_sink(metrics: MetricsSettings, service: str) -> Sink:
    otel = _load("tradewind.telemetry.otel_metrics", "[metrics] otel_on")
    options = otel.OtelOptions(
        url=metrics.otel_url("metrics"),
        resource=_resource(otel, metrics.otel_service, service),
        prefix=metrics.otel_prefix,
        interval_s=metrics.otel_interval_milliseconds / 1000,
    )
    sink: Sink = otel.OtelSink(options)
    return sink


def _traces(settings: TracesSettings, service: str) -> Any:
    otel = _load("tradewind.telemetry.otel_metrics", "[traces] otel_on")
    traces = _load("tradewind.telemetry.otel_traces", "[traces] otel_on")
    return traces.OtelTraces(_resource(otel, settings.otel_service, service), settings.otel_url("traces"))


def _resource(otel: Any, name: str, service: str) -> "Resource":
    instance = f"{service}@{socket.gethostname()}:{os.getpid()}"
    found: Resource = otel.resource_of(name, _SERVICE, instance)
    return found


def _load(module: str, option: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise SettingsError(f"{option} needs a package that is not installed: pip install 'tradewind[otel]'") from error
