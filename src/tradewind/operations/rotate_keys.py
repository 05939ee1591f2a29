"""Encrypt everything anew, with the newest key."""

from datetime import datetime
from typing import NamedTuple

from tradewind.operations.cipher import (
    Cipher,
    opened_connection,
    opened_kwargs,
    opened_variable,
    sealed_connection,
    sealed_variable,
)
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.trigger_store import SealedKwargs
from tradewind.storage.interface.watcher_store import SealedWatcher


class Rotated(NamedTuple):
    """How many there are."""

    variables: int
    connections: int
    triggers: int
    """Of waiting tasks and of assets."""


def rotate_keys(tx: Transaction, cipher: Cipher, now: datetime) -> Rotated:
    """All or nothing. What was stored as plain text is encrypted too, where there is a key now.

    Raises:
        UndecipherableSecret: none of the keys opens something; nothing is changed.
    """
    variables = [
        sealed_variable(record.key, opened_variable(record, cipher), record.description, cipher)
        for record in tx.variables.all()
    ]
    connections = [sealed_connection(opened_connection(record, cipher), cipher) for record in tx.connections.all()]
    triggers, orphans = (
        [SealedKwargs(each.key, *cipher.encrypt(opened_kwargs(each, cipher))) for each in store.sealed()]
        for store in (tx.triggers, tx.triggers.orphans)
    )
    tested = tx.connection_tests.connections([test.key for test in tx.connection_tests.lock_unfinished()])
    tests = [(key, sealed_connection(opened_connection(each, cipher), cipher)) for key, each in tested.items()]
    watchers = [SealedWatcher(each.key, *cipher.encrypt(opened_kwargs(each, cipher))) for each in tx.watchers.sealed()]
    tx.variables.put(variables, now)
    tx.connections.put(connections, now)
    tx.triggers.reseal(triggers)
    tx.triggers.orphans.reseal(orphans)
    tx.watchers.reseal(watchers)
    tx.connection_tests.reseal(tests)
    return Rotated(len(variables), len(connections), len(triggers) + len(orphans) + len(watchers))
