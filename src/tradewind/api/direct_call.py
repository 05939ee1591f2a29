"""How a route is called, worked out once: where each argument comes from, and what it is if nobody says.

FastAPI works this out anew with each request. For a list with sixty parameters, of which a client gives two, that takes
longer than to ask the database.
"""

import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.params import Form
from fastapi.routing import APIRoute
from pydantic import BaseModel

_PLAIN: Final = (str, int, float, bool, type(None))
_JSON: Final = "application/json"

Field = Any
"""FastAPI's `ModelField`, which it does not publish."""
Given = Mapping[str, Sequence[str]]


class NotPlain(Exception):
    """The request is one for FastAPI: something in it is wrong or rare."""


@dataclass(frozen=True, slots=True)
class _Values:
    """Of the parameters of one function that are named in one place: the path, or what follows it."""

    constant: Mapping[str, Any]
    """What is not given, where it is always the same value."""
    fresh: Sequence[tuple[str, Callable[[], Any]]]
    """And where it is made anew."""
    required: frozenset[str]
    by_alias: Mapping[str, tuple[Field, bool]]
    """By its name for clients; whether it may be given several times."""

    def read(self, given: Given) -> dict[str, Any]:
        """Raises `NotPlain`: one is missing or wrong."""
        values = dict(self.constant)
        for name, make in self.fresh:
            values[name] = make()
        for alias, texts in given.items():
            known = self.by_alias.get(alias)
            if known is not None:
                field, is_list = known
                values[field.name] = _checked(field, texts if is_list else texts[-1])
        if not self.required <= values.keys():
            raise NotPlain
        return values


@dataclass(frozen=True, slots=True)
class _Step:
    """One function that is to be called: a dependency, or in the end the route itself."""

    function: Callable[..., Any]
    is_awaited: bool
    path: _Values
    query: _Values
    needs: Sequence[tuple[str | None, int]]
    """Arguments that are results of earlier steps."""
    request_names: Sequence[str]

    def arguments(self, request: Request, query: Given, results: Sequence[Any]) -> dict[str, Any]:
        """Raises `NotPlain`: one is missing or wrong."""
        values = self.query.read(query)
        if self.path.by_alias:
            values.update(self.path.read({name: [value] for name, value in request.path_params.items()}))
        for needed, number in self.needs:
            if needed is not None:
                values[needed] = results[number]
        for name in self.request_names:
            values[name] = request
        return values


@dataclass(frozen=True, slots=True)
class DirectCall:
    """A route, as a list of functions to call."""

    steps: Sequence[_Step]
    body: Field | None
    """What is read from the body of the request."""

    @property
    def endpoint(self) -> Callable[..., Any]:
        """The function of the route."""
        return self.steps[-1].function

    @property
    def is_awaited(self) -> bool:
        """Whether it is to be awaited, rather than called in a thread."""
        return self.steps[-1].is_awaited

    async def arguments(self, request: Request, body: bytes) -> dict[str, Any]:
        """What the function of the route is to be called with.

        Raises:
            NotPlain: it cannot be called with what is given, or only FastAPI knows how.
            HTTPException: the caller may not.
        """
        said = None if self.body is None else _decoded(request, body)
        query: dict[str, list[str]] = {}
        if request.scope["query_string"]:
            for name, value in request.query_params.multi_items():
                query.setdefault(name, []).append(value)
        results: list[Any] = []
        for step in self.steps[:-1]:
            values = step.arguments(request, query, results)
            results.append(await step.function(**values) if step.is_awaited else step.function(**values))
        arguments = self.steps[-1].arguments(request, query, results)
        if self.body is not None:
            arguments[self.body.name] = _checked(self.body, said)
        return arguments


def direct_call(route: APIRoute) -> DirectCall | None:
    """None: the route takes something that is left to FastAPI."""
    steps: list[_Step] = []
    try:
        _add(steps, {}, route.dependant)
        return DirectCall(tuple(steps), _body_of(route))
    except NotPlain:
        return None


def _add(steps: list[_Step], known: dict[Callable[..., Any], int], dependant: Dependant) -> int:
    """Append what it takes to call this; returns which of the steps it is."""
    function = dependant.call
    if function is None or _is_special(dependant):
        raise NotPlain
    needs = [(each.name, _add_once(steps, known, each)) for each in dependant.dependencies]
    steps.append(
        _Step(
            function,
            _is_coroutine(function),
            _values(dependant.path_params),
            _values(dependant.query_params),
            needs,
            [name for name in (dependant.request_param_name, dependant.http_connection_param_name) if name],
        )
    )
    return len(steps) - 1


def _add_once(steps: list[_Step], known: dict[Callable[..., Any], int], dependant: Dependant) -> int:
    function = dependant.call
    # A function that may take long belongs into a thread. What a class makes of its parameters does not.
    if function is None or dependant.body_params or not (_is_coroutine(function) or inspect.isclass(function)):
        raise NotPlain
    if function not in known:
        known[function] = _add(steps, known, dependant)
    return known[function]


def _is_special(dependant: Dependant) -> bool:
    return bool(
        dependant.header_params
        or dependant.cookie_params
        or dependant.websocket_param_name
        or dependant.response_param_name
        or dependant.background_tasks_param_name
        or dependant.security_scopes_param_name
        or not dependant.use_cache
    )


def _is_coroutine(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - to look at it


def _body_of(route: APIRoute) -> Field | None:
    fields = route.dependant.body_params
    if not fields:
        return None
    field = fields[0]
    # Two of them, or one that stands below a name of its own, are put together by FastAPI.
    if len(fields) > 1 or route.body_field is not field or isinstance(field.field_info, Form):
        raise NotPlain
    return field


def _values(fields: Sequence[Field]) -> _Values:
    constant: dict[str, Any] = {}
    fresh: list[tuple[str, Callable[[], Any]]] = []
    required: set[str] = set()
    by_alias: dict[str, tuple[Field, bool]] = {}
    for field in fields:
        info = field.field_info
        if info.validation_alias not in (None, field.alias) or info.validate_default or _is_model(info.annotation):
            raise NotPlain
        by_alias[field.alias] = (field, _is_list(info.annotation))
        if info.is_required():
            required.add(field.name)
        elif isinstance(info.default, _PLAIN) and info.default_factory is None:
            constant[field.name] = info.default
        else:
            fresh.append((field.name, info.default_factory or partial(deepcopy, info.default)))
    return _Values(constant, tuple(fresh), frozenset(required), by_alias)


def _parts(annotation: Any) -> Sequence[Any]:
    """Of a union, what it is made of."""
    if typing.get_origin(annotation) is Annotated:
        return _parts(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [part for each in typing.get_args(annotation) for part in _parts(each)]
    return [annotation]


def _is_list(annotation: Any) -> bool:
    return any((typing.get_origin(each) or each) in (list, set, tuple, frozenset) for each in _parts(annotation))


def _is_model(annotation: Any) -> bool:
    return any(inspect.isclass(each) and issubclass(each, BaseModel) for each in _parts(annotation))


def _checked(field: Field, value: Any) -> Any:
    found, problems = field.validate(value, {}, loc=())
    if problems:
        raise NotPlain
    return found


def _decoded(request: Request, body: bytes) -> Any:
    if not body or request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
        raise NotPlain
    try:
        return json.loads(body)
    except ValueError:
        raise NotPlain from None
