"""Live changes: what transactions did, in a table that is short and often empty. See decision 0013."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Final

import msgspec
import sqlalchemy as sa

from tradewind.model.ids import RunKey
from tradewind.model.live import LiveEntry, LiveRow
from tradewind.storage.insert_new import insert_new
from tradewind.storage.live_entries import entries_of
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_run, live_change, live_listener
from tradewind.storage.types import storable_text
from tradewind.telemetry.events import Event

CHANNEL: Final = "tradewind_live"
"""What web servers LISTEN to on PostgreSQL."""
LOOK_EVERY_S: Final = 1.0
"""How often a process that writes looks whether anybody listens."""
TOLD_FOR_S: Final = 90.0
"""How long it goes on telling when the listener says nothing more."""

_ONE: Final = 1
_BEAT = sa.select(live_listener.c.beat).where(live_listener.c.listener_key == _ONE)
_LAST = sa.select(live_listener.c.heard_at).where(live_listener.c.listener_key == _ONE)
_NEXT_BEAT = sa.update(live_listener).where(live_listener.c.listener_key == _ONE).values(beat=live_listener.c.beat + 1)
_INSERT = sa.insert(live_change)
_INSERT_AND_NOTIFY = _INSERT.returning(sa.func.pg_notify(CHANNEL, ""))
_AFTER = (
    sa.select(live_change.c.change_key, live_change.c.at, live_change.c.entries)
    .where(sa.or_(live_change.c.change_key > sa.bindparam("key"), one_of(live_change.c.change_key, "missing")))
    .order_by(live_change.c.change_key)
    .limit(sa.bindparam("limit"))
)
_KEPT = sa.select(live_change.c.change_key, live_change.c.at).order_by(live_change.c.change_key)
_NAMES = sa.select(dag_run.c.run_key, dag_run.c.dag_id, dag_run.c.run_id).where(one_of(dag_run.c.run_key, "run_keys"))
_decode = msgspec.json.Decoder(list[LiveEntry]).decode


class LiveJournal:
    """Writes down what transactions did, if somebody listens. One for all connections of a process.

    Whether somebody does is asked once in a while only. That the listener lives is known by its beats, by the clock of
    this process: no two clocks need to agree.
    """

    def __init__(
        self, now: Callable[[], datetime], monotonic: Callable[[], float], wake: Callable[[], None] = lambda: None
    ) -> None:
        """`wake` tells listeners of this machine that there is something new; PostgreSQL tells them by itself."""
        self._now = now
        self._monotonic = monotonic
        self.wake = wake
        self._looks_at = self._monotonic()
        self._beat: int | None = None
        self._heard_at = self._looks_at

    def write(self, connection: sa.Connection, events: Sequence[Event]) -> bool:
        """Before the commit. Returns whether anybody is to be woken after it."""
        if not events or not self._is_wanted(connection):
            return False
        entries = [entry for event in events for entry in entries_of(event)]
        if not entries:
            return False
        row = {"at": self._now(), "entries": storable_text(msgspec.json.encode(entries).decode())}
        connection.execute(_INSERT_AND_NOTIFY if connection.dialect.name == "postgresql" else _INSERT, row)
        return True

    def _is_wanted(self, connection: sa.Connection) -> bool:
        moment = self._monotonic()
        if moment >= self._looks_at:
            self._looks_at = moment + LOOK_EVERY_S
            beat = connection.execute(_BEAT).scalar()
            if beat != self._beat:
                self._beat, self._heard_at = beat, moment
        return self._beat is not None and moment - self._heard_at < TOLD_FOR_S


class Live:
    """Implements `interface.LiveStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def listen(self, now: datetime) -> datetime | None:
        last: datetime | None = self._connection.execute(_LAST).scalar()
        if last is None:
            insert_new(self._connection, live_listener, [{"listener_key": _ONE, "beat": 0, "heard_at": now}])
        self._connection.execute(_NEXT_BEAT.values(heard_at=now))
        return last

    def after(self, key: int, missing: Collection[int], limit: int) -> list[LiveRow]:
        parameters = {"key": key, "missing": list(missing), "limit": limit}
        return [LiveRow(row[0], row[1], _decode(row[2])) for row in self._connection.execute(_AFTER, parameters)]

    def kept(self) -> list[tuple[int, datetime]]:
        return [(row[0], row[1]) for row in self._connection.execute(_KEPT)]

    def forget(self, through: int) -> None:
        self._connection.execute(sa.delete(live_change).where(live_change.c.change_key <= through))

    def begin_anew(self, now: datetime) -> None:
        self._connection.execute(sa.delete(live_change))
        self._connection.execute(_INSERT, {"at": now, "entries": "[]"})

    def names_of_runs(self, run_keys: Collection[RunKey]) -> dict[RunKey, tuple[str, str]]:
        found = self._connection.execute(_NAMES, {"run_keys": list(run_keys)})
        return {RunKey(row[0]): (row[1], row[2]) for row in found}
