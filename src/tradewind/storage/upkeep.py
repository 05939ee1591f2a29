"""Connections that are kept for whoever needs one next: whether they still lead anywhere.

Servers close connections that nobody uses, firewalls forget them, and a server that starts again knows none of them.
The first request afterwards would fail, for each connection once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

_IN_USE_S: Final = 1.0
"""Who used it a moment ago would have noticed. To ask each time, as SQLAlchemy would, is one more way to the server for
every transaction."""
_MADE_AT: Final = "tradewind_made_at"
_RETURNED_AT: Final = "tradewind_returned_at"


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What is done about it, by `[database] sql_alchemy_pool_pre_ping` and `sql_alchemy_pool_recycle`."""

    monotonic: Callable[[], float]
    asks: bool = True
    """Whether a connection that lay about is asked for a sign of life before it is used."""
    oldest_s: float = 1800.0
    """One that is older is replaced."""

    def watch(self, engine: sa.Engine) -> None:
        """From now on, for all connections of this engine."""

        def note_birth(_connection: Any, record: Any) -> None:
            record.info[_MADE_AT] = self.monotonic()

        def note_return(_connection: Any, record: Any) -> None:
            record.info[_RETURNED_AT] = self.monotonic()

        def look(connection: Any, record: Any, _proxy: object) -> None:
            now = self.monotonic()
            if now - record.info[_MADE_AT] > self.oldest_s:
                raise sa.exc.DisconnectionError("too old")
            idle_s = now - record.info.get(_RETURNED_AT, now)
            if self.asks and idle_s > _IN_USE_S and not _answers(engine.dialect, connection):
                # The others were closed with it, most likely.
                raise sa.exc.InvalidatePoolError("gone")

        sa.event.listen(engine, "connect", note_birth)
        sa.event.listen(engine, "checkin", note_return)
        sa.event.listen(engine, "checkout", look)


def _answers(dialect: sa.Dialect, connection: Any) -> bool:
    try:
        return dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error:
        return False
