"""A real HTTP server on this machine, and what it was asked."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: str

    @property
    def content(self) -> bytes:
        """The body, of whatever bytes it is."""
        return self.body.encode(errors="surrogateescape")


@dataclass
class WebServer:
    """What it answers, and what it was asked."""

    port: int = 0
    status: int = 200
    answer: str = "ok"
    answer_headers: dict[str, str] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def web_server() -> Iterator[WebServer]:
    """A server on a port of its own, with a thread of its own."""
    web = WebServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="surrogateescape")
            web.asked.append(Asked(self.command, self.path, dict(self.headers), body))
            content = web.answer.encode()
            self.send_response(web.status)
            for name, value in {"Content-Length": str(len(content)), **web.answer_headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_PUT = do_POST  # noqa: N815 - the name that http.server looks for
        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Not to the terminal of the tests."""

    with serving(Handler) as port:
        web.port = port
        yield web


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """Whatever answers, on a port of its own, which is told, and with a thread of its own."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join(10)
