"""`GET /health` of a service that runs alone, and `GET /metrics` where Prometheus shall read it."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from tradewind.errors import DatabaseError, SettingsError
from tradewind.runtime.clock import Clock
from tradewind.runtime.health_server import Answered, Asked, Page, health_server
from tradewind.telemetry.events import Event
from tradewind.telemetry.measurements import Heartbeat

if TYPE_CHECKING:
    from tradewind.bootstrap import Wiring
    from tradewind.telemetry.hub import Hub
    from tradewind.telemetry.scrape import MetricsPage


@contextmanager
def served_health(
    address: tuple[str, int],
    is_healthy: Callable[[], bool],
    *,
    service: str,
    is_wanted: bool,
    metrics: "MetricsPage | None" = None,
) -> Iterator[None]:
    """Where it is wanted: 200 while the service is well, else 503.

    Raises:
        SettingsError: the address is not to be had.
    """
    if not is_wanted:
        yield
        return
    pages: dict[str, Page] = {} if metrics is None else {"/metrics": _page(metrics)}
    with ExitStack() as stack:
        try:
            stack.enter_context(health_server(address, is_healthy, pages))
        except OSError as error:
            host, port = address
            raise SettingsError(
                f"{service} cannot say at {host}:{port} how it is: {os.strerror(error.errno or 0)}"
            ) from error
        yield


def heard_in_database(wiring: "Wiring", kind: str, threshold_s: float) -> Callable[[], bool]:
    """Whether this process has given a sign of life in time, by its job in the database."""
    hostname, pid = socket.gethostname(), os.getpid()

    def is_healthy() -> bool:
        try:
            jobs = wiring.database.read(lambda tx: tx.jobs.live(kind))
        except DatabaseError:
            return False
        oldest = wiring.clock.now() - timedelta(seconds=threshold_s)
        return any((job.hostname, job.pid) == (hostname, pid) and job.heartbeat_at >= oldest for job in jobs)

    return is_healthy


def heard_by_hub(hub: "Hub", clock: Clock, threshold_s: float) -> Callable[[], bool]:
    """The same by its own words, for one that may have no database."""
    heard_at = clock.monotonic()

    def hear(event: Event) -> None:
        nonlocal heard_at
        if isinstance(event, Heartbeat):
            heard_at = clock.monotonic()

    hub.attach(hear)
    return lambda: clock.monotonic() - heard_at <= threshold_s


def _page(metrics: "MetricsPage") -> Page:
    def page(asked: Asked) -> Answered:
        headers = asked.headers
        answer = metrics.answer(
            accept=headers.get("accept", ""), authorization=headers.get("authorization", ""), is_local=asked.is_local
        )
        return Answered(answer.status, answer.content_type, answer.body)

    return page
