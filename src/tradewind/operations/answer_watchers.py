"""What watchers of assets ask for and keep, answered from the database."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from tradewind.errors import TradewindError
from tradewind.model.exchange import Refusal, Request
from tradewind.model.json_value import JsonValue
from tradewind.operations.cipher import Cipher
from tradewind.operations.structures import Structures
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.storage.interface import Store, Transaction
from tradewind.storage.interface.shared_stores import StateWriter

_KEEPS: Final = frozenset({"set_asset_state", "delete_asset_state", "clear_asset_state", "delete_webhook_messages"})


class WatcherRequests:
    """Answers each in a transaction of its own: there are few of them."""

    def __init__(self, store: Store, now: Callable[[], datetime], structures: Structures, secrets: Cipher) -> None:
        self._store = store
        self._now = now
        self._structures = structures
        self._secrets = secrets

    def __call__(self, requests: Sequence[Request]) -> list[object]:
        """An answer, or a `Refusal`, for each."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> object:
        if request.method not in _KEEPS and not request.method.startswith(("get_", "count_")):
            return Refusal(
                "RequestFailed", f"the watcher of an asset belongs to no task, so it has no {request.method}"
            )

        def work(tx: Transaction) -> object:
            runtime = _WatcherRuntime(
                tx, request.asker, now=self._now(), structures=self._structures, secrets=self._secrets
            )
            method: Callable[..., object] = getattr(runtime, request.method)
            return method(**request.arguments)

        try:
            return self._store.transact(work)
        except (TradewindError, ValueError) as error:
            return Refusal(type(error).__name__, str(error))


class _WatcherRuntime(StoredRuntime):
    """What is kept about an asset says that a watcher wrote it."""

    def set_asset_state(self, key: str, value: JsonValue, *, name: str | None = None, uri: str | None = None) -> None:
        self.tx.asset_states.put(self._asset_key(name, uri), key, value, self.now, StateWriter("watcher"))
