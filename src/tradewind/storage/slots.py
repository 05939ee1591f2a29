"""Ticks that wait for assets."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.ids import RunKey
from tradewind.model.slot import NewSlot, Slot, SlotEnd, SlotKey
from tradewind.model.slot_policy import SlotState
from tradewind.model.timetable import DataInterval, RunInfo
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag, schedule_slot, slot_has_deadline, slot_is_waiting
from tradewind.storage.types import AnyRow, Instant

_COLUMNS = schedule_slot.c
_NOW = sa.bindparam("now", type_=Instant())
_WAITING = (
    sa.select(schedule_slot)
    .where(one_of(_COLUMNS.dag_id, "dag_ids"), slot_is_waiting)
    .order_by(_COLUMNS.dag_id, _COLUMNS.run_after)
)
_THERE = sa.select(_COLUMNS.slot_key).where(
    _COLUMNS.dag_id == sa.bindparam("of_dag"), _COLUMNS.run_after == sa.bindparam("tick", type_=Instant())
)
_LAST = (
    sa.select(schedule_slot)
    .where(_COLUMNS.dag_id == sa.bindparam("of_dag"))
    .order_by(_COLUMNS.run_after.desc())
    .limit(1)
)
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
_OVERDUE = (
    sa.select(_COLUMNS.dag_id)
    .join(dag, dag.c.dag_id == _COLUMNS.dag_id)
    .where(slot_has_deadline, _COLUMNS.deadline_at <= _NOW, ~dag.c.is_paused, dag.c.error.is_(None))
    .order_by(_COLUMNS.deadline_at)
    .limit(sa.bindparam("limit"))
)
_NEXT_DEADLINE = sa.select(sa.func.min(_COLUMNS.deadline_at)).where(slot_has_deadline, _COLUMNS.deadline_at > _NOW)
_COUNTS = sa.select(_COLUMNS.dag_id, sa.func.count()).where(slot_is_waiting).group_by(_COLUMNS.dag_id)


class Slots:
    """Implements `interface.schedule_stores.SlotStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, slot: NewSlot, now: datetime) -> bool:
        place = {"of_dag": slot.dag_id, "tick": slot.info.run_after}
        if self._connection.execute(_THERE, place).first() is not None:
            return False
        interval = slot.info.data_interval
        self._connection.execute(
            sa.insert(schedule_slot).values(
                dag_id=slot.dag_id,
                run_after=slot.info.run_after,
                interval_start=interval and interval.start,
                interval_end=interval and interval.end,
                state=SlotState.WAITING.value,
                created_at=now,
                deadline_at=slot.deadline_at,
            )
        )
        return True

    def waiting(self, dag_ids: Collection[str]) -> list[Slot]:
        return [_to_slot(row) for row in self._connection.execute(_WAITING, {"dag_ids": list(dag_ids)})]

    def end(self, ends: Sequence[SlotEnd], now: datetime) -> set[SlotKey]:
        ended = set()
        for end in ends:
            row = {"of_slot": end.key, "new_state": end.state.value, "new_run": end.run_key, "why": end.reason}
            if self._connection.execute(_END, {**row, "now": now}).rowcount:
                ended.add(end.key)
        return ended

    def note(self, slot: Slot, reason: str) -> None:
        statement = sa.update(schedule_slot).where(_COLUMNS.slot_key == slot.key, slot_is_waiting)
        self._connection.execute(statement.values(deadline_at=None, reason=reason))

    def last(self, dag_id: str) -> Slot | None:
        row = self._connection.execute(_LAST, {"of_dag": dag_id}).first()
        return None if row is None else _to_slot(row)

    def overdue(self, now: datetime, limit: int) -> list[str]:
        return list(dict.fromkeys(self._connection.execute(_OVERDUE, {"now": now, "limit": limit}).scalars()))

    def next_deadline(self, now: datetime) -> datetime | None:
        found: datetime | None = self._connection.execute(_NEXT_DEADLINE, {"now": now}).scalar()
        return found

    def counts(self) -> Mapping[str, int]:
        return {row[0]: row[1] for row in self._connection.execute(_COUNTS)}


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
