"""Answers whether a service is well, for whoever watches over containers: GET /health, 200 or 503."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Final

_TIMEOUT_S: Final = 5.0
_MOST_BYTES: Final = 4096
_REASONS: Final = {200: "OK", 404: "Not Found", 503: "Service Unavailable"}


@contextlib.contextmanager
def health_server(address: tuple[str, int], is_healthy: Callable[[], bool]) -> Iterator[int]:
    """Listens while a block runs, in a thread. The port, which is any if 0 is asked for.

    One question at a time, and nothing but the first line of it is looked at: that needs no web server.

    Raises:
        OSError: the address is not to be had.
    """
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.create_server(address, family=family) as listener:
        listener.settimeout(None)
        threading.Thread(target=_serve, args=(listener, is_healthy), name="health", daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            # Whoever waits for the next connection hears of it; to close it alone would not wake them.
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)


def _serve(listener: socket.socket, is_healthy: Callable[[], bool]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, contextlib.suppress(OSError):
            connection.settimeout(_TIMEOUT_S)
            connection.sendall(_answer(connection.recv(_MOST_BYTES), is_healthy))


def _answer(request: bytes, is_healthy: Callable[[], bool]) -> bytes:
    path = request.split(b"\r\n", 1)[0].split(b" ")[1:2]
    status = 404 if path != [b"/health"] else 200 if is_healthy() else 503
    return f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
