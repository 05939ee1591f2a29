"""`GET /metrics`: what Prometheus reads. Who may is not a matter of users: see `telemetry.scrape`."""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse
from starlette.responses import Response

from tradewind.api.auth.origin import is_from_this_machine
from tradewind.api.services import Services
from tradewind.errors import DatabaseError
from tradewind.operations.measure import measure_jobs, measure_pools, measure_tasks
from tradewind.runtime.clock import Clock
from tradewind.storage.interface import ReadingStore, Transaction
from tradewind.telemetry.engine_metrics import EngineMetrics
from tradewind.telemetry.events import Event
from tradewind.telemetry.prometheus import Registry

_FRESH: Final = timedelta(seconds=5)


def add_metrics_page(app: FastAPI) -> None:
    """The page, for an application whose services have one."""

    async def metrics(request: Request) -> Response:
        services: Services = request.app.state.services
        page = services.metrics_page
        if page is None:
            return PlainTextResponse("metrics are not kept for Prometheus: see [metrics] prometheus_on\n", 404)
        answer = await run_in_threadpool(
            page.answer,
            accept=request.headers.get("accept", ""),
            authorization=request.headers.get("authorization", ""),
            is_local=is_from_this_machine(request),
        )
        headers = {"www-authenticate": "Bearer"} if answer.status == 401 else None
        body = answer.body.encode(errors="replace")
        return Response(body, answer.status, {**(headers or {}), "content-type": answer.content_type})

    app.add_route("/metrics", metrics, methods=["GET"], include_in_schema=False)


class DeploymentFigures:
    """What the database says of the whole deployment, for all who ask within a few seconds: a handful of looks at what
    has not ended, which is all in indexes."""

    def __init__(self, store: ReadingStore, clock: Clock, prefix: str, tell: Callable[[], None] = lambda: None) -> None:
        """`tell` is called before each answer: what has to be asked for is told now."""
        self._store = store
        self._clock = clock
        self._prefix = prefix
        self._tell = tell
        self._lock = Lock()
        self._registry: Registry | None = None
        self._read_at: datetime | None = None

    def __call__(self) -> Registry | None:
        """None: the database gives no answer. Better no curve than one that stands still."""
        self._tell()
        with self._lock:
            now = self._clock.now()
            if self._read_at is None or abs(now - self._read_at) >= _FRESH:
                self._registry, self._read_at = self._read(now), now
            return self._registry

    def _read(self, now: datetime) -> Registry | None:
        def figures(tx: Transaction) -> list[Event]:
            found: list[Event] = [*measure_pools(tx)]
            found += [tx.measures.runs(), tx.measures.files(), measure_tasks(tx), measure_jobs(tx, now)]
            return found

        try:
            events = self._store.read(figures)
        except DatabaseError:
            return None
        registry = Registry(self._prefix)
        tell = EngineMetrics(registry)
        for event in events:
            tell(event)
        return registry
