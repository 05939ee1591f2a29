"""How many requests there are, and how long they take."""

from collections.abc import Callable
from time import perf_counter
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tradewind.telemetry.measurements import RequestServed

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NONE: Final = "none"


class Measured:
    """A middleware around all others, where somebody wants to know. Streams count until they end."""

    def __init__(self, app: ASGIApp, tell: Callable[[RequestServed], None]) -> None:
        self._app = app
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began_at = perf_counter()
        status = 500  # unless it says otherwise

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            # Who asks for paths and methods that there are not must not make metrics without end.
            route = getattr(scope.get("route"), "path", _NONE)
            method = scope["method"] if scope["method"] in _METHODS else _NONE
            self._tell(RequestServed(method, route, status, perf_counter() - began_at))
