"""Callbacks of missed deadlines, on their way to who calls them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from tradewind.model.deadline import Deadline, DeadlineKey, DeadlineState
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem
from tradewind.storage.deadlines import to_deadline
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import deadline, deadline_is_missed, deadline_is_with_somebody
from tradewind.storage.types import Instant

_COLUMNS: Final = deadline.c
_UNTIL: Final = sa.bindparam("until", type_=Instant())
_AMONG: Final = one_of(_COLUMNS.deadline_key, "keys")
_IS_ASYNC: Final = sa.func.coalesce(_COLUMNS.is_async, sa.false())
_WAITING: Final = {
    is_async: sa.select(deadline)
    .where(deadline_is_missed, _IS_ASYNC if is_async else sa.not_(_IS_ASYNC))
    .order_by(_COLUMNS.missed_at)
    .limit(sa.bindparam("limit"))
    .with_for_update(skip_locked=True)
    for is_async in (False, True)
}
_HAND_OUT: Final = (
    sa.update(deadline)
    .where(_AMONG, deadline_is_missed)
    .values(state=sa.bindparam("after"), claimed_until=_UNTIL, attempts=_COLUMNS.attempts + 1)
)
_QUEUED: Final = (
    sa.select(deadline).where(_AMONG, _COLUMNS.state == DeadlineState.QUEUED.value).with_for_update(skip_locked=True)
)
_BEGIN: Final = sa.update(deadline).where(_AMONG).values(state=DeadlineState.RUNNING.value, claimed_until=_UNTIL)
_IS_ATTEMPT: Final = sa.and_(
    _COLUMNS.deadline_key == sa.bindparam("key"),
    _COLUMNS.attempts == sa.bindparam("attempt"),
    deadline_is_with_somebody,
)
_HELD: Final = sa.select(_COLUMNS.deadline_key).where(_IS_ATTEMPT, _COLUMNS.state == DeadlineState.RUNNING.value)
_RENEW: Final = sa.update(deadline).where(_IS_ATTEMPT).values(claimed_until=_UNTIL)
_END: Final = (
    sa.update(deadline)
    .where(_IS_ATTEMPT, _COLUMNS.state == DeadlineState.RUNNING.value)
    .values(
        state=sa.bindparam("after"),
        message=sa.bindparam("said"),
        output=sa.bindparam("printed"),
        claimed_until=None,
    )
)
_REFUSE: Final = (
    sa.update(deadline)
    .where(_COLUMNS.deadline_key == sa.bindparam("key"))
    .values(state=DeadlineState.FAILED.value, message=sa.bindparam("said"), claimed_until=None)
)
_LAPSED: Final = (
    sa.select(deadline)
    .where(deadline_is_with_somebody, _COLUMNS.claimed_until <= sa.bindparam("now", type_=Instant()))
    .order_by(_COLUMNS.claimed_until)
    .limit(sa.bindparam("limit"))
    .with_for_update(skip_locked=True)
)
_PUT_BACK: Final = (
    sa.update(deadline)
    .where(_AMONG, deadline_is_with_somebody)
    .values(state=DeadlineState.PENDING.value, claimed_until=None)
)


class DeadlineCallbacks:
    """Implements `interface.DeadlineCallbackStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def waiting(self, *, is_async: bool, limit: int) -> list[Deadline]:
        return [to_deadline(row) for row in self._connection.execute(_WAITING[is_async], {"limit": limit})]

    def hand_out(self, keys: Collection[DeadlineKey], after: DeadlineState, until: datetime) -> None:
        self._connection.execute(_HAND_OUT, {"keys": list(keys), "after": after.value, "until": until})

    def begin(self, items: Sequence[CallbackItem], until: datetime) -> list[Deadline]:
        attempts = {item.key: item.attempt for item in items}
        queued = [to_deadline(row) for row in self._connection.execute(_QUEUED, {"keys": list(attempts)})]
        begun = [each for each in queued if each.attempts == attempts[each.key]]
        if begun:
            self._connection.execute(_BEGIN, {"keys": [each.key for each in begun], "until": until})
        return begun

    def is_held(self, item: CallbackItem) -> bool:
        values = {"key": item.key, "attempt": item.attempt}
        return self._connection.execute(_HELD, values).first() is not None

    def renew(self, items: Sequence[CallbackItem], until: datetime) -> None:
        rows = [{"key": item.key, "attempt": item.attempt, "until": until} for item in sorted(items)]
        if rows:
            self._connection.execute(_RENEW, rows)

    def end(self, end: CallbackEnd, after: DeadlineState) -> bool:
        values = {"key": end.key, "attempt": end.attempt, "after": after.value}
        return self._connection.execute(_END, {**values, "said": end.error, "printed": end.output}).rowcount > 0

    def refuse(self, key: DeadlineKey, message: str) -> None:
        self._connection.execute(_REFUSE, {"key": key, "said": message})

    def lapsed(self, now: datetime, limit: int) -> list[Deadline]:
        return [to_deadline(row) for row in self._connection.execute(_LAPSED, {"now": now, "limit": limit})]

    def put_back(self, keys: Collection[DeadlineKey]) -> None:
        self._connection.execute(_PUT_BACK, {"keys": list(keys)})
