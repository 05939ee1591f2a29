"""Tests of connections for a supervisor that has no database: each by its own token, from a web server."""

from collections.abc import Sequence
from typing import Final

import msgspec

from tradewind.errors import DatabaseUnavailable
from tradewind.model.connection_test import (
    ConnectionTestEnd,
    ConnectionTestItem,
    ConnectionTestKey,
    ConnectionTestOrder,
)
from tradewind.wire import execution as wire
from tradewind.worker.http_engine import Server

_PATH: Final = "/connection-test"
_NOT_TAKEN: Final = frozenset({wire.NOT_KNOWN, wire.NOT_ALLOWED, wire.TOO_LATE, wire.NO_SENSE})
_decode: Final = msgspec.json.Decoder(ConnectionTestOrder).decode


class HttpConnectionTests:
    """Implements `worker.engine.ConnectionTestEngine`."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._tokens: dict[ConnectionTestKey, str] = {}
        """Of those that were begun."""

    def begin(self, items: Sequence[ConnectionTestItem]) -> list[ConnectionTestOrder]:
        """See `ConnectionTestEngine.begin`. Whose answer is lost on its way is not begun again, and given up."""
        orders = []
        for item in items:
            status, answer = self._server.ask("POST", _PATH, item.token)
            if status == wire.DONE:
                self._tokens[item.key] = item.token
                orders.append(_decode(answer))
            elif status not in _NOT_TAKEN and not orders:
                raise DatabaseUnavailable(f"the server answered with {status}")
        return orders

    def end(self, ends: Sequence[ConnectionTestEnd]) -> bool:
        """See `ConnectionTestEngine.end`."""
        for end in ends:
            token = self._tokens.get(end.key)
            if token is None:
                continue  # told before, when the answer to another one was lost
            status, _ = self._server.ask("PATCH", _PATH, token, msgspec.json.encode(end))
            if status not in _NOT_TAKEN and status // 100 != 2:
                raise DatabaseUnavailable(f"the server answered with {status}")
            del self._tokens[end.key]
        return True
