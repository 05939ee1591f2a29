"""Long answers are sent compressed to those who can read that.

A page of a hundred task instances is a hundred kilobytes, of which a tenth remains. That is nothing on this machine,
and most of the wait for a browser at the other end of a thin line. So it is done for who asks for it, and quickly
rather than well. Streams go on as they are: what is said in them shall arrive when it is said.

What may hold secrets is left alone: how short a text becomes tells something about it to whoever listens to the line
and can have words of their own appear in it.
"""

import asyncio
import re
import zlib
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SHORTEST: Final = 4 * 1024
"""In bytes. Below, a packet or two is all there is to save."""
_LONG: Final = 64 * 1024
"""Bytes that are compressed by a thread rather than by the event loop."""
_LEVEL: Final = 1
_GZIP: Final = 16 + zlib.MAX_WBITS
"""The format that is called so; `zlib` makes others as well."""
_JSON: Final = b"application/json"
_LEFT_ALONE: Final = frozenset({"connections", "variables", "config", "tokens", "auth", "xcomEntries", "execution"})
"""Parts of paths to what may hold secrets, and what workers say, who are mostly near."""
_ACCEPTED: Final = re.compile(rb"(?:^|[\s,])(?:gzip|\*)\s*(?:;\s*q=(?P<weight>[0-9.]+)\s*)?(?:,|$)", re.IGNORECASE)


class Compressed:
    """The middleware. It stands around the one that makes tags: those are of what is said, however it is sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or not _is_wanted(scope):
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _may_be_long(message):
                start = message  # until its body is known
                return
            if start is not None:
                held, start = start, None
                body: bytes = message.get("body", b"")
                if len(body) >= SHORTEST and not message.get("more_body", False):
                    body = await _shortened(body)
                    message = {**message, "body": body}
                    held = _described(held, len(body))
                await send(held)
            await send(message)

        await self._app(scope, receive, send_compressed)


def is_accepted(said: bytes) -> bool:
    """Whether an `Accept-Encoding` allows gzip."""
    found = _ACCEPTED.search(said)
    if found is None:
        return False
    weight = found["weight"]
    return weight is None or weight.strip(b"0.") != b""


def _is_wanted(scope: Scope) -> bool:
    said = next((value for name, value in scope["headers"] if name == b"accept-encoding"), b"")
    return is_accepted(said) and _LEFT_ALONE.isdisjoint(scope["path"].split("/"))


def _may_be_long(start: Message) -> bool:
    headers = dict(start["headers"])
    length = headers.get(b"content-length", b"")
    is_long = length.isdigit() and int(length) >= SHORTEST
    return is_long and headers.get(b"content-type", b"").startswith(_JSON) and b"content-encoding" not in headers


async def _shortened(body: bytes) -> bytes:
    return _gzip(body) if len(body) <= _LONG else await asyncio.get_running_loop().run_in_executor(None, _gzip, body)


def _gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packer.compress(body) + packer.flush()


def _described(start: Message, length: int) -> Message:
    kept = [(name, value) for name, value in start["headers"] if name not in (b"content-length", b"vary")]
    varies = [value for name, value in start["headers"] if name == b"vary"]
    if not any(b"accept-encoding" in value.lower() for value in varies):
        varies.append(b"Accept-Encoding")
    own = [(b"content-encoding", b"gzip"), (b"content-length", b"%d" % length), (b"vary", b", ".join(varies))]
    return {**start, "headers": [*kept, *own]}
