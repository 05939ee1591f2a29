"""OpenTelemetry: metrics and traces, received as a collector does (B8)."""

import gzip
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.unit.telemetry.test_engine_metrics import BEGAN, NOON, RUN, TASK, ended
from tests.web_server import WebServer, web_server
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.telemetry import catalog
from tradewind.telemetry.events import RunMoved, RunTimes
from tradewind.telemetry.measurements import AttemptsBegan
from tradewind.telemetry.metric import Metric, MetricKind
from tradewind.telemetry.otel_metrics import OtelOptions, OtelSink, resource_of
from tradewind.telemetry.otel_traces import OtelTraces

ENDED_AT = NOON + timedelta(seconds=20)


@pytest.fixture
def collector() -> Iterator[WebServer]:
    with web_server() as web:
        yield web


def said(collector: WebServer, path: str, kind: Any) -> Any:
    """The last message that came in on this path."""
    asked = [each for each in collector.asked if each.path == path][-1]
    content = asked.content
    message = kind()
    message.ParseFromString(gzip.decompress(content) if asked.headers.get("Content-Encoding") == "gzip" else content)
    return message


def attributes(pairs: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in pairs}


def test_metrics_reach_a_collector(collector: WebServer) -> None:
    resource = resource_of("", "Airflow", "scheduler@host:1")
    sink = OtelSink(OtelOptions(url=f"{collector.url}/v1/metrics", resource=resource, prefix="airflow"))
    for amount in (1, 2, -5):
        sink.count(catalog.TI_START, amount, {"dag_id": "sales", "task_id": "load"})
    sink.gauge(catalog.DAGBAG_SIZE, 3, {})
    sink.gauge(catalog.DAGBAG_SIZE, 2, {}, is_change=True)
    for seconds in (0.5, 1.5):
        sink.timing(catalog.LOOP_DURATION, seconds, {})
    sink.count(Metric("no name at all!", MetricKind.COUNTER, ""), 1, {})
    sink.close()

    (of_resource,) = said(collector, "/v1/metrics", ExportMetricsServiceRequest).resource_metrics
    metrics = {metric.name: metric for scope in of_resource.scope_metrics for metric in scope.metrics}
    assert attributes(of_resource.resource.attributes)["service.name"] == "Airflow"
    assert metrics.keys() == {
        "airflow.ti.start",
        "airflow.dagbag_size",
        "airflow.scheduler.scheduler_loop_duration",
    }
    (started,) = metrics["airflow.ti.start"].sum.data_points
    assert (started.as_int, attributes(started.attributes)) == (3, {"dag_id": "sales", "task_id": "load"})
    assert metrics["airflow.ti.start"].sum.is_monotonic
    assert metrics["airflow.dagbag_size"].gauge.data_points[0].as_double == 2
    loops = metrics["airflow.scheduler.scheduler_loop_duration"]
    (point,) = loops.exponential_histogram.data_points
    assert (loops.unit, point.count, point.sum) == ("ms", 2, 2000)


def test_a_run_is_a_trace_with_a_span_for_each_attempt(collector: WebServer) -> None:
    """Scheduler and worker tell their parts without a word between them, and they fit."""
    url = f"{collector.url}/v1/traces"
    mapped = replace(TASK, map_index=2, task_id="map")
    worker = OtelTraces(resource_of("", "Airflow", "worker"), url)
    worker(AttemptsBegan((TASK, mapped), BEGAN.runs))
    worker(ended(TaskState.SUCCESS))
    worker(ended(TaskState.FAILED, mapped.attempt_key))
    worker.close()
    of_worker = said(collector, "/v1/traces", ExportTraceServiceRequest)
    scheduler = OtelTraces(resource_of("mine", "Airflow", "scheduler"), url)
    times = RunTimes(RunType.MANUAL, NOON, RUN.started_at, ENDED_AT)
    scheduler(RunMoved(RUN.key, "sales", "r1", RunState.FAILED, "a task failed", times))
    scheduler(RunMoved(RUN.key, "sales", "r1", RunState.RUNNING, times=times))
    scheduler.close()
    of_scheduler = said(collector, "/v1/traces", ExportTraceServiceRequest)

    first, second = of_worker.resource_spans[0].scope_spans[0].spans
    (root,) = of_scheduler.resource_spans[0].scope_spans[0].spans
    assert attributes(of_scheduler.resource_spans[0].resource.attributes)["service.name"] == "mine"
    assert [root.name, first.name, second.name] == ["dag_run.sales", "task_run.load", "task_run.map[2]"]
    assert first.parent_span_id == second.parent_span_id == root.span_id
    assert first.trace_id == second.trace_id == root.trace_id
    assert len({root.span_id, first.span_id, second.span_id}) == 3
    assert (root.status.code, root.status.message, first.status.code, second.status.code) == (2, "a task failed", 1, 2)
    assert root.end_time_unix_nano - root.start_time_unix_nano == 20_000_000_000
    assert attributes(first.attributes) == {
        "airflow.dag_id": "sales",
        "airflow.task_id": "load",
        "airflow.dag_run.run_id": "r1",
        "airflow.task_instance.map_index": -1,
        "airflow.task_instance.try_number": 1,
        "airflow.task_instance.state": "success",
        "airflow.task_instance.operator": "Bash",
    }


def test_a_run_that_began_anew_has_a_span_of_its_own_in_the_same_trace(collector: WebServer) -> None:
    traces = OtelTraces(resource_of("", "Airflow", "scheduler"), f"{collector.url}/v1/traces")
    for hours in (0, 1):
        times = RunTimes(RunType.MANUAL, NOON, NOON + timedelta(hours=hours), NOON + timedelta(hours=hours, seconds=1))
        traces(RunMoved(RUN.key, "sales", "r1", RunState.SUCCESS, times=times))
    traces.close()

    first, second = said(collector, "/v1/traces", ExportTraceServiceRequest).resource_spans[0].scope_spans[0].spans
    assert first.trace_id == second.trace_id
    assert first.span_id != second.span_id


def test_a_collector_that_is_away_is_nobodys_trouble(caplog: pytest.LogCaptureFixture) -> None:
    """Neither what is told nor the end waits for it."""
    with web_server() as web:
        url = web.url
    resource = resource_of("", "Airflow", "scheduler")
    sink = OtelSink(OtelOptions(url=f"{url}/v1/metrics", resource=resource))
    traces = OtelTraces(resource, f"{url}/v1/traces")
    for _ in range(1_000):
        sink.count(catalog.CRITICAL_BUSY, 1, {})
        traces(BEGAN)
        traces(ended(TaskState.SUCCESS))

    sink.close()
    traces.close()
