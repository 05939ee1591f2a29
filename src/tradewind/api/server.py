"""What serves the web application: uvicorn with uvloop and httptools, on a socket that several processes may share."""

import logging
import os
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio.to_thread
import uvicorn
from fastapi import FastAPI
from uvicorn.logging import AccessFormatter

from tradewind.errors import SettingsError

_BACKLOG: Final = 2048
_STOP_PATIENCE_S: Final = 5
_ACCESS_LINE: Final = '%(asctime)s %(client_addr)s "%(request_line)s" %(status_code)s'


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How it is served."""

    host: str = "127.0.0.1"
    port: int = 8080
    proxy_headers: bool = False
    """Whether a proxy in front of it is believed what it says about clients."""
    ssl_cert: str = ""
    ssl_key: str = ""
    access_log: str = ""
    """A file; `-` for the standard output; empty: no such log."""

    @property
    def url(self) -> str:
        """Where people on this machine find it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"{'https' if self.ssl_cert else 'http'}://{host}:{self.port}"


def listen(options: ServerOptions) -> socket.socket:
    """A socket that listens already: who connects now is served when there is a server.

    Raises:
        SettingsError: the address is not to be had.
    """
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        return socket.create_server((options.host, options.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        # Python adds the address, which is said already; a name that nobody knows has no such number.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise SettingsError(f"cannot listen at {options.host}:{options.port}: {reason}") from error


def serve(
    app: FastAPI, listener: socket.socket, options: ServerOptions, *, threads: int, ready: Callable[[], None]
) -> None:
    """Until SIGTERM or SIGINT; requests under way are answered first. `threads`: how many are worked on at once.

    Raises:
        SettingsError: the certificate or its key cannot be used.
    """
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        ws="none",
        log_config=None,
        access_log=_has_access_log(options.access_log),
        proxy_headers=options.proxy_headers,
        forwarded_allow_ips="*" if options.proxy_headers else None,
        server_header=False,
        ssl_certfile=options.ssl_cert or None,
        ssl_keyfile=options.ssl_key or None,
        timeout_graceful_shutdown=_STOP_PATIENCE_S,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(f"[api] ssl_cert and ssl_key cannot be used: {error}") from error
    _Server(config, threads, ready).run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, threads: int, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._threads = threads
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # Each works with a connection to the database: more would only wait for one.
        anyio.to_thread.current_default_thread_limiter().total_tokens = self._threads
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Unlike its parent's, does not raise the signal again: to be told to stop is no failure."""
        former = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)


def _has_access_log(target: str) -> bool:
    if not target:
        return False
    handler = logging.StreamHandler() if target == "-" else logging.FileHandler(Path(target))
    handler.setFormatter(AccessFormatter(_ACCESS_LINE, use_colors=False))
    access = logging.getLogger("uvicorn.access")
    access.setLevel(logging.INFO)
    access.addHandler(handler)
    access.propagate = False
    return True
