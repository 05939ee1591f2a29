"""Callbacks of missed deadlines as supervisors know them (`worker.engine.CallbackEngine`), with the database behind."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from tradewind.model.deadline_callback import CallbackEnd, CallbackItem, CallbackOrder
from tradewind.operations.attempt_engine import Now
from tradewind.operations.deadline_callbacks import begin_callbacks, end_callbacks
from tradewind.storage.interface import Store


class StoredCallbacks:
    """Implements `worker.engine.CallbackEngine`."""

    def __init__(
        self, store: Store, clock: Now, answer: Callable[[str, Mapping[str, object]], object], *, lease_s: float
    ) -> None:
        """`lease_s`: after how long without a word another one may have them."""
        self._store = store
        self._clock = clock
        self._answer = answer
        self._lease = timedelta(seconds=lease_s)

    def begin(self, items: Sequence[CallbackItem]) -> list[CallbackOrder]:
        """See `CallbackEngine.begin`."""
        until = self._clock.now() + self._lease
        return self._store.transact(lambda tx: begin_callbacks(tx, items, until))

    def renew(self, items: Sequence[CallbackItem]) -> bool:
        """See `CallbackEngine.renew`."""
        until = self._clock.now() + self._lease
        self._store.transact(lambda tx: tx.deadline_callbacks.renew(items, until))
        return True

    def end(self, ends: Sequence[CallbackEnd]) -> bool:
        """See `CallbackEngine.end`."""
        self._store.transact(lambda tx: end_callbacks(tx, ends))
        return True

    def give_back(self, items: Sequence[CallbackItem]) -> bool:
        """See `CallbackEngine.give_back`."""
        now = self._clock.now()
        self._store.transact(lambda tx: tx.deadline_callbacks.renew(items, now))
        return True

    def answer(self, item: CallbackItem, method: str, arguments: Mapping[str, object]) -> object:
        """See `CallbackEngine.answer`."""
        return self._answer(method, arguments)
