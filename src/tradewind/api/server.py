"""What serves the web application: uvicorn with uvloop and httptools, on a socket that several processes may share."""

import asyncio
import logging
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio.to_thread
import uvicorn
from fastapi import FastAPI
from uvicorn.logging import AccessFormatter

from tradewind.api.whole_answers import WholeAnswers
from tradewind.errors import SettingsError
from tradewind.settings import ApiSettings

_STOP_PATIENCE_S: Final = 5
_ACCESS_LINE: Final = '%(asctime)s %(client_addr)s "%(request_line)s" %(status_code)s'


def serve(
    app: FastAPI,
    listener: socket.socket,
    settings: ApiSettings,
    *,
    threads: int,
    ready: Callable[[], None],
    stopping: Callable[[], None] = lambda: None,
    each_second: Callable[[], None] = lambda: None,
) -> None:
    """Until SIGTERM or SIGINT; requests under way are answered first. `threads`: how many are worked on at once;
    `stopping` ends answers that would never end by themselves; `each_second` must not take long.

    Raises:
        SettingsError: the certificate or its key cannot be used.
    """

    async def notify() -> None:
        each_second()

    config = uvicorn.Config(
        app,
        loop="uvloop",
        http=WholeAnswers,
        ws="none",
        log_config=None,
        access_log=_has_access_log(settings.access_logfile),
        # Of whom they are believed is said by FORWARDED_ALLOW_IPS: by default, of this machine only.
        proxy_headers=settings.proxy_headers,
        server_header=False,
        ssl_certfile=settings.ssl_cert or None,
        ssl_keyfile=settings.ssl_key or None,
        timeout_graceful_shutdown=_STOP_PATIENCE_S,
        callback_notify=notify,
        timeout_notify=0,  # as often as it looks
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(f"[api] ssl_cert and ssl_key cannot be used: {error}") from error
    _Server(config, threads, ready, stopping).run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, threads: int, ready: Callable[[], None], stopping: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._threads = threads
        self._ready = ready
        self._stopping = stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # Each works with a connection to the database: more would only wait for one. The first are of routes that are
        # called directly (`api/direct.py`), the others of FastAPI.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self._threads, "route"))
        anyio.to_thread.current_default_thread_limiter().total_tokens = self._threads
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping()
        await super().shutdown(sockets)

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
