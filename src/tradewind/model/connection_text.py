"""Connections as text: as a URI, and as JSON. Environment variables and secrets backends hold them so."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Final
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from tradewind.model.task_answers import ConnectionResult

# One parameter that holds all extras as JSON, for those that a query string cannot say.
EXTRA_KEY: Final = "__extra__"
_FIELDS: Final = tuple(field.name for field in fields(ConnectionResult))


class InvalidConnection(ValueError):
    """Text that is no connection. The message shows none of it: it may hold a password."""

    def __init__(self, conn_id: str | None, problem: str) -> None:
        super().__init__(f"the connection {conn_id!r} cannot be read: {problem}")
        self.conn_id = conn_id


def parse_connection(text: str, conn_id: str) -> ConnectionResult:
    """Read either form."""
    text = text.strip()
    return parse_json(text, conn_id) if text.startswith("{") else parse_uri(text, conn_id)


def parse_json(text: str, conn_id: str) -> ConnectionResult:
    """Read an object whose keys are the fields; `extra` may be an object or its JSON text."""
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidConnection(conn_id, f"its JSON is broken in line {error.lineno}, column {error.colno}") from None
    if not isinstance(given, dict):
        raise InvalidConnection(conn_id, "its JSON has to be an object")
    return from_fields(given, conn_id)


def from_fields(given: Mapping[str, object], conn_id: str) -> ConnectionResult:
    """Build a connection from its fields, as JSON and YAML files give them."""
    if unknown := sorted(set(given) - set(_FIELDS)):
        raise InvalidConnection(conn_id, f"unknown fields {unknown}; it may have {sorted(_FIELDS)}")
    extra = given.get("extra")
    if extra is not None and not isinstance(extra, str):
        extra = json.dumps(extra) if extra else None
    conn_type = _text(given.get("conn_type"))
    return ConnectionResult(
        conn_id=conn_id,
        conn_type=normalize_conn_type(conn_type) if conn_type else conn_type,
        description=_text(given.get("description")),
        host=_text(given.get("host")),
        schema=_text(given.get("schema")),
        login=_text(given.get("login")),
        password=_text(given.get("password")),
        port=_port(given.get("port"), conn_id),
        extra=extra,
    )


def _text(value: object) -> str | None:
    """YAML reads a password of digits as a number."""
    return None if value is None else str(value)


def _port(value: object, conn_id: str | None) -> int | None:
    if value is None or value == "":
        return None
    try:
        return int(str(value))
    except ValueError:
        raise InvalidConnection(conn_id, f"the port has to be a whole number, not {value!r}") from None


def normalize_conn_type(conn_type: str) -> str:
    """A scheme has no underscore, a connection type no hyphen; and PostgreSQL has two names."""
    return "postgres" if conn_type == "postgresql" else conn_type.replace("-", "_")


def parse_uri(uri: str, conn_id: str) -> ConnectionResult:
    """Read `type://login:password@host:port/schema?extra=…`; the host may bring its own `protocol://`."""
    # Only the address counts: an extra such as `endpoint=http://…` is no protocol of the host.
    address, _, query = uri.partition("?")
    *schemes, rest = address.split("://")
    if len(schemes) > 2 or any(mark in scheme for scheme in schemes for mark in "@:/"):
        raise InvalidConnection(
            conn_id, "its URI is not of the form type://[protocol://]login:password@host:port/schema"
        )
    parts = urlsplit(f"//{rest.removeprefix('//')}")
    try:
        port = parts.port
    except ValueError:
        raise InvalidConnection(conn_id, "the port in its URI is not a whole number up to 65535") from None
    host = _host(parts)
    return ConnectionResult(
        conn_id=conn_id,
        conn_type=normalize_conn_type(schemes[0].lower()) if schemes else "",
        host=f"{schemes[1]}://{host}" if host and len(schemes) == 2 else host,
        schema=unquote(parts.path[1:]),
        login=_unquoted(parts.username),
        password=_unquoted(parts.password),
        port=port,
        extra=_extra_of(query.partition("#")[0]),
    )


def _unquoted(text: str | None) -> str | None:
    return None if text is None else unquote(text)


def _host(parts: SplitResult) -> str:
    """The host; `urlsplit` writes it in lower case, which a path (of a socket, say) in its place must not suffer."""
    host = unquote(parts.hostname or "")
    if "/" not in host:
        return host
    return unquote(parts.netloc.rpartition("@")[2].partition(":")[0])


def _extra_of(query: str) -> str | None:
    if not query:
        return None
    given = dict(parse_qsl(query, keep_blank_values=True))
    return given[EXTRA_KEY] if EXTRA_KEY in given else json.dumps(given)


def build_uri(connection: ConnectionResult) -> str:
    """Write the URI."""
    scheme = f"{connection.conn_type.lower().replace('_', '-')}:" if connection.conn_type else ""
    protocol, host = _protocol_and_host(connection)
    authority = quote(connection.login, safe="") if connection.login is not None else ""
    if connection.password is not None:
        authority += f":{quote(connection.password, safe='')}"
    at = "@" if authority else ""
    place = quote(host, safe="")
    if connection.port:
        # Without anything before it, a port would be read as a host.
        place += f":{connection.port}" if place or authority else f"@:{connection.port}"
    if connection.schema:
        place += f"/{quote(connection.schema, safe='')}"
    query = _query_of(connection.extra)
    before_query = "" if not query else "?" if connection.schema else "/?"
    return f"{scheme}//{protocol}{authority}{at}{place}{before_query}{query}"


def _protocol_and_host(connection: ConnectionResult) -> tuple[str, str]:
    host = connection.host or ""
    protocol, mark, rest = host.partition("://")
    # A protocol that says what the type says already stays part of the host.
    return (f"{protocol}://", rest) if mark and protocol != connection.conn_type else ("", host)


def _query_of(text: str | None) -> str:
    """Extras as parameters if that says all there is to say, else as JSON in one parameter."""
    if not text:
        return ""
    extra = decoded_extra(text)
    if extra and all(isinstance(value, str) for value in extra.values()):
        query = urlencode(extra)
        if extra == dict(parse_qsl(query, keep_blank_values=True)):
            return query
    return urlencode({EXTRA_KEY: text})


def decoded_extra(text: str | None) -> dict[str, object]:
    """The extras; none where the text is no JSON object."""
    try:
        extra: object = json.loads(text) if text else None
    except json.JSONDecodeError:
        return {}
    return extra if isinstance(extra, dict) else {}


def build_json(connection: ConnectionResult) -> str:
    """Write the fields that are set, without the id, as JSON."""
    return json.dumps(set_fields(connection))


def set_fields(connection: ConnectionResult) -> dict[str, object]:
    """The fields that are set, without the id, with the extras decoded; an extra that is no JSON object stays text."""
    found: dict[str, object] = {name: getattr(connection, name) for name in _FIELDS if name not in ("conn_id", "extra")}
    found["extra"] = decoded_extra(connection.extra) or connection.extra or None
    return {name: value for name, value in found.items() if value is not None}
