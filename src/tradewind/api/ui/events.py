"""Server-sent events: what changes, told to whoever watches."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException, Request, Response
from fastapi import Query as Parameter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPBearer

from tradewind.api.auth.access import Principal
from tradewind.api.auth.principal import principal_of
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import Texts, no_values
from tradewind.api.services import Given, Services
from tradewind.api.ui.live_changes import LiveChanges
from tradewind.api.ui.live_events import READ, RESYNC, LiveEvent, Wish, seen_by
from tradewind.model.live import LiveKind

operations = Operations("Live Changes", prefix="/ui")

HEARTBEAT_S: Final = 15.0
_STREAM: Final = "text/event-stream"
_AGAIN_AFTER_MS: Final = 2_000
_AGAIN_IF_ALONE_MS: Final = 10_000
_AGAIN_IF_FULL_S: Final = 30
_LONGEST_ID: Final = 18
"""Digits that a key can have."""
_HEADERS: Final = {"Cache-Control": "no-cache, no-store", "X-Accel-Buffering": "no"}
"""Nobody on the way may keep events until there are more of them."""
_bearer: Final = HTTPBearer(auto_error=False)


@operations.add(
    "GET",
    "/events",
    operation_id="watch_changes",
    need=READ,
    responses={
        200: {"description": "Events as they happen.", "content": {_STREAM: {"schema": {"type": "string"}}}},
        503: "Too many clients are watching already.",
    },
)
def watch_changes(
    request: Request,
    services: Given,
    caller: Caller,
    bearer: Annotated[Any, Depends(_bearer)],
    dag_id: Texts,
    run_id: Texts,
    kind: Annotated[list[LiveKind], Parameter(default_factory=no_values, description="Nothing else.")],
    since: Annotated[str, Parameter(description="The id up to which changes are known; 0 if that is not known.")] = "",
) -> Response:
    """Changes of DAGs, runs, task instances, pools and services, as far as the caller may see them.

    Each event says what it is about (`kind`, ids), the new `state`, and when (`at`). `resync` means that some may have
    been missed: load anew what is shown. A client that comes back with `Last-Event-ID` gets what it has missed; one
    that comes for the first time with `since`, what has changed since then.
    """
    live = services.live
    if live is None:
        return StreamingResponse(_alone(), media_type=_STREAM, headers=_HEADERS)
    if live.is_full or live.is_closed:
        raise HTTPException(503, "Too many clients are watching", headers={"Retry-After": str(_AGAIN_IF_FULL_S)})
    wish = Wish(frozenset(kind), frozenset(dag_id), frozenset(run_id))
    client = _Client(request, services, live, bearer, wish, since)
    return StreamingResponse(client.stream(caller), media_type=_STREAM, headers=_HEADERS)


async def _alone() -> AsyncIterator[bytes]:
    """For a server that follows no changes: look again some time later."""
    yield b"retry: %d\n%b" % (_AGAIN_IF_ALONE_MS, RESYNC)


@dataclass(frozen=True, slots=True)
class _Client:
    """Who watches, and what for."""

    request: Request
    services: Services
    live: LiveChanges
    bearer: Any
    wish: Wish
    since: str
    """Where it is if it comes for the first time."""

    async def stream(self, caller: Principal) -> AsyncIterator[bytes]:
        """Until the client goes, the server stops, or the token counts no more."""
        principal: Principal | None = caller
        now = asyncio.get_running_loop().time
        with self.live.watched():
            yield b"retry: %d\n\n" % _AGAIN_AFTER_MS
            await self.live.begun()
            position, mark = self.live.ring.end, self.live.ring.mark
            yield await self._missed(caller, mark) + _id(mark)
            checks_at = now() + HEARTBEAT_S
            while principal is not None and not self.live.is_closed:
                events = self.live.ring.since(position)
                if events is None:
                    position = self.live.ring.end
                    yield RESYNC + _id(self.live.ring.mark)
                elif events:
                    position += len(events)
                    # Only who has read all of it may say later that nothing was missed.
                    mark = self.live.ring.mark if position == self.live.ring.end else mark
                    told = self._told(events, principal)
                    if told:
                        yield told + _id(mark)
                elif not await self.live.ring.news(HEARTBEAT_S):
                    yield b": alive\n" + _id(self.live.ring.mark)
                if now() >= checks_at:
                    checks_at = now() + HEARTBEAT_S
                    principal = await self._still_known()

    async def _missed(self, caller: Principal, mark: int) -> bytes:
        known = self.request.headers.get("last-event-id", "")
        last = known or self.since
        # Without a mark, everybody will be told to load anew: who has just done so need not do it twice before then.
        if not last or (not known and not mark):
            return b""
        is_one_of_ours = last.isascii() and last.isdigit() and len(last) <= _LONGEST_ID
        missed = await run_in_threadpool(self.live.missed_since, int(last)) if is_one_of_ours else None
        return RESYNC if missed is None else self._told(missed, caller)

    def _told(self, events: list[LiveEvent], principal: Principal) -> bytes:
        may_see = seen_by(principal)
        return b"".join(event.text for event in events if self.wish.has(event) and may_see(event))

    async def _still_known(self) -> Principal | None:
        """Tokens end and rights change while a stream goes on."""
        try:
            return await principal_of(self.request, self.services, self.bearer, None)
        except HTTPException:
            return None


def _id(mark: int) -> bytes:
    """Where to go on. By itself it is no event, but browsers remember it."""
    return b"id: %d\n\n" % mark if mark else b"\n"
