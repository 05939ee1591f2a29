"""What stands before every route: limits to what is read, and headers that tell browsers what not to do.

Plain ASGI. What Starlette offers for the same purpose takes longer than many of our answers.
"""

import logging
import re
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Final

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

DEEPEST_JSON: Final = 100
_LONG: Final = 64 * 1024
"""Bytes of a body that are looked at by a thread rather than by the event loop."""
_PARTS: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)
"""Texts as a whole, in which brackets mean nothing, and brackets. Never looks twice at a byte, whatever it is given."""

_PLAIN: Final = "default-src 'none'; frame-ancestors 'none'"


def policy_of_pages(frames: Iterable[str] = (), images: Iterable[str] = ()) -> str:
    """What a page may load: nothing but what this server has, besides frames and images of these origins."""
    frame_sources = " ".join(sorted(frames)) or "'none'"
    image_sources = " ".join(["'self'", "data:", *sorted(images)])
    return (
        f"default-src 'self'; script-src 'self'; style-src 'self'; img-src {image_sources}; font-src 'self';"
        f" connect-src 'self'; frame-src {frame_sources}; object-src 'none'; base-uri 'none'; form-action 'self';"
        " frame-ancestors 'none'"
    )


_OF_PAGES: Final = policy_of_pages()
_ALWAYS: Final[Mapping[str, str]] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_UNLESS_SAID: Final[Mapping[str, str]] = {"cache-control": "no-store"}
_HTTPS_ONLY: Final = "max-age=31536000"


class Guard:
    """The middleware. `longest_body` is in bytes."""

    def __init__(self, app: ASGIApp, longest_body: int) -> None:
        self._app = app
        self._longest = longest_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                message["headers"] = [*message["headers"], *_headers(scope, message)]
            await send(message)

        try:
            await self._serve(scope, receive, send_guarded)
        except Exception:
            if not has_begun:
                await _refusal(500, "Internal Server Error")(scope, receive, send_guarded)
            raise  # whoever runs the server wants to know

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._longest:
            await self._too_long()(scope, receive, send)
            return
        if length == b"0" and b"transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        body = await self._read(receive)
        if body is None:
            await self._too_long()(scope, receive, send)
            return
        is_deep = await run_in_threadpool(is_too_deep, body) if len(body) > _LONG else is_too_deep(body)
        if is_deep:
            await _refusal(400, f"JSON is nested more than {DEEPEST_JSON} deep")(scope, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """All of it; None: there is too much. What is said of its length is not believed."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            part: bytes = message.get("body", b"")
            parts.append(part)
            size += len(part)
            if size > self._longest:
                return None
            if not message.get("more_body", False):
                return b"".join(parts)

    def _too_long(self) -> JSONResponse:
        return _refusal(413, f"The request is longer than {self._longest} bytes")


def is_too_deep(body: bytes) -> bool:
    """Whether lists and objects are nested deeper than anybody means them to be. Readers of JSON go as deep as they are
    led, and some do not come back."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST_JSON:
        return False
    depth = 0
    for part in _PARTS.finditer(body):
        first = body[part.start()]
        if first in b"[{":
            depth += 1
            if depth > DEEPEST_JSON:
                return True
        elif first in b"]}":
            depth -= 1
    return False


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_read = False

    async def replay() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()  # that the client has gone
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _refusal(status: int, detail: str) -> JSONResponse:
    # What was not read yet is not read at all.
    return JSONResponse({"detail": detail}, status, {"connection": "close"} if status != 400 else None)


def _headers(scope: Scope, message: MutableMapping[str, Any]) -> list[tuple[bytes, bytes]]:
    said = {name.lower(): value for name, value in message["headers"]}
    is_page = said.get(b"content-type", b"").startswith(b"text/html")
    found = dict(_ALWAYS)
    unless_said = {**_UNLESS_SAID, "content-security-policy": _OF_PAGES if is_page else _PLAIN}
    found.update({name: value for name, value in unless_said.items() if name.encode() not in said})
    if scope.get("scheme") == "https":
        found["strict-transport-security"] = _HTTPS_ONLY
    return [(name.encode(), value.encode()) for name, value in found.items()]
