"""Answers that a client has already: `ETag`, `If-None-Match`, and 304.

The tag is a hash of the answer, which is made for whoever asks, and after it was found out what they may see. So it is
right whatever the answer depends on, and nobody learns by it what somebody else is shown. It saves the way to the
client and the client's work, which for a long list is most of it; the database is asked all the same.

Tags are weak: the same answer may be sent compressed or not, so that its bytes differ while it says the same.
"""

import hashlib
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PREFIX: Final = "/api/v2/"
_NEVER_KEPT: Final = ("connections", "variables", "config", "eventLogs", "xcomEntries", "logs", "tokens", "monitor")
"""Parts of paths to what nobody shall keep a copy of, because it may hold secrets, and to what changes all the time."""
_JSON: Final = b"application/json"
_WEAK: Final = b"W/"
_DEPENDS_ON: Final = b"Authorization, Cookie, Accept-Encoding"
_DIGEST_BYTES: Final = 16
_OF_BODY: Final = (b"content-length", b"content-type")


class Unchanged:
    """The middleware. Streams, and all that is no list or thing of the REST API, pass through."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["method"] != "GET" or not _may_be_kept(scope["path"]):
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def send_tagged(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_whole_answer(message):
                start = message  # until its body is known
                return
            if start is not None:
                held, start = start, None
                if not message.get("more_body", False):
                    tag = _tag(message.get("body", b""))
                    is_known = _is_known(scope, tag)
                    message = {**message, "body": b""} if is_known else message
                    held = _tagged(held, tag, is_known=is_known)
                await send(held)
            await send(message)

        await self._app(scope, receive, send_tagged)


def _may_be_kept(path: str) -> bool:
    return path.startswith(_PREFIX) and not any(part in _NEVER_KEPT for part in path.split("/"))


def _is_whole_answer(message: Message) -> bool:
    return message["status"] == 200 and any(
        name == b"content-type" and value.startswith(_JSON) for name, value in message["headers"]
    )


def _tag(body: bytes) -> bytes:
    return b'W/"%b"' % hashlib.blake2b(body, digest_size=_DIGEST_BYTES).hexdigest().encode()


def _is_known(scope: Scope, tag: bytes) -> bool:
    """Whether the client says that it has it, weak or not."""
    opaque = tag.removeprefix(_WEAK)
    for name, value in scope["headers"]:
        if name == b"if-none-match":
            said = [each.strip().removeprefix(_WEAK) for each in value.split(b",")]
            if opaque in said or b"*" in said:
                return True
    return False


def _tagged(start: Message, tag: bytes, *, is_known: bool) -> Message:
    own = [(b"etag", tag), (b"cache-control", b"no-cache, private"), (b"vary", _DEPENDS_ON)]
    if not is_known:
        return {**start, "headers": [*start["headers"], *own]}
    kept = [(name, value) for name, value in start["headers"] if name not in _OF_BODY]
    return {**start, "status": 304, "headers": [*kept, *own]}
