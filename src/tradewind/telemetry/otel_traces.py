"""Traces for OpenTelemetry: a span for each run, with one for each attempt of its tasks below it.

A span is made when what it stands for is over, so nothing is kept in between but what began here. The ids are derived
from the run: whoever ends an attempt, and whoever ends its run, name the same trace without a word between them.
"""

import hashlib
import threading
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from tradewind.model.states import FINISHED_RUN_STATES, RunState, TaskState
from tradewind.telemetry.begun import BegunAttempts, EndedTask
from tradewind.telemetry.events import Event, RunMoved
from tradewind.telemetry.measurements import AttemptsBegan, AttemptsEnded

_TIMEOUT_S: Final = 5
_CLOSING_S: Final = 2.0
_SCOPE: Final = InstrumentationScope("tradewind")
_FAILED: Final = (TaskState.FAILED, TaskState.UP_FOR_RETRY)


class OtelTraces:
    """A handler of the hub. A thread of the SDK sends; what comes faster than it can send is lost."""

    def __init__(self, resource: Resource, url: str | None = None) -> None:
        """`url` None: as the variables of OpenTelemetry say."""
        self._resource = resource
        self._processor = BatchSpanProcessor(OTLPSpanExporter(endpoint=url, timeout=_TIMEOUT_S))
        self._begun = BegunAttempts()

    def __call__(self, event: Event) -> None:
        """One event."""
        if isinstance(event, AttemptsBegan):
            self._begun.begin(event)
        elif isinstance(event, AttemptsEnded):
            for ended in self._begun.end(event):
                self._attempt(ended)
        elif isinstance(event, RunMoved) and event.state in FINISHED_RUN_STATES:
            self._run(event)

    def close(self) -> None:
        """Send what is left. A collector that gives no answer is not waited for."""
        closing = threading.Thread(target=self._processor.shutdown, name="otel traces", daemon=True)
        closing.start()
        closing.join(_CLOSING_S)

    def _run(self, event: RunMoved) -> None:
        times = event.times
        if times is None or times.started_at is None:
            return
        self._end(
            f"dag_run.{event.dag_id}",
            _root(event.dag_id, event.run_id, times.started_at),
            None,
            (times.started_at, times.at),
            {
                "airflow.dag_id": event.dag_id,
                "airflow.dag_run.run_id": event.run_id,
                "airflow.dag_run.run_type": times.run_type.value,
                "airflow.dag_run.state": event.state.value,
            },
            error=event.reason or "" if event.state is RunState.FAILED else None,
        )

    def _attempt(self, ended: EndedTask) -> None:
        task, run, outcome = ended
        if run.started_at is None:
            return
        root = _root(task.dag_id, task.run_id, run.started_at)
        identity = f"{task.task_id}\0{task.map_index}\0{task.attempt}"
        own_id = _number(f"{root.span_id}\0{identity}", 8)
        began = min(at for at in (task.queued_at, task.started_at, outcome.at) if at is not None)
        self._end(
            f"task_run.{task.task_id}" + (f"[{task.map_index}]" if task.map_index >= 0 else ""),
            SpanContext(root.trace_id, own_id, is_remote=False, trace_flags=root.trace_flags),
            root,
            (began, outcome.at),
            {
                "airflow.dag_id": task.dag_id,
                "airflow.task_id": task.task_id,
                "airflow.dag_run.run_id": task.run_id,
                "airflow.task_instance.map_index": task.map_index,
                "airflow.task_instance.try_number": task.try_number,
                "airflow.task_instance.state": outcome.state.value,
                "airflow.task_instance.operator": task.operator,
            },
            error="" if outcome.state in _FAILED else None,
        )

    def _end(
        self,
        name: str,
        context: SpanContext,
        parent: SpanContext | None,
        times: tuple[datetime, datetime],
        attributes: Mapping[str, str | int],
        error: str | None,
    ) -> None:
        status = Status(StatusCode.OK) if error is None else Status(StatusCode.ERROR, error or None)
        self._processor.on_end(
            ReadableSpan(
                name,
                context,
                parent,
                self._resource,
                attributes,
                kind=SpanKind.INTERNAL,
                status=status,
                start_time=_nanoseconds(times[0]),
                end_time=_nanoseconds(times[1]),
                instrumentation_scope=_SCOPE,
            )
        )


def _root(dag_id: str, run_id: str, started_at: datetime) -> SpanContext:
    """The span of a run. One that was cleared, and began anew, is another one of the same trace."""
    identity = f"{dag_id}\0{run_id}"
    trace_id, span_id = _number(identity, 16), _number(f"{identity}\0{started_at.isoformat()}", 8)
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _number(identity: str, size: int) -> int:
    return int.from_bytes(hashlib.blake2b(identity.encode(), digest_size=size).digest(), "big") or 1


def _nanoseconds(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000) * 1000
