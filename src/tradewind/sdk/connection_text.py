"""Connections as text, refused with Airflow's exception: see `model.connection_text` for what is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tradewind.model import connection_text
from tradewind.model.connection_text import EXTRA_KEY, build_uri
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.exceptions import AirflowException


class InvalidConnection(AirflowException, ValueError):
    """Text that is no connection. The message shows none of it: it may hold a password."""

    def __init__(self, conn_id: str | None, problem: str) -> None:
        super().__init__(problem)
        self.conn_id = conn_id


def parse_connection(text: str, conn_id: str) -> ConnectionResult:
    """Read either form."""
    with _refusing():
        return connection_text.parse_connection(text, conn_id)


def parse_json(text: str, conn_id: str) -> ConnectionResult:
    """Read an object whose keys are the fields; `extra` may be an object or its JSON text."""
    with _refusing():
        return connection_text.parse_json(text, conn_id)


def parse_uri(uri: str, conn_id: str) -> ConnectionResult:
    """Read `type://login:password@host:port/schema?extra=…`; the host may bring its own `protocol://`."""
    with _refusing():
        return connection_text.parse_uri(uri, conn_id)


def from_fields(given: Mapping[str, Any], conn_id: str) -> ConnectionResult:
    """Build a connection from its fields, as JSON and YAML files give them."""
    with _refusing():
        return connection_text.from_fields(given, conn_id)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except connection_text.InvalidConnection as error:
        # The cause says no more.
        raise InvalidConnection(error.conn_id, str(error)) from None


__all__ = [
    "EXTRA_KEY",
    "InvalidConnection",
    "build_uri",
    "from_fields",
    "parse_connection",
    "parse_json",
    "parse_uri",
]
