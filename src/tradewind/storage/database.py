"""The database: its connections, its transactions, and what differs between SQLite, PostgreSQL and MySQL there."""

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property, partial
from threading import RLock
from typing import Any, TypeVar

import sqlalchemy as sa

from tradewind.errors import DatabaseError, TransactionConflict
from tradewind.storage.audit import watch
from tradewind.storage.failures import translated
from tradewind.storage.live import LiveJournal
from tradewind.storage.transaction import Channels, SqlTransaction
from tradewind.storage.upkeep import Upkeep
from tradewind.telemetry.hub import Hub

T = TypeVar("T")

CHANNEL = "tradewind"
"""What schedulers LISTEN to on PostgreSQL."""
TRIGGER_CHANNEL = "tradewind_triggers"
"""What triggerers LISTEN to."""

USUAL_CACHE_MB = 64
"""Of the engine, which mostly works with one connection and comes back to the same pages all the time."""
_OLDEST_SQLITE = (3, 35, 0)
"""The first with RETURNING."""
_CONFLICT_RETRIES = 8
_ONLY_READS = "tradewind_only_reads"
_RANDOM_PAGE_COST = 1.1
"""To PostgreSQL, against 1 for the page after the last one; usually set for disks without moving parts."""
# Whatever driver a URL of Airflow names. SQLAlchemy has a dialect of its own for MariaDB, which none of our statements
# knows by name; its dialect for MySQL speaks to MariaDB as well.
_DRIVERS = {
    "sqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mysql+pymysql",
}


class Database:
    """Implements `interface.Store`."""

    def __init__(
        self,
        url: str,
        *,
        hub: Hub | None = None,
        pool_size: int = 5,
        pause: Callable[[float], None] = lambda _: None,
        wake: Callable[[], None] = lambda: None,
        wake_triggerers: Callable[[], None] = lambda: None,
        notifies: bool = False,
        journal: LiveJournal | None = None,
        frozen_after_s: float | None = None,
        waits_for_disk: bool = True,
        cache_mb: int = USUAL_CACHE_MB,
        upkeep: Upkeep | None = None,
    ) -> None:
        """`pause` lets time pass between retries; `wake` tells waiting schedulers of a change, `wake_triggerers` those
        who run triggers, and `notifies` does both through PostgreSQL itself; `journal` tells those who watch. A process
        that says nothing for `frozen_after_s` in the middle of a transaction is cut off by the server, so that it does
        not keep its locks for as long as it is frozen.

        Without `waits_for_disk`, a commit may be lost when the machine (or PostgreSQL) crashes, but never without all
        that was committed after it, by whomever: the log is written in order. That is for who only prepares what others
        do, and would decide the same again: the next commit that does wait writes all of it.
        `transact_lastingly` waits.

        `cache_mb` is how much of a SQLite file each connection may keep in memory; `upkeep` finds connections to a
        server that lead nowhere any more."""
        self.engine = create_engine(url, pool_size, cache_mb)
        if upkeep is not None and self.dialect_name != "sqlite":
            upkeep.watch(self.engine)
        # MySQL has no such choice for a single connection.
        self._is_lazy = not waits_for_disk and self.dialect_name != "mysql"
        self._before_lasting_commit: Callable[[sa.Connection], None] = _do_nothing
        if self._is_lazy and self.dialect_name == "postgresql":
            from tradewind.storage.lazy_commit import make_lazy  # noqa: PLC0415 - psycopg is an optional driver

            self._before_lasting_commit = make_lazy(self.engine)
        elif self._is_lazy:
            sa.event.listen(self.engine, "connect", _do_not_wait_for_disk)
        if frozen_after_s is not None:
            sa.event.listen(self.engine, "connect", partial(_limit_silence, self.engine.dialect, frozen_after_s))
        # SQLite lets whoever has waited longest look for the lock least often. Among threads there is a fairer way.
        self._turn: AbstractContextManager[object] = RLock() if self.dialect_name == "sqlite" else nullcontext()
        self._hub = hub or Hub()
        self._pause = pause
        self._wake = wake
        self._wake_triggerers = wake_triggerers
        self._journal = journal
        notifies = notifies and self.engine.dialect.name == "postgresql"
        self._channels = Channels(CHANNEL, TRIGGER_CHANNEL) if notifies else Channels()

    @property
    def dialect_name(self) -> str:
        """sqlite, postgresql or mysql."""
        return self.engine.dialect.name

    @cached_property
    def _reading(self) -> sa.Engine:
        """The same connections, for who only reads. On PostgreSQL, whose statements each see what was committed before
        them also within a transaction, without one: its BEGIN and its end are two ways to the server. (To PyMySQL the
        change of mode would be two as well.)"""
        if self.dialect_name == "postgresql":
            return self.engine.execution_options(isolation_level="AUTOCOMMIT")
        return self.engine.execution_options(**{_ONLY_READS: True})

    @contextmanager
    def begin(self) -> Iterator[SqlTransaction]:
        """See `interface.Store.begin`."""
        with translated(), self._turn, self.engine.begin() as connection:
            watching = watch(connection)
            transaction = SqlTransaction(connection, self._channels, watching)
            yield transaction
            if watching is not None:
                watching.before_commit()
            is_live = self._journal is not None and self._journal.write(connection, transaction.events)
            if transaction.lasts:
                self._before_lasting_commit(connection)
        if watching is not None:
            watching.after_commit()
        if transaction.has_recorded_changes:
            self._wake()
        if transaction.has_trigger_news:
            self._wake_triggerers()
        if self._journal is not None and is_live:
            self._journal.wake()
        for event in transaction.events:
            self._hub.emit(event)

    def transact(self, work: Callable[[SqlTransaction], T]) -> T:
        """See `interface.Store.transact`."""
        for retry in range(_CONFLICT_RETRIES):
            try:
                with self.begin() as transaction:
                    return work(transaction)
            except TransactionConflict:
                self._pause(0.005 * 2**retry)
        with self.begin() as transaction:
            return work(transaction)

    def transact_lastingly(self, work: Callable[[SqlTransaction], T]) -> T:
        """See `interface.LastingStore.transact_lastingly`."""

        def lasting(transaction: SqlTransaction) -> T:
            transaction.lasts = True
            return work(transaction)

        result = self.transact(lasting)
        if self._is_lazy and self.dialect_name == "sqlite":
            _sync_log(self.engine.url.database)
        return result

    def read(self, work: Callable[[SqlTransaction], T]) -> T:
        """See `interface.ReadingStore.read`."""
        with translated(), self._reading.connect() as connection:
            return work(SqlTransaction(connection))

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def create_engine(url: str, pool_size: int, cache_mb: int = USUAL_CACHE_MB) -> sa.Engine:
    """Connections as all of Tradewind needs them: one driver per kind, READ COMMITTED or one writer."""
    given = sa.make_url(url)
    driver = _DRIVERS.get(given.get_backend_name())
    if driver is None:
        kind = given.get_backend_name()
        raise DatabaseError(f"databases of the kind {kind!r} are not supported; use sqlite, postgresql or mysql")
    if driver == "sqlite":
        return _sqlite_engine(given, pool_size, cache_mb)
    # Every statement names its isolation needs by locks; READ COMMITTED sees what the lock waited for. MySQL's default,
    # REPEATABLE READ, would count slots in a snapshot from before the lock.
    engine = sa.create_engine(
        given.set(drivername=driver),
        pool_size=pool_size,
        max_overflow=0,
        isolation_level="READ COMMITTED",
        pool_use_lifo=True,
    )
    prepare = _prepare_mysql if engine.dialect.name == "mysql" else _prepare_postgresql
    sa.event.listen(engine, "connect", prepare)
    return engine


