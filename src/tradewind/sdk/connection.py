"""Connections: how to reach a system outside, and with which credentials."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.connection_text import EXTRA_KEY, InvalidConnection, build_uri, parse_json, parse_uri
from tradewind.sdk.exceptions import AirflowException, AirflowNotFoundException
from tradewind.sdk.in_thread import in_thread
from tradewind.sdk.log import mask_secret
from tradewind.sdk.provider_registry import provider_registry
from tradewind.sdk.runtime import current_runtime

if TYPE_CHECKING:
    from typing import Self

log = logging.getLogger(__name__)

_FIELDS: Final = ("conn_type", "description", "host", "schema", "login", "password", "port", "extra")
# Connections that need not be stored: one that is being tested is known to its own hook.
_preset: ContextVar[dict[str, Connection] | None] = ContextVar("tradewind_preset_connections", default=None)


class Connection:
    """A connection. Either all is said in `uri`, or the fields are given one by one; `extra` is JSON text."""

    EXTRA_KEY: ClassVar[str] = EXTRA_KEY

    conn_id: str
    conn_type: str | None
    description: str | None
    host: str | None
    schema: str | None
    login: str | None
    password: str | None
    port: int | None
    extra: str | None

    def __init__(self, *, conn_id: str, uri: str | None = None, **kwargs: Any) -> None:
        if unknown := sorted(set(kwargs) - set(_FIELDS)):
            raise TypeError(f"a Connection has no {unknown}; it has {list(_FIELDS)}")
        if uri is not None and kwargs:
            raise AirflowException(
                f"the connection {conn_id!r} is described twice: give its uri, or {sorted(kwargs)}, not both"
            )
        if uri is not None:
            kwargs = _fields_of(parse_uri(uri, conn_id))
        self.conn_id = conn_id
        for name in _FIELDS:
            setattr(self, name, kwargs.get(name))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Connection):
            return NotImplemented
        return self._result() == other._result()

    # It can be changed, so it is no key of a dict.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Connection({self.conn_id!r}, conn_type={self.conn_type!r}, host={self.host!r})"

    def _result(self) -> ConnectionResult:
        return ConnectionResult(conn_id=self.conn_id, **{name: getattr(self, name) for name in _FIELDS})

    @classmethod
    def _from_result(cls, result: ConnectionResult) -> Self:
        return cls(conn_id=result.conn_id, **_fields_of(result))

    @classmethod
    def get(cls, conn_id: str) -> Any:
        """The stored connection of that id."""
        preset = (_preset.get() or {}).get(conn_id)
        if preset is None:
            result = current_runtime().get_connection(conn_id)
            if result is None:
                raise AirflowNotFoundException(
                    f"there is no connection {conn_id!r}: create it, or set TRADEWIND_CONN_{conn_id.upper()}"
                )
            preset = cls._from_result(result)
        preset.mask_secrets()
        return preset

    @classmethod
    async def async_get(cls, conn_id: str) -> Any:
        """`get` for coroutines: the event loop goes on meanwhile."""
        return await in_thread(cls.get, conn_id)

    def mask_secrets(self) -> None:
        """Keep the password, and what sounds secret among the extras, out of the logs."""
        mask_secret(self.password)
        if self.extra:
            mask_secret(_decoded(self.extra, self.conn_id))

    @property
    def extra_dejson(self) -> dict[str, Any]:
        """The extras, decoded; empty if they are no JSON object."""
        if not self.extra:
            return {}
        extra = _decoded(self.extra, self.conn_id)
        mask_secret(extra)
        return extra

    async def aextra_dejson(self) -> dict[str, Any]:
        """`extra_dejson` for coroutines."""
        return await in_thread(lambda: self.extra_dejson)

    def get_extra_dejson(self) -> dict[str, Any]:
        """The old name of `extra_dejson`."""
        warnings.warn("get_extra_dejson() is deprecated, use extra_dejson", DeprecationWarning, stacklevel=2)
        return self.extra_dejson

    @classmethod
    def from_uri(cls, uri: str, conn_id: str) -> Self:
        """Read `type://login:password@host:port/schema?extra=value`."""
        return cls._from_result(parse_uri(uri, conn_id))

    def get_uri(self) -> str:
        """Write as a URI, which must not show in a log: it has the password in it."""
        self.mask_secrets()
        return build_uri(self._result())

    async def aget_uri(self) -> str:
        """`get_uri` for coroutines."""
        return await in_thread(self.get_uri)

    @classmethod
    def from_json(cls, value: str, conn_id: str) -> Self:
        """Read a JSON object of the fields."""
        return cls._from_result(parse_json(value, conn_id))

    def as_json(self) -> str:
        """Write the fields that are set, without the id, as JSON."""
        fields = self.to_dict(prune_empty=True, validate=False)
        del fields["conn_id"]
        return json.dumps(fields)

    def to_dict(self, *, prune_empty: bool = False, validate: bool = True) -> dict[str, Any]:
        """The fields, with the extras decoded; `validate` makes sure that JSON can say them."""
        fields = asdict(self._result())
        fields["extra"] = self.extra_dejson
        if prune_empty:
            fields = {name: value for name, value in fields.items() if value is not None and value != {}}
        if validate:
            json.dumps(fields)
        return fields

    def get_hook(self, *, hook_params: dict[str, Any] | None = None) -> Any:
        """The hook for connections of this type, made for this one."""
        hook_class = provider_registry().hook_class(self.conn_type)
        if hook_class is None:
            raise AirflowException(
                f"there is no hook for connections of type {self.conn_type!r}, which {self.conn_id!r} is:"
                " install the provider package for it"
            )
        attribute = getattr(hook_class, "conn_name_attr", "conn_id")
        return hook_class(**{attribute: self.conn_id}, **(hook_params or {}))

    def test_connection(self) -> tuple[bool, str]:
        """Let the hook try it: whether it works, and a sentence about it. The connection need not be stored."""
        with _presetting(self):
            try:
                hook = self.get_hook()
                test = getattr(hook, "test_connection", None)
                if test is None:
                    return False, f"{type(hook).__name__} has no test_connection, so this connection cannot be tested"
                works, message = test()
            except Exception as error:  # whatever a hook raises is the result of the test
                return False, str(error)
        return bool(works), str(message)


@contextmanager
def _presetting(connection: Connection) -> Iterator[None]:
    token = _preset.set({**(_preset.get() or {}), connection.conn_id: connection})
    try:
        yield
    finally:
        _preset.reset(token)


def _fields_of(result: ConnectionResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in _FIELDS}


def _decoded(extra: str, conn_id: str) -> dict[str, Any]:
    try:
        decoded = json.loads(extra)
    except json.JSONDecodeError as error:
        log.error("the extra of connection %r is no JSON (%s), so it counts as empty", conn_id, error.msg)
        return {}
    return decoded if isinstance(decoded, dict) else {}


__all__ = ["Connection", "InvalidConnection"]
