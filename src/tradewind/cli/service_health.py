"""`GET /health` of a service that runs alone."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from tradewind.errors import DatabaseError, SettingsError
from tradewind.runtime.health_server import health_server

if TYPE_CHECKING:
    from tradewind.bootstrap import Wiring


@contextmanager
def served_health(
    wiring: "Wiring", kind: str, address: tuple[str, int], *, threshold_s: float, is_wanted: bool
) -> Iterator[None]:
    """Where it is wanted: 200 while this process has given a sign of life in time, by its job in the database.

    Raises:
        SettingsError: the address is not to be had.
    """
    if not is_wanted:
        yield
        return
    hostname, pid = socket.gethostname(), os.getpid()

    def is_healthy() -> bool:
        try:
            jobs = wiring.database.read(lambda tx: tx.jobs.live(kind))
        except DatabaseError:
            return False
        oldest = wiring.clock.now() - timedelta(seconds=threshold_s)
        return any((job.hostname, job.pid) == (hostname, pid) and job.heartbeat_at >= oldest for job in jobs)

    with ExitStack() as stack:
        try:
            stack.enter_context(health_server(address, is_healthy))
        except OSError as error:
            host, port = address
            raise SettingsError(
                f"{kind} cannot say at {host}:{port} how it is: {os.strerror(error.errno or 0)}"
            ) from error
        yield
