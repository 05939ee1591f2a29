"""The short way from a request to its route.

FastAPI looks at one route after the other for the one that is meant, and then at each of its parameters. Here both are
looked up. Whatever is not plain (no such path, a value that is not allowed, a form) is handed on to FastAPI as if
nothing had happened: so the document, what is allowed and what a refusal looks like are FastAPI's alone.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import isawaitable
from typing import Any, Final, cast

from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tradewind.api.direct_call import DirectCall, NotPlain, direct_call

_ANY: Final = "/*"
_REST: Final = "/**"
_HERE: Final = "/"
_SPANS_SLASHES: Final = ":path}"


@dataclass
class _Declared:
    number: int
    route: APIRoute

    @cached_property
    def call(self) -> DirectCall | None:
        """Worked out when it is first asked for: most routes of a server never are."""
        return direct_call(self.route)


class Routes:
    """Routes by the parts of their paths. Those that may be meant are tried in the order of their declarations."""

    def __init__(self, routes: Iterable[APIRoute]) -> None:
        self._tree: dict[str, Any] = {}
        for number, route in enumerate(routes):
            for method in route.methods or ():
                self._put(_Declared(number, route), method)

    def find(self, scope: Scope) -> tuple[APIRoute, DirectCall] | None:
        """What the request asks for, if there is such a thing and it is plain; the scope then has its parameters."""
        found = list(_leaves(self._tree, [scope["method"], *scope["path"].split("/")], 0))
        if len(found) > 1:
            found.sort(key=lambda each: each.number)
        for each in found:
            match, parameters = each.route.matches(scope)
            if match is Match.FULL and each.call is not None:
                scope.update(parameters)
                return each.route, each.call
            if match is Match.FULL:
                return None
        return None

    def _put(self, declared: _Declared, method: str) -> None:
        node = self._tree
        for part in (method, *declared.route.path.split("/")):
            if _SPANS_SLASHES in part:
                node.setdefault(_REST, []).append(declared)
                return
            node = node.setdefault(_ANY if "{" in part else part, {})
        node.setdefault(_HERE, []).append(declared)


def _leaves(node: dict[str, Any], parts: list[str], at: int) -> Iterator[_Declared]:
    yield from node.get(_REST, ())
    if at == len(parts):
        yield from node.get(_HERE, ())
        return
    for name in (parts[at], _ANY):
        # No part of a path is ever one of our own marks: they have slashes.
        child = node.get(name)
        if child is not None:
            yield from _leaves(child, parts, at + 1)


class Direct:
    """The innermost middleware."""

    def __init__(self, app: ASGIApp, routes: Iterable[APIRoute]) -> None:
        self._app = app
        self._routes = Routes(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope.get("root_path"):
            await self._app(scope, receive, send)
            return
        before = dict(scope)
        found = self._routes.find(scope)
        if found is None:
            await self._app(scope, receive, send)
            return
        route, call = found
        scope["route"] = route
        body = await _whole(receive) if call.body is not None else b""
        request = Request(scope, receive, send)
        try:
            response = await _answer(request, call, body)
        except NotPlain:
            await self._app(before, receive if call.body is None else _once_more(body, receive), send)
            return
        await response(scope, receive, send)


async def _answer(request: Request, call: DirectCall, body: bytes) -> Response:
    try:
        arguments = await call.arguments(request, body)
        if call.is_awaited:
            return cast("Response", await call.endpoint(**arguments))
        return await in_thread(partial(call.endpoint, **arguments))
    except NotPlain:
        raise
    except Exception as error:
        handlers = cast("FastAPI", request.app).exception_handlers
        handle = next((handlers[kind] for kind in type(error).__mro__ if kind in handlers), None)
        if handle is None:
            raise
        refusal = handle(request, error)
        return await refusal if isawaitable(refusal) else refusal


async def in_thread(work: Callable[[], Response]) -> Response:
    """By the executor of the loop, which has as many threads as there are connections to the database."""
    return await asyncio.get_running_loop().run_in_executor(None, work)


async def _whole(receive: Receive) -> bytes:
    """The guard has read it already: it comes in one piece."""
    message = await receive()
    body: bytes = message.get("body", b"")
    return body


def _once_more(body: bytes, receive: Receive) -> Receive:
    is_told = False

    async def told() -> Message:
        nonlocal is_told
        if is_told:
            return await receive()
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return told
