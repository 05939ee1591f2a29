"""Commits on PostgreSQL that do not wait for the disk, and those that do after all."""

from collections.abc import Callable
from typing import Any, Final

import psycopg
import sqlalchemy as sa

# One message, so one way to the server and back. The commit is made, and told to whoever listens, before the second
# statement waits. That is a transaction by itself which has something to write: the log is written in order, so all
# that was committed before is on disk when it returns. The message must be a transactional one, which nobody reads:
# PostgreSQL waits only for a transaction that has both a number and a record in the log before its end. With a number
# alone (`txid_current()`) it leaves the commit to be written later, whatever `synchronous_commit` says.
_COMMIT_AND_WAIT: Final = """COMMIT;
SELECT set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, 'tradewind', '')"""


class LazyConnection(psycopg.Connection[Any]):
    """Its commits return before they are on disk, but for the next one after `wait_next_time`."""

    _waits = False

    def wait_next_time(self) -> None:
        """The next commit returns when it is on disk, and all before it."""
        self._waits = True

    def commit(self) -> None:
        """See `psycopg.Connection.commit`."""
        waits, self._waits = self._waits, False
        if waits and self.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS:
            self.execute(_COMMIT_AND_WAIT, prepare=False)  # two statements cannot be prepared as one
        else:
            super().commit()


def make_lazy(engine: sa.Engine) -> Callable[[sa.Connection], None]:
    """Let all connections of the engine be such ones. Returns what lets the next commit of one wait after all."""
    sa.event.listen(engine, "do_connect", _connect)
    sa.event.listen(engine, "connect", _do_not_wait)
    return _wait_next_time


def _wait_next_time(connection: sa.Connection) -> None:
    driver = connection.connection.driver_connection
    assert isinstance(driver, LazyConnection)
    driver.wait_next_time()


def _connect(_dialect: object, _record: object, arguments: list[Any], options: dict[str, Any]) -> LazyConnection:
    return LazyConnection.connect(*arguments, **options)


def _do_not_wait(connection: LazyConnection, _record: object) -> None:
    connection.execute("SET synchronous_commit = off")
    connection.commit()
