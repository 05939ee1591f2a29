"""Have listeners of plugins told of what is neither a run nor a task: services, assets, files with import errors.

Their code runs in children of a DAG processor only. What they want to hear of is written down with the change itself:
it is told if that happened, and once. Of what nobody wants to hear, nothing is.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from tradewind.model.dag_file import DagFile, FileName
from tradewind.model.ids import JobKey
from tradewind.model.listener_news import Hook, News
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.job_store import JobRecord
from tradewind.storage.interface.shared_stores import AssetRecord, NewAsset, NewAssetEvent


def spread_start(tx: Transaction, job: JobKey, now: datetime) -> None:
    """A service has begun."""
    _spread_of_service(tx, Hook.STARTING, job, now)


def spread_stop(tx: Transaction, job: JobKey, now: datetime) -> None:
    """A service ends in good order. Its lease must still be there."""
    _spread_of_service(tx, Hook.STOPPING, job, now)


def spread_of_living(tx: Transaction, now: datetime) -> None:
    """Who has just begun to listen hears of the services that began before."""
    tx.news.add([News(Hook.STARTING, _service(record)) for record in tx.jobs.all_live()], now)


def add_assets(tx: Transaction, assets: Collection[NewAsset], now: datetime) -> None:
    """Those that are not there yet."""
    if Hook.ASSET_CREATED in tx.bundles.hooks():
        tx.news.add([News(Hook.ASSET_CREATED, _asset(new)) for new in tx.assets.add_each(assets, now)], now)
    else:
        tx.assets.add(assets, now)


def put_aliases(tx: Transaction, groups: Mapping[str, str], now: datetime) -> None:
    """Those that are not there yet, and other groups for those that are."""
    new = tx.assets.put_aliases(groups)
    if new and Hook.ALIAS_CREATED in tx.bundles.hooks():
        tx.news.add([News(Hook.ALIAS_CREATED, {"name": name, "group": groups[name]}) for name in new], now)


def spread_updates(tx: Transaction, events: Sequence[NewAssetEvent], hooks: Collection[Hook], now: datetime) -> None:
    """Assets were updated, of which these hooks want to hear."""
    if not hooks:
        return
    assets = {record.key: _asset(record) for record in tx.assets.read({event.asset_key for event in events})}
    groups = tx.assets.aliases({alias for event in events for alias in event.aliases})
    news = []
    for event in events:
        asset = assets[event.asset_key]
        if Hook.ASSET_CHANGED in hooks:
            news.append(News(Hook.ASSET_CHANGED, asset))
        if Hook.ASSET_EVENT in hooks:
            news.append(News(Hook.ASSET_EVENT, {"asset": asset, **_event(event, groups)}))
    tx.news.add(news, now)


def spread_import_errors(
    tx: Transaction, errors: Mapping[FileName, str], before: Iterable[DagFile], now: datetime
) -> None:
    """Files were read that cannot be imported. `before`: as they were until then; some could not be before, either."""
    hooks = tx.bundles.hooks() if errors else frozenset()
    known = {file.name for file in before if file.has_error}
    news = []
    for name, text in errors.items():
        hook = Hook.EXISTING_IMPORT_ERROR if name in known else Hook.NEW_IMPORT_ERROR
        if hook in hooks:
            news.append(News(hook, {"bundle": name.bundle, "path": name.path, "stacktrace": text}))
    tx.news.add(news, now)


def _spread_of_service(tx: Transaction, hook: Hook, job: JobKey, now: datetime) -> None:
    if hook in tx.bundles.hooks():
        tx.news.add([News(hook, _service(record)) for record in tx.jobs.all_live() if record.job_key == job], now)


def _service(record: JobRecord) -> dict[str, object]:
    return {
        "id": record.job_key,
        "kind": record.kind,
        "hostname": record.hostname,
        "start_date": record.started_at.isoformat(),
        "latest_heartbeat": record.heartbeat_at.isoformat(),
    }


def _asset(asset: NewAsset | AssetRecord) -> dict[str, object]:
    return {"name": asset.name, "uri": asset.uri, "group": asset.group, "extra": asset.extra}


def _event(event: NewAssetEvent, groups: Mapping[str, str]) -> dict[str, object]:
    return {
        "extra": event.extra,
        "source_dag_id": event.source_dag_id,
        "source_task_id": event.source_task_id,
        "source_run_id": event.source_run_id,
        "source_map_index": event.source_map_index,
        "source_aliases": [{"name": alias, "group": groups[alias]} for alias in event.aliases if alias in groups],
        "partition_key": event.partition_key,
    }
