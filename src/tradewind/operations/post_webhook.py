"""Somebody outside posts something to a webhook."""

import json
from datetime import datetime
from typing import Final

from tradewind.errors import Conflict
from tradewind.model.json_value import JsonValue
from tradewind.storage.interface import Transaction

MOST_WAITING: Final = 10_000


def post_webhook(tx: Transaction, hook: str, body: JsonValue, now: datetime) -> int:
    """Keep it until a watcher is done with it. Returns its number.

    Raises:
        Conflict: nobody takes what is posted there.
    """
    if tx.watchers.count_posted(hook) >= MOST_WAITING:
        raise Conflict(f"{MOST_WAITING} messages wait at the webhook {hook!r}: no watcher takes them")
    return tx.watchers.post(hook, json.dumps(body), now)
