"""Updates of assets."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from tradewind.storage.assets import ASSET_COLUMNS, to_asset
from tradewind.storage.interface.shared_stores import AssetEventChoice, NewAssetEvent, StoredAssetEvent
from tradewind.storage.json_text import from_optional_text, to_optional_text, to_text
from tradewind.storage.schema import asset, asset_alias_asset, asset_event
from tradewind.storage.types import AnyRow

_COLUMNS = asset_event.c
_EVENTS = sa.select(
    *ASSET_COLUMNS,
    _COLUMNS.event_key,
    _COLUMNS.created_at,
    _COLUMNS.extra,
    _COLUMNS.source_dag_id,
    _COLUMNS.source_task_id,
    _COLUMNS.source_run_id,
    _COLUMNS.source_map_index,
    _COLUMNS.partition_key,
    _COLUMNS.aliases,
).join(asset, asset.c.asset_key == _COLUMNS.asset_key)


class AssetEvents:
    """Implements `interface.AssetEventStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, events: Sequence[NewAssetEvent], now: datetime) -> None:
        rows = [_to_row(event, now) for event in events]
        if rows:
            self._connection.execute(sa.insert(asset_event), rows)

    def record(self, event: NewAssetEvent, now: datetime) -> int:
        result = self._connection.execute(sa.insert(asset_event).values(**_to_row(event, now)))
        assert result.inserted_primary_key is not None
        return int(result.inserted_primary_key[0])

    def choose(self, choice: AssetEventChoice) -> list[StoredAssetEvent]:
        order = (_COLUMNS.created_at, _COLUMNS.event_key)
        wanted = _EVENTS.where(*_conditions(choice))
        wanted = wanted.order_by(*order if choice.is_ascending else (column.desc() for column in order))
        return [_to_event(row) for row in self._connection.execute(wanted.limit(choice.limit))]


def _to_row(event: NewAssetEvent, now: datetime) -> dict[str, object]:
    return {
        "asset_key": event.asset_key,
        "created_at": now,
        "extra": to_optional_text(event.extra),
        "source_dag_id": event.source_dag_id,
        "source_task_id": event.source_task_id,
        "source_run_id": event.source_run_id,
        "source_map_index": event.source_map_index,
        "partition_key": event.partition_key,
        "aliases": to_optional_text(list(event.aliases) or None),
    }


def _conditions(choice: AssetEventChoice) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if choice.name is not None:
        conditions.append(asset.c.name == choice.name)
    if choice.uri is not None:
        conditions.append(asset.c.uri == choice.uri)
    if choice.alias is not None:
        attached = sa.select(asset_alias_asset.c.asset_key).where(asset_alias_asset.c.alias == choice.alias)
        # In a list of texts in JSON, a name with its quotation marks is found only where it is a whole text.
        is_through_it = _COLUMNS.aliases.contains(to_text(choice.alias), autoescape=True)
        conditions += [_COLUMNS.asset_key.in_(attached), is_through_it]
    if choice.after is not None:
        conditions.append(_COLUMNS.created_at >= choice.after)
    if choice.before is not None:
        conditions.append(_COLUMNS.created_at <= choice.before)
    return conditions


def _to_event(row: AnyRow) -> StoredAssetEvent:
    asset_record = to_asset(row)
    event = NewAssetEvent(
        asset_key=asset_record.key,
        extra=from_optional_text(row.extra),
        source_dag_id=row.source_dag_id,
        source_task_id=row.source_task_id,
        source_run_id=row.source_run_id,
        source_map_index=row.source_map_index,
        partition_key=row.partition_key,
        aliases=tuple(from_optional_text(row.aliases) or ()),
    )
    return StoredAssetEvent(row.event_key, row.created_at, asset_record, event)
