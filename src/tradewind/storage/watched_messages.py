"""Which messages watchers have seen lately."""

from collections.abc import Collection, Mapping

import sqlalchemy as sa

from tradewind.model.watcher import SeenMessage, WatcherKey
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import watched_message

_COLUMNS = watched_message.c
# Some of other watchers may be among them. The hashes are of messages, so they are few.
_KNOWN = sa.select(_COLUMNS.watcher_key, _COLUMNS.message_hash).where(
    one_of(_COLUMNS.watcher_key, "keys"), one_of(_COLUMNS.message_hash, "hashes")
)
_FORGET = sa.delete(watched_message).where(
    _COLUMNS.watcher_key == sa.bindparam("of"), _COLUMNS.number <= sa.bindparam("up_to")
)


class WatchedMessages:
    """Implements `interface.watcher_store.WatchedMessageStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def known(self, messages: Collection[tuple[WatcherKey, str]]) -> set[tuple[WatcherKey, str]]:
        if not messages:
            return set()
        keys, hashes = sorted({key for key, _ in messages}), sorted({text for _, text in messages})
        found = self._connection.execute(_KNOWN, {"keys": keys, "hashes": hashes})
        return {(WatcherKey(row[0]), row[1]) for row in found} & set(messages)

    def remember(self, messages: Collection[SeenMessage]) -> None:
        rows = [
            {"watcher_key": each.watcher, "message_hash": each.message_hash, "number": each.number}
            for each in sorted(messages)
        ]
        if rows:
            self._connection.execute(sa.insert(watched_message), rows)

    def forget(self, up_to: Mapping[WatcherKey, int]) -> None:
        rows = [{"of": key, "up_to": up_to[key]} for key in sorted(up_to)]
        if rows:
            self._connection.execute(_FORGET, rows)
