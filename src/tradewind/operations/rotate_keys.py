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


class Rotated(NamedTuple):
    """How many there are."""

    variables: int
    connections: int
    triggers: int


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
    triggers = [SealedKwargs(each.key, *cipher.encrypt(opened_kwargs(each, cipher))) for each in tx.triggers.sealed()]
    tx.variables.put(variables, now)
    tx.connections.put(connections, now)
    tx.triggers.reseal(triggers)
    return Rotated(len(variables), len(connections), len(triggers))
