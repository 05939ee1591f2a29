"""Transactions: all or nothing, told only afterwards, and what becomes of the database's errors (D7, B4)."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import World, add_version
from tests.databases import DatabaseKind
from tradewind.errors import DatabaseError, DatabaseUnavailable, TransactionConflict
from tradewind.model.ids import JobKey
from tradewind.model.pool import Pool
from tradewind.storage.database import Database
from tradewind.storage.interface import Store
from tradewind.storage.transaction import SqlTransaction
from tradewind.telemetry.events import Event, JobDied
from tradewind.telemetry.hub import Hub

PATIENCE_S = 30
"""How long a test waits for another thread before it gives up; it never waits that long when all is well."""

servers = pytest.mark.parametrize("database_kind", ["postgres", "mysql"], indirect=True)


def test_the_database_is_a_store(store: Database) -> None:
    """mypy holds every method to the interface by this one line."""
    as_interface: Store = store

    assert as_interface is store


def test_what_a_transaction_wrote_is_there_after_it_and_gone_after_an_error(store: Database) -> None:
    with store.begin() as tx:
        tx.pools.create(Pool("kept", 1))
    with suppress(ZeroDivisionError), store.begin() as tx:
        tx.pools.create(Pool("lost", 1))
        raise ZeroDivisionError

    with store.begin() as tx:
        assert [pool.name for pool in tx.pools.all()] == ["kept"]


def test_events_are_told_after_the_commit_and_only_then(shared_database_url: str, store: Database) -> None:
    told: list[Event] = []
    hub = Hub(told.append)
    database = Database(shared_database_url, hub=hub)
    first, second, lost = (JobDied(JobKey(number), "host") for number in range(3))

    with database.begin() as tx:
        tx.emit(first, second)
        assert told == []
    with suppress(ZeroDivisionError), database.begin() as tx:
        tx.emit(lost)
        raise ZeroDivisionError
    database.close()

    assert told == [first, second]


def test_a_handler_that_raises_does_not_undo_the_transaction(shared_database_url: str, store: Database) -> None:
    def raises(_: Event) -> None:
        raise ZeroDivisionError

    database = Database(shared_database_url, hub=Hub(raises))
    with database.begin() as tx:
        tx.pools.create(Pool("kept", 1))
        tx.emit(JobDied(JobKey(1), "host"))
    database.close()

    with store.begin() as tx:
        assert tx.pools.find("kept") is not None


def test_transact_gives_back_what_the_work_gives_back(store: Database) -> None:
    def work(tx: SqlTransaction) -> str:
        tx.pools.create(Pool("small", 1))
        return "done"

    assert store.transact(work) == "done"
    with store.begin() as tx:
        assert tx.pools.find("small") is not None


def test_transact_runs_the_work_again_after_a_conflict_and_keeps_nothing_of_the_first(store: Database) -> None:
    calls = 0

    def work(tx: SqlTransaction) -> int:
        nonlocal calls
        calls += 1
        tx.pools.create(Pool("small", calls))
        if calls < 3:
            raise TransactionConflict("as if")
        return calls

    assert store.transact(work) == 3
    with store.begin() as tx:
        assert tx.pools.find("small") == Pool("small", 3)


def test_transact_gives_up_after_a_while_with_growing_pauses(shared_database_url: str, store: Database) -> None:
    pauses: list[float] = []
    database = Database(shared_database_url, pause=pauses.append)

    def work(_: SqlTransaction) -> None:
        raise TransactionConflict("for ever")

    with pytest.raises(TransactionConflict, match="for ever"):
        database.transact(work)
    database.close()

    assert len(pauses) > 3
    assert pauses == sorted(set(pauses))


def test_transact_does_not_repeat_what_is_no_conflict(store: Database) -> None:
    calls = 0

    def work(_: SqlTransaction) -> None:
        nonlocal calls
        calls += 1
        raise DatabaseUnavailable("gone")

    with pytest.raises(DatabaseUnavailable):
        store.transact(work)

    assert calls == 1


@servers
def test_a_real_deadlock_is_a_conflict_and_transact_gets_through_it(
    database_kind: DatabaseKind, store: Database
) -> None:
    """Two transactions that lock two pools in opposite order: one is given up by the database, and tried again (B4)."""
    with store.begin() as tx:
        for name in ("a", "b"):
            tx.pools.create(Pool(name, 1))
    both_hold_one = Barrier(2)
    conflicts: list[str] = []

    def work(names: tuple[str, str]) -> None:
        is_first_time = True

        def lock_both(tx: SqlTransaction) -> None:
            nonlocal is_first_time
            tx.pools.lock([names[0]])
            if is_first_time:
                is_first_time = False
                both_hold_one.wait(PATIENCE_S)
            else:
                conflicts.append(names[0])
            tx.pools.lock([names[1]])
            tx.pools.served(names[0], 1)

        store.transact(lock_both)

    with ThreadPoolExecutor(2) as threads:
        for result in [threads.submit(work, names) for names in (("a", "b"), ("b", "a"))]:
            result.result(PATIENCE_S)

    assert conflicts
    with store.begin() as tx:
        assert [pool.served_turn for pool in tx.pools.all()] == [1, 1]


@pytest.mark.parametrize("database_kind", ["mysql"], indirect=True)
def test_a_lock_that_is_not_given_in_time_is_a_conflict(
    database_kind: DatabaseKind, shared_database_url: str, store: Database
) -> None:
    with store.begin() as tx:
        tx.pools.create(Pool("a", 1))
    hasty = Database(shared_database_url)
    sa.event.listen(hasty.engine, "connect", _wait_one_second)

    with store.begin() as tx:
        tx.pools.lock(["a"])
        with pytest.raises(TransactionConflict), hasty.begin() as other:
            other.pools.lock(["a"])
    hasty.close()


def _wait_one_second(connection: object, _record: object) -> None:
    with connection.cursor() as cursor:  # type: ignore[attr-defined]  # a connection of PyMySQL
        cursor.execute("SET SESSION innodb_lock_wait_timeout = 1")


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_busy_sqlite_is_a_conflict(database_kind: DatabaseKind, shared_database_url: str, store: Database) -> None:
    impatient = Database(shared_database_url)
    sa.event.listen(impatient.engine, "connect", _do_not_wait)

    with store.begin(), pytest.raises(TransactionConflict, match="locked"), impatient.begin():
        pass

    with impatient.begin() as tx:
        assert tx.pools.all() == []
    impatient.close()


def _do_not_wait(connection: object, _record: object) -> None:
    connection.execute("PRAGMA busy_timeout=0")  # type: ignore[attr-defined]  # a connection of sqlite3


@servers
def test_a_server_that_does_not_answer_is_unavailable(database_kind: DatabaseKind, shared_database_url: str) -> None:
    nobody_there = sa.make_url(shared_database_url).set(port=1).render_as_string(hide_password=False)
    database = Database(nobody_there)

    with pytest.raises(DatabaseUnavailable), database.begin():
        pass
    database.close()


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_file_that_cannot_be_opened_is_unavailable(database_kind: DatabaseKind) -> None:
    database = Database("sqlite:////nowhere/at/all/tradewind.db")

    with pytest.raises(DatabaseUnavailable, match="unable to open"), database.begin():
        pass
    database.close()


@servers
def test_a_connection_cut_within_a_transaction_is_unavailable_and_the_next_begin_works(
    database_kind: DatabaseKind, store: Database
) -> None:
    with pytest.raises(DatabaseUnavailable), store.begin() as tx:  # noqa: PT012 - the cut is within the transaction
        tx.pools.create(Pool("lost", 1))
        _cut(store, tx)
        tx.pools.create(Pool("lost too", 1))

    with store.begin() as tx:
        assert tx.pools.all() == []
        tx.pools.create(Pool("kept", 1))


@servers
def test_a_connection_cut_before_the_commit_is_unavailable_and_nothing_is_told(
    database_kind: DatabaseKind, shared_database_url: str, store: Database
) -> None:
    """Whether the commit took effect is unknown to the caller; that it did not is known to this test."""
    told: list[Event] = []
    database = Database(shared_database_url, hub=Hub(told.append))

    with pytest.raises(DatabaseUnavailable), database.begin() as tx:  # noqa: PT012
        tx.pools.create(Pool("lost", 1))
        tx.emit(JobDied(JobKey(1), "host"))
        _cut(store, tx)

    with database.begin() as tx:
        assert tx.pools.all() == []
    database.close()
    assert told == []


@servers
def test_idle_connections_that_were_cut_cost_one_failure_not_one_each(
    database_kind: DatabaseKind, shared_database_url: str, store: Database
) -> None:
    """After a restart of the server the whole pool is stale; one error must be enough to find out."""
    database = Database(shared_database_url)
    with database.begin() as first, database.begin() as second, database.begin() as third:
        numbers = [_connection_number(tx) for tx in (first, second, third)]
    for number in numbers:
        _end_connection(store, number)

    failures = 0
    for _ in range(5):
        try:
            with database.begin() as tx:
                tx.pools.all()
        except DatabaseUnavailable:
            failures += 1
    database.close()

    assert failures == 1


def _connection_number(tx: SqlTransaction) -> int:
    query = "SELECT pg_backend_pid()" if tx.connection.dialect.name == "postgresql" else "SELECT connection_id()"
    return int(tx.connection.execute(sa.text(query)).scalar_one())


def _cut(store: Database, tx: SqlTransaction) -> None:
    _end_connection(store, _connection_number(tx))


def _end_connection(store: Database, number: int) -> None:
    """Return once the server has ended it: what comes after must not meet it alive."""
    with store.engine.connect() as connection:
        if store.dialect_name == "postgresql":
            ended = connection.execute(sa.text("SELECT pg_terminate_backend(:number, 5000)"), {"number": number})
            assert ended.scalar_one()
        else:
            connection.execute(sa.text(f"KILL {number}"))


@pytest.mark.parametrize("url", ["oracle://host/db", "mssql://host/db"])
def test_other_databases_are_refused_by_name(url: str) -> None:
    with pytest.raises(DatabaseError, match=r"'(oracle|mssql)' are not supported; use sqlite, postgresql or mysql"):
        Database(url)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("postgresql://u@h/db", "postgresql+psycopg"),
        ("postgresql+psycopg2://u@h/db", "postgresql+psycopg"),
        ("postgres://u@h/db", "postgresql+psycopg"),
        ("mysql://u@h/db", "mysql+pymysql"),
        ("mysql+mysqldb://u@h/db", "mysql+pymysql"),
        ("mariadb+pymysql://u@h/db", "mysql+pymysql"),
        ("sqlite:////tmp/x.db", "sqlite"),
    ],
)
def test_urls_of_airflow_lead_to_the_drivers_we_ship(given: str, kind: str) -> None:
    database = Database(given)

    assert database.engine.url.drivername == kind
    assert database.engine.dialect.name == kind.partition("+")[0]
    database.close()


def test_a_mistake_in_a_statement_is_not_taken_for_an_outage(world: World, store: Database) -> None:
    with pytest.raises(sa.exc.DBAPIError), store.begin() as tx:
        tx.connection.execute(sa.text("SELECT nonsense FROM nowhere"))

    with pytest.raises(sa.exc.IntegrityError), store.begin() as tx:
        add_version(tx, "no such dag", "x")
