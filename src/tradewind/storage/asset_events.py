"""Updates of assets."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from tradewind.model.asset import AssetKey
from tradewind.model.ids import RunKey
from tradewind.model.slot_policy import EventWindow
from tradewind.storage.assets import ASSET_COLUMNS, to_asset
from tradewind.storage.heard import heard_of
from tradewind.storage.interface.shared_stores import (
    AssetEventChoice,
    NewAssetEvent,
    StoredAssetEvent,
    UnseenEvent,
)
from tradewind.storage.json_text import from_optional_text, to_optional_text, to_text
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import (
    asset,
    asset_alias_asset,
    asset_delivery,
    asset_event,
    event_is_in_batch,
    event_is_new,
)
from tradewind.storage.types import AnyRow

NEW: Final = -1
ALONE: Final = 0
_COLUMNS = asset_event.c
_WHOLE = sa.select(
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
)
_OF_ASSET = asset.c.asset_key == _COLUMNS.asset_key
_EVENTS = _WHOLE.join_from(asset_event, asset, _OF_ASSET)
# Outer joins, although there always is an asset: MariaDB would begin with the few assets there are, read all events
# that these ever had, and sort them, for each page.
_PAGED = _WHOLE.select_from(asset_event.outerjoin(asset, _OF_ASSET))
_PAGED_BY_DELIVERY = _WHOLE.select_from(
    asset_delivery.outerjoin(asset_event, asset_delivery.c.event_key == _COLUMNS.event_key).outerjoin(asset, _OF_ASSET)
)

_ADD_MANY = sa.insert(asset_event).returning(_COLUMNS.event_key, sort_by_parameter_order=True)
_HEARD = heard_of(one_of(asset_delivery.c.run_key, "run_keys"))
_CONSUMED_BY = (
    _EVENTS.add_columns(_HEARD.c.run_key.label("consumer"))
    .join(_HEARD, _HEARD.c.event_key == _COLUMNS.event_key)
    .order_by(_COLUMNS.created_at, _COLUMNS.event_key)
)
_CONSUMED_AFTER = (
    _PAGED_BY_DELIVERY.where(
        asset_delivery.c.dag_id == sa.bindparam("dag_id"),
        asset_delivery.c.event_key > sa.bindparam("after"),
        # By the key of the DAG and the event, and by nothing else: the limit ends the scan, and each page is as short
        # as the first. No index answers to a CASE.
        sa.case((asset_delivery.c.run_key == sa.bindparam("run_key"), 1), else_=0) == 1,
        asset_delivery.c.batch_key.is_(None),
    )
    .order_by(asset_delivery.c.event_key)
    .limit(sa.bindparam("limit"))
)
# By the end of the index: asked whether there is one, MariaDB would look through all of a batch that is over.
_LAST_OF_BATCH = (
    sa.select(_COLUMNS.event_key)
    .where(_COLUMNS.batch_key == asset_delivery.c.batch_key, event_is_in_batch)
    .order_by(_COLUMNS.batch_key.desc(), _COLUMNS.event_key.desc())
    .limit(1)
    .correlate(asset_delivery)
    .scalar_subquery()
)
_BATCHES_LEFT = (
    sa.select(asset_delivery.c.batch_key, asset_delivery.c.number)
    .where(
        asset_delivery.c.run_key == sa.bindparam("run_key"),
        asset_delivery.c.batch_key.is_not(None),
        sa.bindparam("after") < _LAST_OF_BATCH,
    )
    .order_by(asset_delivery.c.batch_key)
)
_OF_BATCHES_AFTER = (
    _PAGED.where(
        one_of(_COLUMNS.batch_key, "batch_keys"), event_is_in_batch, _COLUMNS.event_key > sa.bindparam("after")
    )
    # No index has this order: that of the key would be followed through all that came later for others.
    .order_by(_COLUMNS.event_key + 0)
    .limit(sa.bindparam("limit"))
)
_ANY_NEW = sa.select(_COLUMNS.event_key).where(event_is_new).limit(1)
_NEW = (
    sa.select(_COLUMNS.event_key, _COLUMNS.asset_key, _COLUMNS.created_at, _COLUMNS.partition_key, _COLUMNS.aliases)
    .where(event_is_new)
    .order_by(_COLUMNS.event_key)
    .limit(sa.bindparam("limit"))
    .with_for_update(key_share=True, skip_locked=True)
)
_IS_OF_PARTITION = sa.case((_COLUMNS.partition_key.is_(None), 0), else_=1)
_UNSEEN = (
    sa.select(
        sa.func.min(_COLUMNS.event_key),
        _COLUMNS.asset_key,
        sa.func.min(_COLUMNS.created_at),
        sa.func.min(_COLUMNS.partition_key),
        _COLUMNS.aliases,
    )
    .where(event_is_new, one_of(_COLUMNS.asset_key, "keys"))
    .group_by(_COLUMNS.asset_key, _COLUMNS.aliases, _IS_OF_PARTITION)
)
_HAND_OUT = sa.update(asset_event).where(one_of(_COLUMNS.event_key, "keys")).values(batch_key=sa.bindparam("batch"))


class AssetEvents:
    """Implements `interface.AssetEventStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, events: Sequence[NewAssetEvent], now: datetime, *, is_awaited: bool = False) -> list[int]:
        rows = [_to_row(event, now, NEW if is_awaited else ALONE) for event in events]
        if len(rows) > 1 and self._connection.dialect.insert_executemany_returning_sort_by_parameter_order:
            return list(self._connection.execute(_ADD_MANY, rows).scalars())
        return [self._add_one(row) for row in rows]

    def _add_one(self, row: dict[str, object]) -> int:
        result = self._connection.execute(sa.insert(asset_event).values(**row))
        assert result.inserted_primary_key is not None
        return int(result.inserted_primary_key[0])

    def new(self, limit: int) -> list[UnseenEvent]:
        rows = self._connection.execute(_NEW, {"limit": limit})
        return [UnseenEvent(*row[:4], tuple(from_optional_text(row.aliases) or ())) for row in rows]

    def unseen(self, asset_keys: Collection[AssetKey], window: EventWindow) -> list[UnseenEvent]:
        rows = self._connection.execute(_UNSEEN.where(*within(window)), {"keys": list(asset_keys)})
        return [UnseenEvent(*row[:4], tuple(from_optional_text(row.aliases) or ())) for row in rows]

    def is_any_new(self) -> bool:
        return self._connection.execute(_ANY_NEW).first() is not None

    def hand_out(self, event_keys: Collection[int], batch_key: int) -> None:
        self._connection.execute(_HAND_OUT, {"keys": list(event_keys), "batch": batch_key})

    def choose(self, choice: AssetEventChoice) -> list[StoredAssetEvent]:
        order = (_COLUMNS.created_at, _COLUMNS.event_key)
        wanted = _EVENTS.where(*_conditions(choice))
        wanted = wanted.order_by(*order if choice.is_ascending else (column.desc() for column in order))
        return [_to_event(row) for row in self._connection.execute(wanted.limit(choice.limit))]

    def updated(self, asset_keys: Collection[AssetKey], window: EventWindow) -> set[AssetKey]:
        statement = sa.select(_COLUMNS.asset_key).where(one_of(_COLUMNS.asset_key, "keys"), *within(window)).distinct()
        return {AssetKey(key) for key in self._connection.execute(statement, {"keys": list(asset_keys)}).scalars()}

    def instants(
        self, asset_keys: Collection[AssetKey], window: EventWindow, limit: int
    ) -> list[tuple[datetime, AssetKey]]:
        statement = (
            sa.select(_COLUMNS.created_at, _COLUMNS.asset_key)
            .where(one_of(_COLUMNS.asset_key, "keys"), *within(window))
            .order_by(_COLUMNS.created_at, _COLUMNS.event_key)
            .limit(limit)
        )
        rows = self._connection.execute(statement, {"keys": list(asset_keys)})
        return [(row.created_at, AssetKey(row.asset_key)) for row in rows]

    def source(self, event_key: int) -> tuple[str, str] | None:
        wanted = sa.select(_COLUMNS.source_dag_id, _COLUMNS.source_run_id).where(_COLUMNS.event_key == event_key)
        row = self._connection.execute(wanted).first()
        return None if row is None or row[0] is None or row[1] is None else (row[0], row[1])

    def consumed_by(self, run_keys: Collection[RunKey]) -> dict[RunKey, list[StoredAssetEvent]]:
        found: dict[RunKey, list[StoredAssetEvent]] = {}
        for row in self._connection.execute(_CONSUMED_BY, {"run_keys": list(run_keys)}):
            found.setdefault(RunKey(row.consumer), []).append(_to_event(row))
        return found

    def consumed_after(self, dag_id: str, run_key: RunKey, after: int, limit: int) -> list[StoredAssetEvent]:
        parameters = {"dag_id": dag_id, "run_key": run_key, "after": after, "limit": limit}
        rows = list(self._connection.execute(_CONSUMED_AFTER, parameters))
        for batch_keys in _in_parts(self._connection.execute(_BATCHES_LEFT, parameters).all(), limit):
            # A batch begins with its own key, and they come in that order: a page that ends before it is complete.
            if len(rows) >= limit and rows[limit - 1].event_key < batch_keys[0]:
                break
            rows += self._connection.execute(_OF_BATCHES_AFTER, {**parameters, "batch_keys": batch_keys})
            rows = sorted(rows, key=lambda row: int(row.event_key))[:limit]
        return [_to_event(row) for row in rows]


def _in_parts(batches: Iterable[AnyRow], size: int) -> Iterator[list[int]]:
    """The keys of batches, as many at a time as have so many updates: a run may have consumed thousands of small ones,
    and each statement is a way to the server and back."""
    part: list[int] = []
    number = 0
    for batch in batches:
        part.append(batch.batch_key)
        number += batch.number
        if number >= size:
            yield part
            part, number = [], 0
    if part:
        yield part


def within(window: EventWindow) -> list[sa.ColumnElement[bool]]:
    """What holds for updates in the window."""
    conditions = []
    if window.after is not None:
        conditions.append(_COLUMNS.created_at >= window.after)
    if window.before is not None:
        conditions.append(_COLUMNS.created_at <= window.before)
    if window.partition_key is not None:
        conditions.append(_COLUMNS.partition_key == window.partition_key)
    return conditions


def _to_row(event: NewAssetEvent, now: datetime, batch_key: int) -> dict[str, object]:
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
        "batch_key": batch_key,
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
