"""Answers whether a service is well, for whoever watches over containers: GET /health, 200 or 503. And other pages."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from tradewind.runtime.locality import is_from_this_machine

_TIMEOUT_S: Final = 5.0
_MOST_BYTES: Final = 8192
_MOST_PARTS: Final = 3
"""In how many parts a request may come: who sends it byte by byte must not keep all others waiting."""
_END: Final = b"\r\n\r\n"
_METHODS: Final = (b"GET /", b"HEAD /")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, as far as pages want to know it."""

    headers: Mapping[str, str]
    """By lower-case name."""
    is_local: bool
    """Whether it can only come from this machine."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a page answers."""

    status: int
    content_type: str = "text/plain; charset=utf-8"
    body: str = ""


Page = Callable[[Asked], Answered]


@contextlib.contextmanager
def health_server(
    address: tuple[str, int], is_healthy: Callable[[], bool], pages: Mapping[str, Page] = {}
) -> Iterator[int]:
    """Listens while a block runs, in a thread. The port, which is any if 0 is asked for. `pages`: others, by path.

    One question at a time, of a few lines: that needs no web server.

    Raises:
        OSError: the address is not to be had.
    """
    all_pages = {"/health": lambda _: Answered(200 if is_healthy() else 503), **pages}
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.create_server(address, family=family) as listener:
        listener.settimeout(None)
        threading.Thread(target=_serve, args=(listener, all_pages), name="health", daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            # Whoever waits for the next connection hears of it; to close it alone would not wake them.
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)


def _serve(listener: socket.socket, pages: Mapping[str, Page]) -> None:
    while True:
        try:
            connection, peer = listener.accept()
        except OSError:
            return
        with connection, contextlib.suppress(OSError):
            connection.settimeout(_TIMEOUT_S)
            connection.sendall(_answer(_read(connection), str(peer[0]), pages))


def _read(connection: socket.socket) -> bytes:
    """All lines of a request, or as many as anybody has reason to send; of what is none, the first part."""
    request = connection.recv(_MOST_BYTES)
    for _ in range(_MOST_PARTS):
        if not request.startswith(_METHODS) or _END in request:
            break
        request += connection.recv(_MOST_BYTES)
    return request


def _answer(request: bytes, peer: str, pages: Mapping[str, Page]) -> bytes:
    first, *others = request.partition(_END)[0].decode("latin-1").split("\r\n")
    method, _, target = first.partition(" ")
    page = pages.get(target.partition(" ")[0]) if request.startswith(_METHODS) else None
    try:
        answered = Answered(404) if page is None else page(_asked(others, peer))
    except Exception:  # whatever goes wrong with one page, the next question wants an answer too
        answered = Answered(500)
    body = answered.body.encode(errors="replace")
    head = [
        f"HTTP/1.1 {answered.status} {HTTPStatus(answered.status).phrase}",
        f"Content-Length: {len(body)}",
        *([f"Content-Type: {answered.content_type}"] if body else []),
        "Connection: close",
    ]
    return "\r\n".join([*head, "", ""]).encode() + (b"" if method == "HEAD" else body)


def _asked(lines: list[str], peer: str) -> Asked:
    pairs = (line.partition(":")[::2] for line in lines)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
    return Asked(headers, is_from_this_machine(peer, host.strip("[]"), headers))
