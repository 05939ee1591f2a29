"""Ticks that wait for assets."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache

import sqlalchemy as sa

from tradewind.model.asset import AssetKey
from tradewind.model.ids import RunKey
from tradewind.model.slot import NewSlot, Slot, SlotEnd, SlotKey
from tradewind.model.slot_policy import EventWindow, SlotState
from tradewind.model.timetable import DataInterval, RunInfo
from tradewind.storage.batch import Columns, Kind, batch_parameters, batch_table
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import (
    asset_delivery,
    dag,
    delivery_is_pending,
    schedule_slot,
    slot_has_deadline,
    slot_is_waiting,
)
from tradewind.storage.types import AnyRow, AnySelect, Instant

_COLUMNS = schedule_slot.c
_DELIVERY = asset_delivery.c
_NOW = sa.bindparam("now", type_=Instant())
_WAITING = (
    sa.select(schedule_slot)
    .where(one_of(_COLUMNS.dag_id, "dag_ids"), slot_is_waiting)
    .order_by(_COLUMNS.dag_id, _COLUMNS.run_after)
)
_OF_DAG = _COLUMNS.dag_id == sa.bindparam("of_dag")
_FIRST_WAITING = sa.select(schedule_slot).where(_OF_DAG, slot_is_waiting).order_by(_COLUMNS.run_after)
_SINCE = _COLUMNS.run_after >= sa.bindparam("since", type_=Instant())
_OVERDUE_OF = (
    sa.select(schedule_slot)
    .where(_OF_DAG, slot_has_deadline, _COLUMNS.deadline_at <= _NOW)
    .order_by(_COLUMNS.deadline_at)
    .limit(sa.bindparam("limit"))
)
_THERE = sa.select(_COLUMNS.run_after).where(
    _OF_DAG, _SINCE, _COLUMNS.run_after <= sa.bindparam("until", type_=Instant())
)
_AT = sa.select(schedule_slot).where(_OF_DAG, _COLUMNS.run_after == sa.bindparam("tick", type_=Instant()))
_LAST = sa.select(schedule_slot).where(_OF_DAG).order_by(_COLUMNS.run_after.desc()).limit(1)
_END = (
    sa.update(schedule_slot)
    .where(_COLUMNS.slot_key == sa.bindparam("of_slot"), slot_is_waiting)
    .values(
        state=sa.bindparam("new_state"),
        run_key=sa.bindparam("new_run"),
        reason=sa.bindparam("why"),
        settled_at=_NOW,
        deadline_at=None,
    )
)
_SETTLE_DATE = (
    sa.update(schedule_slot)
    .where(_OF_DAG, slot_is_waiting, _COLUMNS.interval_start == sa.bindparam("date", type_=Instant()))
    .values(
        state=SlotState.OPEN.value,
        run_key=sa.bindparam("new_run"),
        reason=sa.bindparam("why"),
        settled_at=_NOW,
        deadline_at=None,
    )
)
_SUPERSEDED = (
    sa.update(schedule_slot)
    .where(slot_is_waiting)
    .values(state=SlotState.SUPERSEDED.value, reason=sa.bindparam("why"), settled_at=_NOW, deadline_at=None)
)
_SUPERSEDE = _SUPERSEDED.where(one_of(_COLUMNS.slot_key, "slot_keys"))
_SUPERSEDE_ALL = _SUPERSEDED.where(one_of(_COLUMNS.dag_id, "dag_ids"))
_OVERDUE = (
    sa.select(_COLUMNS.dag_id)
    .join(dag, dag.c.dag_id == _COLUMNS.dag_id)
    .where(slot_has_deadline, _COLUMNS.deadline_at <= _NOW, ~dag.c.is_paused, dag.c.error.is_(None))
    .order_by(_COLUMNS.deadline_at)
    .limit(sa.bindparam("limit"))
)
_NEXT_DEADLINE = sa.select(sa.func.min(_COLUMNS.deadline_at)).where(slot_has_deadline, _COLUMNS.deadline_at > _NOW)
_COUNTS = sa.select(_COLUMNS.dag_id, sa.func.count()).where(slot_is_waiting).group_by(_COLUMNS.dag_id)

_WINDOWS: Columns = (
    ("number", Kind.INT),
    ("asset_key", Kind.INT),
    ("since", Kind.INSTANT),
    ("until", Kind.INSTANT),
    ("partition_key", Kind.TEXT),
)


class Slots:
    """Implements `interface.schedule_stores.SlotStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._dialect = connection.dialect.name

    def add(self, slots: Sequence[NewSlot], now: datetime) -> int:
        if not slots:
            return 0
        ticks = [slot.info.run_after for slot in slots]
        span = {"of_dag": slots[0].dag_id, "since": min(ticks), "until": max(ticks)}
        there = set(self._connection.execute(_THERE, span).scalars())
        rows = [_to_row(slot, now) for slot in slots if slot.info.run_after not in there]
        if rows:
            self._connection.execute(sa.insert(schedule_slot), rows)
        return len(rows)

    def waiting(self, dag_ids: Collection[str]) -> list[Slot]:
        return [_to_slot(row) for row in self._connection.execute(_WAITING, {"dag_ids": list(dag_ids)})]

    def first_waiting(self, dag_id: str, limit: int, since: datetime | None = None) -> list[Slot]:
        statement = _FIRST_WAITING if since is None else _FIRST_WAITING.where(_SINCE)
        rows = self._connection.execute(statement.limit(limit), {"of_dag": dag_id, "since": since})
        return [_to_slot(row) for row in rows]

    def overdue_of(self, dag_id: str, now: datetime, limit: int) -> list[Slot]:
        rows = self._connection.execute(_OVERDUE_OF, {"of_dag": dag_id, "now": now, "limit": limit})
        return [_to_slot(row) for row in rows]

    def end(self, ends: Sequence[SlotEnd], now: datetime) -> set[SlotKey]:
        ended = set()
        for end in ends:
            row = {"of_slot": end.key, "new_state": end.state.value, "new_run": end.run_key, "why": end.reason}
            if self._connection.execute(_END, {**row, "now": now}).rowcount:
                ended.add(end.key)
        return ended

    def settle_date(self, dag_id: str, date: datetime, run_key: RunKey, reason: str, now: datetime) -> None:
        values = {"of_dag": dag_id, "date": date, "new_run": run_key, "why": reason, "now": now}
        self._connection.execute(_SETTLE_DATE, values)

    def supersede(self, keys: Collection[SlotKey], reason: str, now: datetime) -> int:
        values = {"slot_keys": list(keys), "why": reason, "now": now}
        return self._connection.execute(_SUPERSEDE, values).rowcount if keys else 0

    def supersede_all(self, dag_ids: Collection[str], reason: str, now: datetime) -> int:
        values = {"dag_ids": list(dag_ids), "why": reason, "now": now}
        return self._connection.execute(_SUPERSEDE_ALL, values).rowcount if dag_ids else 0

    def note(self, slot: Slot, reason: str) -> None:
        statement = sa.update(schedule_slot).where(_COLUMNS.slot_key == slot.key, slot_is_waiting)
        self._connection.execute(statement.values(deadline_at=None, reason=reason))

    def last(self, dag_id: str) -> Slot | None:
        row = self._connection.execute(_LAST, {"of_dag": dag_id}).first()
        return None if row is None else _to_slot(row)

    def at(self, dag_id: str, tick: datetime) -> Slot | None:
        row = self._connection.execute(_AT, {"of_dag": dag_id, "tick": tick}).first()
        return None if row is None else _to_slot(row)

    def overdue(self, now: datetime, limit: int) -> list[str]:
        return list(dict.fromkeys(self._connection.execute(_OVERDUE, {"now": now, "limit": limit}).scalars()))

    def next_deadline(self, now: datetime) -> datetime | None:
        found: datetime | None = self._connection.execute(_NEXT_DEADLINE, {"now": now}).scalar()
        return found

    def updated_in(
        self, dag_id: str, asset_keys: Collection[AssetKey], windows: Sequence[EventWindow]
    ) -> list[set[AssetKey]]:
        found: list[set[AssetKey]] = [set() for _ in windows]
        rows = [
            (number, key, window.after, window.before, window.partition_key)
            for number, window in enumerate(windows)
            for key in sorted(asset_keys)
        ]
        if rows:
            of_partitions = any(window.partition_key is not None for window in windows)
            statement = _updated_in(self._dialect, of_partitions=of_partitions)
            parameters = {**batch_parameters(self._dialect, _WINDOWS, rows), "dag_id": dag_id}
            for number, key in self._connection.execute(statement, parameters):
                found[number].add(AssetKey(key))
        return found

    def counts(self) -> Mapping[str, int]:
        return {row[0]: row[1] for row in self._connection.execute(_COUNTS)}


@cache
def _updated_in(dialect_name: str, *, of_partitions: bool) -> AnySelect:
    batch = batch_table(dialect_name, _WINDOWS)
    conditions = [
        _DELIVERY.dag_id == sa.bindparam("dag_id"),
        _DELIVERY.asset_key == batch.c.asset_key,
        delivery_is_pending,
        sa.or_(batch.c.since.is_(None), _DELIVERY.created_at >= batch.c.since),
        sa.or_(batch.c.until.is_(None), _DELIVERY.created_at <= batch.c.until),
    ]
    if of_partitions:
        same = asset_delivery.alias("same")
        key = (same.c.dag_id == _DELIVERY.dag_id, same.c.event_key == _DELIVERY.event_key)
        wanted = sa.or_(batch.c.partition_key.is_(None), same.c.partition_key == batch.c.partition_key)
        conditions.append(sa.exists().where(*key, wanted).correlate(asset_delivery, batch))
    # The first and not any, and its partition by its key: with columns that the index does not have, SQLite would read
    # by the primary key all that the DAG ever consumed.
    first = sa.select(sa.func.min(_DELIVERY.event_key)).where(*conditions).scalar_subquery()
    return sa.select(batch.c.number, batch.c.asset_key).where(first.is_not(None))


def _to_row(slot: NewSlot, now: datetime) -> dict[str, object]:
    interval = slot.info.data_interval
    return {
        "dag_id": slot.dag_id,
        "run_after": slot.info.run_after,
        "interval_start": interval and interval.start,
        "interval_end": interval and interval.end,
        "state": SlotState.WAITING.value,
        "created_at": now,
        "deadline_at": slot.deadline_at,
    }


def _to_slot(row: AnyRow) -> Slot:
    has_interval = row.interval_start is not None and row.interval_end is not None
    interval = DataInterval(row.interval_start, row.interval_end) if has_interval else None
    return Slot(
        key=SlotKey(row.slot_key),
        dag_id=row.dag_id,
        info=RunInfo(row.run_after, interval),
        state=SlotState(row.state),
        created_at=row.created_at,
        deadline_at=row.deadline_at,
        settled_at=row.settled_at,
        run_key=None if row.run_key is None else RunKey(row.run_key),
        reason=row.reason,
    )