def _sqlite_engine(url: sa.URL, pool_size: int, cache_mb: int) -> sa.Engine:
    is_memory = url.database in (None, "", ":memory:")
    options: dict[str, Any] = {"connect_args": {"check_same_thread": False}}
    if is_memory:
        options["poolclass"] = sa.StaticPool
    else:
        options.update(poolclass=sa.QueuePool, pool_size=pool_size, max_overflow=0, pool_use_lifo=True)
    engine = sa.create_engine(url, **options)
    sa.event.listen(engine, "connect", partial(_prepare_sqlite, cache_mb))
    sa.event.listen(engine, "begin", _begin_immediately)
    return engine


def _prepare_sqlite(cache_mb: int, connection: Any, _record: object) -> None:
    module = connection.__class__.__module__
    version = connection.execute("select sqlite_version()").fetchone()[0]
    if tuple(map(int, version.split("."))) < _OLDEST_SQLITE:
        raise DatabaseError(f"SQLite {version} ({module}) is too old: 3.35 or newer is needed")
    connection.isolation_level = None  # we say BEGIN ourselves
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "busy_timeout=30000",
        "foreign_keys=ON",
        f"cache_size=-{cache_mb * 1024}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_immediately(connection: sa.Connection) -> None:
    # A transaction that reads first and writes later would fail at once where another wrote in between.
    only_reads = connection.get_execution_options().get(_ONLY_READS)
    connection.exec_driver_sql("BEGIN" if only_reads else "BEGIN IMMEDIATE")


def _prepare_mysql(connection: Any, _record: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SET SESSION innodb_lock_wait_timeout = 10, time_zone = '+00:00', group_concat_max_len = 1073741824"
        )


def _prepare_postgresql(connection: Any, _record: object) -> None:
    # Instants come as UTC, and need not be converted one by one.
    # A page here or there costs about the same: what the engine works with is in memory, or on a disk without a head
    # that moves. By PostgreSQL's own figure, a table with a hundred runs is read as a whole to find one by its key. The
    # plan of such a look-up is kept, also for foreign keys, and the table grows until it is analyzed again.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('TimeZone', 'UTC', false), set_config('random_page_cost',"
            f" least(current_setting('random_page_cost')::float8, {_RANDOM_PAGE_COST})::text, false)"
        )
    connection.commit()


def _sync_log(database: str | None) -> None:
    """SQLite writes commits to a file beside the database, and with `synchronous=NORMAL` leaves it at that."""
    if database in (None, "", ":memory:"):
        return
    with contextlib.suppress(FileNotFoundError):  # nothing was ever written
        log = os.open(f"{database}-wal", os.O_RDONLY)
        try:
            os.fdatasync(log)
        finally:
            os.close(log)


def _do_nothing(_connection: sa.Connection) -> None:
    """Commits wait for the disk anyway, or it is waited for after them."""


def _do_not_wait_for_disk(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA synchronous=NORMAL")


def _limit_silence(dialect: sa.Dialect, seconds: float, connection: Any, _record: object) -> None:
    if dialect.name == "postgresql":
        statement = f"SET idle_in_transaction_session_timeout = {int(seconds * 1000)}"
    elif getattr(dialect, "is_mariadb", False):
        statement = f"SET SESSION idle_transaction_timeout = {max(1, round(seconds))}"
    else:
        return  # SQLite's locks end with the process; MySQL has no such setting
    with connection.cursor() as cursor:
        cursor.execute(statement)
    connection.commit()
