"""Callbacks of missed deadlines for a supervisor that has no database: each by its own token, from a web server."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from tradewind.errors import DatabaseUnavailable
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem, CallbackOrder
from tradewind.model.task_answers import ConnectionResult
from tradewind.wire import execution as wire
from tradewind.worker.http_engine import Server

_PATH: Final = "/deadline-callback"
_NOT_TAKEN: Final = frozenset({wire.NOT_KNOWN, wire.NOT_ALLOWED, wire.TOO_LATE, wire.NO_SENSE})
_ANSWERS: Final = {
    "get_variable": msgspec.json.Decoder(str | None).decode,
    "get_connection": msgspec.json.Decoder(ConnectionResult | None).decode,
    "get_variable_keys": msgspec.json.Decoder(list[str]).decode,
}
_decode: Final = msgspec.json.Decoder(CallbackOrder).decode


class HttpCallbacks:
    """Implements `worker.engine.CallbackEngine`."""

    def __init__(self, server: Server, connect: Callable[[], Server]) -> None:
        """`connect` makes another connection: callbacks ask in threads of their own."""
        self._server = server
        self._connect = connect
        self._tokens: dict[CallbackItem, str] = {}
        """Of those that were begun."""

    def begin(self, items: Sequence[CallbackItem]) -> list[CallbackOrder]:
        """See `CallbackEngine.begin`. Whose answer is lost on its way is handed out again in time."""
        orders = []
        for item in items:
            status, answer = self._server.ask("POST", _PATH, item.token)
            if status == wire.DONE:
                order = _decode(answer)
                self._tokens[order.item] = item.token
                orders.append(order)
            elif status not in _NOT_TAKEN and not orders:
                raise DatabaseUnavailable(f"the server answered with {status}")
        return orders

    def renew(self, items: Sequence[CallbackItem]) -> bool:
        """See `CallbackEngine.renew`."""
        return self._tell(items, is_held=True)

    def give_back(self, items: Sequence[CallbackItem]) -> bool:
        """See `CallbackEngine.give_back`."""
        return self._tell(items, is_held=False)

    def end(self, ends: Sequence[CallbackEnd]) -> bool:
        """See `CallbackEngine.end`."""
        for end in ends:
            item = CallbackItem(end.key, end.attempt)
            token = self._tokens.get(item)
            if token is None:
                continue  # told before, when the answer to another one was lost
            status, _ = self._server.ask("PATCH", _PATH, token, msgspec.json.encode(end))
            if status not in _NOT_TAKEN and status // 100 != 2:
                raise DatabaseUnavailable(f"the server answered with {status}")
            del self._tokens[item]
        return True

    def answer(self, item: CallbackItem, method: str, arguments: Mapping[str, object]) -> object:
        """See `CallbackEngine.answer`."""
        if method not in _ANSWERS:
            raise ValueError(f"{method} needs a running task")
        question = msgspec.json.encode({"method": method, "arguments": arguments})
        server = self._connect()
        try:
            status, answer = server.ask("POST", f"{_PATH}/answer", self._tokens[item], question)
        finally:
            server.close()
        if status != wire.DONE:
            raise DatabaseUnavailable(f"the server answered with {status}")
        return _ANSWERS[method](answer)

    def _tell(self, items: Sequence[CallbackItem], *, is_held: bool) -> bool:
        body = msgspec.json.encode(wire.StillThere(is_held))
        for item in items:
            self._server.ask("PUT", _PATH, item.token or self._tokens[item], body)
        return True
