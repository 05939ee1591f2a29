"""How a route is declared: method, path, what its caller must be allowed, and by its return type what it answers.

The answer is encoded by the serializer of that type at once. (FastAPI would check it a second time and turn it into
plain values first, which for a page of a hundred DAGs takes longer than to read them.)

What changes something is entered into the audit log, by its declaration alone: see `_audited`.
"""

import functools
import inspect
import json
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.params import Depends as Dependency
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from tradewind.api.audit import entry_of
from tradewind.api.auth.access import Need, Principal, Resource, dags_within_reach, may
from tradewind.api.auth.principal import principal_of
from tradewind.api.services import Services
from tradewind.storage.interface.access_stores import pending

_JSON: Final = "application/json"
_ANY_DAG: Final = "~"
_REQUEST: Final = "audited_request"
_KIND: Final = re.compile(r":\w+(?=})")
"""In `{key:path}`, that the key may have slashes."""

_REFUSED: Final[Mapping[int, str]] = {
    400: "What was asked for makes no sense",
    401: "Nobody has logged in",
    403: "The caller may not",
    404: "There is no such thing",
    503: "The database cannot be reached, or is too busy",
}
_CHANGE_REFUSED: Final[Mapping[int, str]] = {
    409: "Something else is in the way",
    413: "The request is too long",
}
_REFUSAL: Final = {
    "type": "object",
    "required": ["detail"],
    "properties": {"detail": {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": True}]}},
}
"""Written out for the document: a model for each status of each route would be built at every start of the server."""

Handler = typing.TypeVar("Handler", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Declared:
    """A route as it was declared: for tests and documents that go through all of them."""

    method: str
    path: str
    operation_id: str
    need: Need | None


class Operations:
    """The routes of one tag."""

    def __init__(self, tag: str, prefix: str = "/api/v2") -> None:
        self.router = APIRouter(prefix=prefix, tags=[tag])
        self.declared: list[Declared] = []
        self.routes: list[APIRoute] = []

    def add(
        self,
        method: str,
        path: str,
        *,
        operation_id: str,
        need: Need | None,
        status: int = 200,
        responses: Mapping[int, str | Mapping[str, Any]] = {},
        dependencies: Sequence[Dependency] = (),
    ) -> Callable[[Handler], Handler]:
        """Make a route of a function. `need` None: for everybody, known or not."""

        def register(function: Handler) -> Handler:
            returned = typing.get_type_hints(function, include_extras=True).get("return")
            own = [Depends(_allowed(need))] if need is not None else []
            self.router.add_api_route(
                path,
                _encoding(_audited(function, method, operation_id, need), returned, status),
                methods=[method],
                operation_id=operation_id,
                status_code=status,
                response_model=None if returned in (None, type(None), Response) else returned,
                responses=_described(method, responses),
                dependencies=[*own, *dependencies],
            )
            self.routes.append(cast("APIRoute", self.router.routes[-1]))
            shown = _KIND.sub("", f"{self.router.prefix}{path}")
            self.declared.append(Declared(method, shown, operation_id, need))
            return function

        return register


def _described(method: str, responses: Mapping[int, str | Mapping[str, Any]]) -> dict[int | str, dict[str, Any]]:
    """What may be answered, besides the one answer that is hoped for."""
    refused = _REFUSED if method == "GET" else {**_REFUSED, **_CHANGE_REFUSED}
    texts = {**refused, **{code: text for code, text in responses.items() if isinstance(text, str)}}
    return {
        **{
            code: {"description": text} | ({"content": {_JSON: {"schema": _REFUSAL}}} if code >= 400 else {})
            for code, text in texts.items()
        },
        **{code: dict(text) for code, text in responses.items() if not isinstance(text, str)},
    }


def _encoding(function: Callable[..., Any], returned: Any, status: int) -> Callable[..., Any]:
    kind = None if returned in (None, type(None), Response) else TypeAdapter(returned)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Response:
            return _answer(await function(*args, **kwargs), kind, status)

        return awaited

    @functools.wraps(function)
    def endpoint(*args: Any, **kwargs: Any) -> Response:
        return _answer(function(*args, **kwargs), kind, status)

    return endpoint


def _answer(result: Any, kind: TypeAdapter[Any] | None, status: int) -> Response:
    if isinstance(result, Response):
        return result
    if kind is None:
        return Response(status_code=status)
    try:
        body = kind.dump_json(result, by_alias=True)
    except ValueError:
        # Half of a character: UTF-8 cannot say it, and JSON can.
        body = json.dumps(kind.dump_python(result, mode="json", by_alias=True)).encode()
    return Response(body, status, media_type=_JSON)


def _audited(function: Callable[..., Any], method: str, operation_id: str, need: Need | None) -> Callable[..., Any]:
    """The function, so that whatever it changes is a change by whoever calls it. The store does the rest."""
    if need is None or method == "GET":
        return function
    resource = need.resource
    signature = inspect.signature(function)
    # FastAPI tells one parameter the request, not two.
    own = [name for name, each in signature.parameters.items() if each.annotation is Request]

    @functools.wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        request: Request = kwargs[own[0]] if own else kwargs.pop(_REQUEST)
        services: Services = request.app.state.services
        with pending(entry_of(request, operation_id, resource, kwargs, services)):
            return function(*args, **kwargs)

    more = [] if own else [inspect.Parameter(_REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request)]
    noted.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *more])  # type: ignore[attr-defined]
    return noted


def _allowed(need: Need) -> Callable[..., Any]:
    async def check(request: Request, principal: Annotated[Principal, Depends(principal_of)]) -> None:
        dag_id = request.path_params.get("dag_id")
        if need.resource is Resource.DAG and dag_id in (None, _ANY_DAG):
            # A list, of which each sees their part.
            within_reach = dags_within_reach(principal, need)
            if within_reach is None or within_reach:
                return
        elif may(principal, need, dag_id):
            return
        raise HTTPException(403, "Forbidden")

    return check


Caller = Annotated[Principal, Depends(principal_of)]
"""How a route asks who calls it."""
