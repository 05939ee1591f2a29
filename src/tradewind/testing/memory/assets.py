"""Assets in a test: what happened to them before it, and what its tasks did to them."""

from collections.abc import Iterable

from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.task_answers import AssetEventResult
from tradewind.operations.register_assets import settle_activity
from tradewind.operations.task_requests.assets import as_event_result
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import AssetEventChoice, NewAsset, NewAssetEvent


def recall_events(tx: Transaction, events: Iterable[AssetEventResult]) -> None:
    """Store what happened before the test, each event with the time at which it happened."""
    for event in events:
        asset, at = event.asset, event.timestamp
        new = NewAsset(name=asset.name, uri=asset.uri, group=asset.group, extra=dict(asset.extra))
        tx.assets.add([new], at)
        (key,) = (record.key for record in tx.assets.named([asset.name], ()) if record.uri == asset.uri)
        aliases = tuple(alias.name for alias in event.source_aliases)
        tx.assets.attach({(alias, key) for alias in aliases})
        settle_activity(tx, {key})
        stored = NewAssetEvent(
            asset_key=key,
            extra=dict(event.extra),
            source_dag_id=event.source_dag_id,
            source_task_id=event.source_task_id,
            source_run_id=event.source_run_id,
            source_map_index=event.source_map_index,
            partition_key=event.partition_key,
            aliases=aliases,
        )
        tx.asset_events.add([stored], at)


def events_of_run(tx: Transaction, run: Run) -> dict[TaskKey, list[AssetEventResult]]:
    """What its tasks did to assets, in order."""
    found: dict[TaskKey, list[AssetEventResult]] = {}
    for event in map(as_event_result, tx.asset_events.choose(AssetEventChoice())):
        source = (event.source_dag_id, event.source_run_id)
        if source == (run.dag_id, run.run_id) and event.source_task_id is not None:
            map_index = -1 if event.source_map_index is None else event.source_map_index
            found.setdefault(TaskKey(run.key, event.source_task_id, map_index), []).append(event)
    return found
