"""Tasks, or others, have updated assets."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from tradewind.errors import UnknownAssetId
from tradewind.model.asset import AssetKey
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import AttemptResult, OutletEvent
from tradewind.model.ids import TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.operations.register_assets import settle_activity
from tradewind.operations.spread_news import add_assets, spread_updates
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import AssetRecord, NewAsset, NewAssetEvent
from tradewind.telemetry.measurements import AssetsUpdated


class AssetUpdate(NamedTuple):
    """What one task said."""

    asker: Asker
    event: OutletEvent
    partition_key: str | None = None
    """Of the run of the task: what it updates is that partition, unless it says otherwise."""


def record_outlet_events(tx: Transaction, results: Sequence[AttemptResult], now: datetime) -> list[AssetUpdate]:
    """`record_asset_events` for attempts that ended in time."""
    speaking = [result for result in results if result.outlet_events]
    if not speaking:
        return []
    runs = {run.key: run for run in tx.runs.read({result.report.attempt.run_key for result in speaking})}
    updates = []
    for result in speaking:
        task = result.report.attempt.task
        run = runs[task.run_key]
        asker = Asker(task, run.dag_id, run.run_id)
        updates += [AssetUpdate(asker, event, run.partition_key) for event in result.outlet_events]
    return record_asset_events(tx, updates, now)


def record_asset_events(tx: Transaction, updates: Sequence[AssetUpdate], now: datetime) -> list[AssetUpdate]:
    """Store what tasks said of their outlets, of many attempts at once.

    An asset that is named for the first time is known from now on, and the alias that it came through stands for it.
    Returns what refers, by a name or a URI alone, to no active asset: nothing is stored of that.
    """
    if not updates:
        return []
    records = _known(tx, [update.event for update in updates], now)
    found = [(update, _chosen(update.event, records)) for update in updates]
    known = [(update, record.key) for update, record in found if record is not None]
    attached = {(update.event.alias, key) for update, key in known if update.event.alias is not None}
    if attached:
        tx.assets.attach(attached)
        inactive = {record.key for record in records if not record.is_active}
        settle_activity(tx, {key for _, key in attached} & inactive)
    add_asset_events(tx, _events(known), now)
    return [update for update, record in found if record is None]


def add_asset_events(tx: Transaction, events: Sequence[NewAssetEvent], now: datetime) -> list[int]:
    """Store updates, whoever said so, and tell of them: the schedulers first of all, where somebody waits for any.

    These hand them out. Who stores one has no more to do than that, however many wait for it.
    """
    audience = tx.deliveries.audience()
    keys = tx.asset_events.add(events, now, is_awaited=audience.has_dags)
    if audience.has_dags:
        tx.dag_changes.tell()
    spread_updates(tx, events, audience.hooks, now)
    tx.emit(AssetsUpdated(len(events)))
    return keys


def record_outside_event(
    tx: Transaction, asset_id: int, *, extra: Mapping[str, JsonValue], partition_key: str | None, now: datetime
) -> int:
    """Somebody says that an asset was updated, whom no task of ours runs for. Returns the key of the event.

    Raises `UnknownAssetId`.
    """
    known = tx.assets.read([AssetKey(asset_id)])
    if not known:
        raise UnknownAssetId(asset_id)
    event = NewAssetEvent(asset_key=AssetKey(asset_id), extra=dict(extra), partition_key=partition_key)
    return add_asset_events(tx, [event], now)[0]


def _known(tx: Transaction, events: Iterable[OutletEvent], now: datetime) -> list[AssetRecord]:
    """The assets that are spoken of, those that are new among them."""
    events = list(events)
    names = {event.name for event in events if event.name is not None}
    uris = {event.uri for event in events if event.name is None and event.uri is not None}
    records = tx.assets.named(names, uris)
    there = {(record.name, record.uri) for record in records}
    new = {
        (event.name, event.uri): NewAsset(name=event.name, uri=event.uri, group=event.group, extra=event.asset_extra)
        for event in reversed(events)  # what is said first counts
        if event.name is not None and event.uri is not None and (event.name, event.uri) not in there
    }
    if not new:
        return records
    add_assets(tx, new.values(), now)
    return tx.assets.named(names, uris)


def _chosen(event: OutletEvent, records: Iterable[AssetRecord]) -> AssetRecord | None:
    is_exact = event.name is not None and event.uri is not None
    for record in records:
        is_named = event.name in (None, record.name) and event.uri in (None, record.uri)
        if is_named and (is_exact or record.is_active):
            return record
    return None


def _events(updates: Iterable[tuple[AssetUpdate, AssetKey]]) -> list[NewAssetEvent]:
    """One per asset and partition. What came through several aliases is one event of all of them, as in Airflow."""
    through: dict[tuple[TaskKey, AssetKey, str], NewAssetEvent] = {}
    events: list[NewAssetEvent] = []
    for update, asset_key in updates:
        alias = update.event.alias
        if alias is None:
            partitions = update.event.partition_keys or (update.partition_key,)
            events += [_event(update, asset_key, partition) for partition in partitions]
            continue
        place = (update.asker.key, asset_key, json.dumps(update.event.extra, sort_keys=True))
        before = through[place].aliases if place in through else ()
        through[place] = _event(
            update, asset_key, update.partition_key, (*before, alias) if alias not in before else before
        )
    return [*events, *through.values()]


def _event(
    update: AssetUpdate, asset_key: AssetKey, partition_key: str | None, aliases: tuple[str, ...] = ()
) -> NewAssetEvent:
    asker = update.asker
    return NewAssetEvent(
        asset_key=asset_key,
        extra=update.event.extra,
        source_dag_id=asker.dag_id,
        source_task_id=asker.key.task_id,
        source_run_id=asker.run_id,
        source_map_index=asker.key.map_index,
        partition_key=partition_key,
        aliases=aliases,
    )
