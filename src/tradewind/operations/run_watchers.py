"""Watchers of assets find who runs them; what they see becomes events of their assets, once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from tradewind.model.asset import AssetKey
from tradewind.model.ids import JobKey
from tradewind.model.watcher import ClaimedWatcher, SeenMessage, WatchedEvent, WatcherKey, message_hash
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import NewAssetEvent
from tradewind.storage.interface.watcher_store import WatchedAsset

_NOBODY: Final = object()
MESSAGES_KEPT: Final = 10_000
"""So many are known of each watcher. What sources hand out again, because nobody said that it is done, is far less."""
_FORGOTTEN_EVERY: Final = 1_000


class WatcherWork(NamedTuple):
    """A watcher to run, and the assets that it speaks of."""

    watcher: ClaimedWatcher
    assets: tuple[WatchedAsset, ...]


def claim_watchers(tx: Transaction, job: JobKey, limit: int) -> list[WatcherWork]:
    """At most so many of those that are free and wanted."""
    claimed = tx.watchers.claim(job, limit) if limit > 0 else []
    if not claimed:
        return []
    assets = tx.watchers.assets([each.key for each in claimed])
    return [WatcherWork(each, tuple(asset for asset in assets if asset.watcher == each.key)) for each in claimed]


def find_unwanted_watchers(tx: Transaction, job: JobKey, running: Mapping[WatcherKey, str | None]) -> set[WatcherKey]:
    """Which of these, with the versions of their bundles, this triggerer shall stop: nobody wants them any more, or
    their files are others now. They are free, and those that no DAG declares are gone."""
    wanted = tx.watchers.wanted(job)
    unwanted = {key for key, version in running.items() if wanted.get(key, _NOBODY) != version}
    tx.watchers.let_go(unwanted | (wanted.keys() - running.keys()), job)
    tx.watchers.delete_undeclared()
    return unwanted


def store_watched(tx: Transaction, job: JobKey, events: Sequence[WatchedEvent], now: datetime) -> dict[WatcherKey, int]:
    """Make asset events of what watchers saw. Returns up to which number the events of each are stored.

    An event counts only while its watcher belongs to this triggerer, and only if none of its number was stored: so one
    that is told twice, or by somebody who was taken for dead, changes nothing. Where its source names its messages, one
    that is handed out again after its event was stored, because the source was not told of that, is passed over.
    """
    keys = {event.watcher for event in events}
    stored = tx.watchers.lock(keys, job)
    assets: defaultdict[WatcherKey, list[AssetKey]] = defaultdict(list)
    for asset in tx.watchers.assets(stored):
        assets[asset.watcher].append(asset.key)
    counted = dict(stored)
    new: list[NewAssetEvent] = []
    memory = _Memory(tx, [event for event in events if event.watcher in stored])
    for event in sorted(events, key=lambda each: each.number):
        if event.watcher in counted and event.number == counted[event.watcher] + 1:
            counted[event.watcher] = event.number
            if memory.is_new(event):
                extra = {"from_trigger": True, "payload": event.payload}
                new += [NewAssetEvent(asset_key=key, extra=extra) for key in assets[event.watcher]]
    tx.watchers.count({key: number for key, number in counted.items() if number != stored[key]})
    memory.keep(stored, counted)
    if new:
        add_asset_events(tx, new, now)
    return counted


class _Memory:
    """Which messages were seen before: in the same transaction as the events that they become."""

    def __init__(self, tx: Transaction, events: Sequence[WatchedEvent]) -> None:
        self._tx = tx
        named = {(each.watcher, message_hash(each.message_id)) for each in events if each.message_id is not None}
        self._known = tx.watchers.messages.known(named)
        self._new: list[SeenMessage] = []

    def is_new(self, event: WatchedEvent) -> bool:
        """Whether it counts. One without a name always does."""
        if event.message_id is None:
            return True
        seen = (event.watcher, message_hash(event.message_id))
        if seen in self._known:
            return False
        self._known.add(seen)
        self._new.append(SeenMessage(*seen, event.number))
        return True

    def keep(self, before: Mapping[WatcherKey, int], after: Mapping[WatcherKey, int]) -> None:
        """Remember the new ones; now and then, forget the oldest."""
        self._tx.watchers.messages.remember(self._new)
        passed = {key for key, number in after.items() if number // _FORGOTTEN_EVERY != before[key] // _FORGOTTEN_EVERY}
        self._tx.watchers.messages.forget({key: after[key] - MESSAGES_KEPT for key in passed})
