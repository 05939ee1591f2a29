"""Tests of connections as supervisors know them (`worker.engine.ConnectionTestEngine`), with the database behind."""

from collections.abc import Sequence

from tradewind.model.connection_test import ConnectionTestEnd, ConnectionTestItem, ConnectionTestOrder
from tradewind.model.masking import MaskingRules
from tradewind.operations.attempt_engine import Now
from tradewind.operations.cipher import Cipher
from tradewind.operations.connection_tests import begin_tests, end_tests
from tradewind.storage.interface import Store


class StoredConnectionTests:
    """Implements `worker.engine.ConnectionTestEngine`."""

    def __init__(self, store: Store, clock: Now, secrets: Cipher, rules: MaskingRules) -> None:
        """`rules`: what counts as secret."""
        self._store = store
        self._clock = clock
        self._secrets = secrets
        self._rules = rules

    def begin(self, items: Sequence[ConnectionTestItem]) -> list[ConnectionTestOrder]:
        """See `ConnectionTestEngine.begin`."""
        keys, now = [item.key for item in items], self._clock.now()
        return self._store.transact(lambda tx: begin_tests(tx, keys, self._secrets, now))

    def end(self, ends: Sequence[ConnectionTestEnd]) -> bool:
        """See `ConnectionTestEngine.end`."""
        now = self._clock.now()
        self._store.transact(lambda tx: end_tests(tx, ends, self._secrets, self._rules, now))
        return True
