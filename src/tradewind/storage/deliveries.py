"""Updates of assets on their way to the DAGs that wait for them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from tradewind.model.asset import AssetKey
from tradewind.model.ids import RunKey, VersionKey
from tradewind.model.listener_news import Hook
from tradewind.model.slot_policy import EVERYTHING, EventWindow
from tradewind.storage.asset_events import within
from tradewind.storage.batch import Columns, Kind, batch_parameters, batch_table
from tradewind.storage.heard import first_at, heard_of
from tradewind.storage.interface.schedule_stores import Arrival, Audience, Delivery, Listener, Waiting
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import asset_delivery, asset_event, asset_listener, dag, dag_bundle, delivery_is_pending
from tradewind.storage.types import AnySelect

_COLUMNS = asset_delivery.c
_WANTED: Columns = (("dag_id", Kind.TEXT), ("asset_key", Kind.INT))
_NEW: Columns = (
    ("dag_id", Kind.TEXT),
    ("event_key", Kind.INT),
    ("asset_key", Kind.INT),
    ("created_at", Kind.INSTANT),
    ("partition_key", Kind.TEXT),
    ("target_key", Kind.TEXT),
    ("batch_key", Kind.INT),
    ("number", Kind.INT),
    ("first_at", Kind.INSTANT),
)
_CHOSEN: Columns = (("dag_id", Kind.TEXT), ("event_key", Kind.INT))
_TAKEN: Columns = (("dag_id", Kind.TEXT), ("run_key", Kind.INT), ("event_key", Kind.INT))
_RUNS: Columns = (("run_key", Kind.INT),)
_UNMAPPED = (
    sa.select(_COLUMNS.dag_id, _COLUMNS.event_key, _COLUMNS.asset_key, _COLUMNS.created_at, _COLUMNS.partition_key)
    .where(_COLUMNS.dag_id == sa.bindparam("dag_id"), delivery_is_pending, _COLUMNS.target_key == "")
    .order_by(_COLUMNS.event_key)
)
_FORGET_EVENTS = sa.delete(asset_delivery).where(
    _COLUMNS.dag_id == sa.bindparam("dag_id"), delivery_is_pending, one_of(_COLUMNS.event_key, "event_keys")
)
_MAPPED = sa.select(_COLUMNS.event_key, _COLUMNS.target_key).where(
    _COLUMNS.dag_id == sa.bindparam("dag_id"), one_of(_COLUMNS.event_key, "event_keys")
)
_ARRIVALS = (
    sa.select(_COLUMNS.target_key, _COLUMNS.asset_key, _COLUMNS.partition_key, sa.func.min(_COLUMNS.event_key))
    .where(_COLUMNS.dag_id == sa.bindparam("dag_id"), delivery_is_pending, _COLUMNS.target_key != "")
    .group_by(_COLUMNS.target_key, _COLUMNS.asset_key, _COLUMNS.partition_key)
)
_UNDO_MAPPING = (
    sa.select(_COLUMNS.dag_id, _COLUMNS.event_key, _COLUMNS.asset_key, _COLUMNS.created_at, _COLUMNS.partition_key)
    .where(_COLUMNS.dag_id == sa.bindparam("dag_id"), delivery_is_pending, _COLUMNS.target_key != "")
    .distinct()
)
_FORGET = sa.delete(asset_listener).where(one_of(asset_listener.c.dag_id, "dag_ids"))
_KNOWN = sa.select(asset_listener).where(one_of(asset_listener.c.dag_id, "dag_ids"))
_LISTENERS = (
    sa.select(asset_listener)
    .where(one_of(asset_listener.c.value, "values"))
    .order_by(asset_listener.c.dag_id, asset_listener.c.kind, asset_listener.c.value)
)
_LISTENING = sa.select(asset_listener.c.dag_id).where(one_of(asset_listener.c.dag_id, "dag_ids")).distinct()
_ANY_LISTENER = sa.select(asset_listener.c.dag_id).limit(1)
_wanting = dag_bundle.c.heard_hooks.contains
# One statement: every update asks.
_AUDIENCE = sa.select(
    sa.exists().select_from(asset_listener).label("dags"),
    *(
        sa.exists().where(dag_bundle.c.is_active, _wanting(hook.value)).label(hook.value)
        for hook in (Hook.ASSET_CHANGED, Hook.ASSET_EVENT)
    ),
)
_HEARD = heard_of(one_of(_COLUMNS.run_key, "run_keys"))
_CONSUMED = sa.select(_HEARD.c.run_key, _HEARD.c.event_key).order_by(_HEARD.c.created_at, _HEARD.c.event_key)
_VERSIONS = sa.select(dag.c.dag_id, dag.c.version_key).where(
    one_of(dag.c.dag_id, "dag_ids"), dag.c.version_key.is_not(None)
)
_IN_BATCHES = (
    sa.select(_COLUMNS.run_key)
    .where(one_of(_COLUMNS.run_key, "run_keys"))
    .group_by(_COLUMNS.run_key)
    .having(sa.func.sum(_COLUMNS.number) > sa.bindparam("number"))
)
_IS_PENDING = sa.case((delivery_is_pending, 1), else_=0) == 1
_WITH_PENDING = sa.select(_COLUMNS.dag_id).where(delivery_is_pending).distinct().order_by(_COLUMNS.dag_id)


class Deliveries:
    """Implements `interface.schedule_stores.DeliveryStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._dialect = connection.dialect.name

    def heard_by(self, dag_ids: Collection[str]) -> set[Listener]:
        return {Listener(*row) for row in self._connection.execute(_KNOWN, {"dag_ids": list(dag_ids)})}

    def listen(self, dag_ids: Collection[str], listeners: Collection[Listener]) -> None:
        self._connection.execute(_FORGET, {"dag_ids": list(dag_ids)})
        rows = [listener._asdict() for listener in sorted(set(listeners))]
        if rows:
            self._connection.execute(sa.insert(asset_listener), rows)

    def listeners(self, values: Collection[str]) -> list[Listener]:
        # MySQL compares these with ASCII only.
        wanted = [value for value in values if value.isascii() or self._dialect != "mysql"]
        if not wanted:
            return []
        return [Listener(*row) for row in self._connection.execute(_LISTENERS, {"values": wanted})]

    def listening(self, dag_ids: Collection[str]) -> set[str]:
        return set(self._connection.execute(_LISTENING, {"dag_ids": list(dag_ids)}).scalars())

    def is_anybody_listening(self) -> bool:
        return self._connection.execute(_ANY_LISTENER).first() is not None

    def audience(self) -> Audience:
        found = self._connection.execute(_AUDIENCE).one()._asdict()
        return Audience(
            bool(found.pop("dags")), frozenset(Hook(name) for name, is_wanted in found.items() if is_wanted)
        )

    def versions(self, dag_ids: Collection[str]) -> dict[str, VersionKey]:
        rows = self._connection.execute(_VERSIONS, {"dag_ids": list(dag_ids)})
        return {row[0]: VersionKey(row[1]) for row in rows}

    def deliver(self, deliveries: Sequence[Delivery]) -> None:
        if deliveries:
            self._connection.execute(_insert(self._dialect), batch_parameters(self._dialect, _NEW, deliveries))

    def unmapped(self, dag_id: str, limit: int) -> list[Delivery]:
        rows = self._connection.execute(_UNMAPPED.limit(limit), {"dag_id": dag_id})
        return [Delivery(row[0], row[1], AssetKey(row[2]), row[3], row[4]) for row in rows]

    def map(self, dag_id: str, event_keys: Collection[int], mapped: Sequence[Delivery]) -> None:
        parameters = {"dag_id": dag_id, "event_keys": list(event_keys)}
        self._connection.execute(_FORGET_EVENTS, parameters)
        there = {(row[0], row[1]) for row in self._connection.execute(_MAPPED, parameters)}
        self.deliver([each for each in mapped if (each.event_key, each.target_key) not in there])

    def undo_mapping(self, dag_id: str) -> None:
        rows = self._connection.execute(_UNDO_MAPPING, {"dag_id": dag_id})
        pending = [Delivery(row[0], row[1], AssetKey(row[2]), row[3], row[4]) for row in rows]
        if pending:
            self.map(dag_id, [each.event_key for each in pending], pending)

    def arrivals(self, dag_id: str, target_key: str | None = None) -> list[Arrival]:
        statement = _ARRIVALS if target_key is None else _ARRIVALS.where(_COLUMNS.target_key == target_key)
        rows = self._connection.execute(statement, {"dag_id": dag_id})
        return [Arrival(row[0], AssetKey(row[1]), row[2] or "", row[3]) for row in rows]

    def oldest(self, wanted: Collection[tuple[str, AssetKey]]) -> dict[tuple[str, AssetKey], int]:
        if not wanted:
            return {}
        batch = batch_table(self._dialect, _WANTED)
        # Not grouped: of 50,000 that wait, the index has the first at once.
        first = (
            sa.select(sa.func.min(_COLUMNS.event_key))
            .where(
                _COLUMNS.dag_id == batch.c.dag_id,
                _COLUMNS.asset_key == batch.c.asset_key,
                delivery_is_pending,
            )
            .scalar_subquery()
        )
        statement = sa.select(batch.c.dag_id, batch.c.asset_key, first)
        rows = self._connection.execute(statement, batch_parameters(self._dialect, _WANTED, sorted(wanted)))
        return {(row[0], AssetKey(row[1])): row[2] for row in rows if row[2] is not None}

    def newest_at(self, dag_id: str, *, event: int | None = None, window: EventWindow | None = None) -> datetime | None:
        statement = sa.select(sa.func.max(_COLUMNS.created_at)).where(*_chosen(dag_id, event), *_within(window))
        found: datetime | None = self._connection.execute(statement).scalar()
        return found

    def take(self, dag_id: str, run_key: RunKey, *, event: int | None = None, window: EventWindow | None = None) -> int:
        # One statement: whatever comes while it runs is either taken or stays pending.
        statement = sa.update(asset_delivery).where(*_chosen(dag_id, event), *_within(window))
        return self._connection.execute(statement.values(run_key=run_key)).rowcount

    def take_past(
        self, dag_id: str, run_key: RunKey, asset_keys: Collection[AssetKey], window: EventWindow, target_key: str
    ) -> None:
        event = asset_event.c
        named: dict[str, sa.ColumnElement[Any]] = {
            "dag_id": sa.literal(dag_id),
            "run_key": sa.literal(run_key),
            "target_key": sa.literal(target_key),
        }
        copied: dict[str, sa.ColumnElement[Any]] = {
            name: event[name] for name in ("event_key", "asset_key", "created_at", "partition_key")
        }
        columns = {**named, **copied}
        found = sa.select(*columns.values()).where(one_of(event.asset_key, "keys"), *within(window))
        statement = sa.insert(asset_delivery).from_select(list(columns), found)
        self._connection.execute(statement, {"keys": list(asset_keys)})

    def newest_of_each(self, chosen: Collection[tuple[str, int | None]]) -> dict[str, datetime]:
        found: dict[str, datetime] = {}
        for of_one in (False, True):
            rows = sorted(each for each in chosen if (each[1] is not None) is of_one)
            if rows:
                parameters = batch_parameters(self._dialect, _CHOSEN, rows)
                answers = self._connection.execute(_newest_of_each(self._dialect, of_one=of_one), parameters)
                found |= {row[0]: row[1] for row in answers if row[1] is not None}
        return found

    def take_each(self, taken: Collection[tuple[str, RunKey, int | None]]) -> int:
        number = 0
        for of_one in (False, True):
            rows = sorted(each for each in taken if (each[2] is not None) is of_one)
            if rows:
                parameters = batch_parameters(self._dialect, _TAKEN, rows)
                if not of_one:
                    parameters["dag_ids"] = [row[0] for row in rows]
                number += self._connection.execute(_take_each(self._dialect, of_one=of_one), parameters).rowcount
        return number

    def consumed(self, run_keys: Collection[RunKey], limit: int | None = None) -> list[tuple[RunKey, int]]:
        rows = self._connection.execute(_CONSUMED.limit(limit), {"run_keys": list(run_keys)})
        return [(RunKey(row[0]), row[1]) for row in rows]

    def consumed_more(self, run_keys: Collection[RunKey], number: int) -> set[RunKey]:
        parameters = batch_parameters(self._dialect, _RUNS, [(run_key,) for run_key in sorted(run_keys)])
        rows = self._connection.execute(_consumed_more(self._dialect, number), parameters)
        many = {RunKey(row[0]) for row in rows}
        # Of the others there are few rows, which may stand for more updates.
        others = {"run_keys": list(set(run_keys) - many), "number": number}
        return many | {RunKey(row[0]) for row in self._connection.execute(_IN_BATCHES, others)}

    def waiting(self, dag_id: str | None = None, asset_key: AssetKey | None = None) -> list[Waiting]:
        statement = (
            sa.select(_COLUMNS.dag_id, _COLUMNS.asset_key, sa.func.min(first_at), sa.func.sum(_COLUMNS.number))
            .where(delivery_is_pending, *_of(dag_id, asset_key))
            .group_by(_COLUMNS.dag_id, _COLUMNS.asset_key)
            .order_by(_COLUMNS.dag_id, _COLUMNS.asset_key)
        )
        return [Waiting(row[0], AssetKey(row[1]), row[2], int(row[3])) for row in self._connection.execute(statement)]

    def drop(self, dag_id: str | None = None, asset_key: AssetKey | None = None, before: datetime | None = None) -> int:
        conditions = [delivery_is_pending, *_of(dag_id, asset_key)]
        if before is not None:
            conditions.append(_COLUMNS.created_at < before)
        return self._connection.execute(sa.delete(asset_delivery).where(*conditions)).rowcount

    def keep_only(self, dag_id: str, asset_keys: Collection[AssetKey]) -> None:
        others = sa.not_(one_of(_COLUMNS.asset_key, "kept"))
        statement = sa.delete(asset_delivery).where(_COLUMNS.dag_id == dag_id, delivery_is_pending, others)
        # No key is 0. MySQL takes nothing for being outside of an empty list.
        self._connection.execute(statement, {"kept": [0, *asset_keys]})

    def dags_with_pending(self) -> list[str]:
        return list(self._connection.execute(_WITH_PENDING).scalars())


@cache
def _insert(dialect_name: str) -> sa.Insert:
    batch = batch_table(dialect_name, _NEW)
    names = [name for name, _ in _NEW]
    return sa.insert(asset_delivery).from_select(names, sa.select(*(batch.c[name] for name in names)))


@cache
def _consumed_more(dialect_name: str, number: int) -> AnySelect:
    batch = batch_table(dialect_name, _RUNS)
    consumed = sa.select(_COLUMNS.run_key).where(_COLUMNS.run_key == batch.c.run_key)
    # MySQL takes no parameter there.
    one_more = consumed.limit(1).offset(sa.literal_column(str(int(number)))).scalar_subquery()
    return sa.select(batch.c.run_key).where(one_more.is_not(None))


@cache
def _newest_of_each(dialect_name: str, *, of_one: bool) -> AnySelect:
    batch = batch_table(dialect_name, _CHOSEN)
    newest = sa.select(sa.func.max(_COLUMNS.created_at)).where(*_same(batch, of_one=of_one)).scalar_subquery()
    return sa.select(batch.c.dag_id, newest)


@cache
def _take_each(dialect_name: str, *, of_one: bool) -> sa.Update:
    batch = batch_table(dialect_name, _TAKEN)
    if of_one:
        return sa.update(asset_delivery).where(*_same(batch, of_one=True)).values(run_key=batch.c.run_key)
    # Not joined: PostgreSQL would rather read all that was ever consumed than go by the index once for each DAG.
    run_key = sa.select(batch.c.run_key).where(batch.c.dag_id == _COLUMNS.dag_id).scalar_subquery()
    pending = (one_of(_COLUMNS.dag_id, "dag_ids"), delivery_is_pending)
    return sa.update(asset_delivery).where(*pending).values(run_key=run_key)


def _same(batch: sa.Subquery, *, of_one: bool) -> list[sa.ColumnElement[bool]]:
    """What a row of a batch chooses; see `_chosen`."""
    if not of_one:
        return [_COLUMNS.dag_id == batch.c.dag_id, delivery_is_pending]
    return [_COLUMNS.dag_id == batch.c.dag_id, _COLUMNS.event_key == batch.c.event_key, _IS_PENDING]


def _chosen(dag_id: str, event: int | None) -> list[sa.ColumnElement[bool]]:
    """What waits for a DAG: all, or one. The one is found by its key: no index answers to a CASE."""
    if event is None:
        return [_COLUMNS.dag_id == dag_id, delivery_is_pending]
    return [_COLUMNS.dag_id == dag_id, _COLUMNS.event_key == event, _IS_PENDING]


def _within(window: EventWindow | None) -> list[sa.ColumnElement[bool]]:
    window = window or EVERYTHING
    conditions: list[sa.ColumnElement[bool]] = []
    if window.after is not None:
        conditions.append(_COLUMNS.created_at >= window.after)
    if window.before is not None:
        conditions.append(_COLUMNS.created_at <= window.before)
    if window.partition_key is not None:
        conditions.append(_COLUMNS.partition_key == window.partition_key)
    if window.target_key is not None:
        conditions.append(_COLUMNS.target_key == window.target_key)
    return conditions


def _of(dag_id: str | None, asset_key: AssetKey | None) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if dag_id is not None:
        conditions.append(_COLUMNS.dag_id == dag_id)
    if asset_key is not None:
        conditions.append(_COLUMNS.asset_key == asset_key)
    return conditions
