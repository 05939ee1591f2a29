"""Connections that are to be tried out (B1, D4)."""

from tests.conformance.storage.worlds import NOW, minutes
from tradewind.model.connection_test import ConnectionTest, ConnectionTestState
from tradewind.model.task_answers import ConnectionResult
from tradewind.storage.database import Database
from tradewind.storage.interface.connection_test_store import NewConnectionTest
from tradewind.storage.interface.shared_stores import ConnectionRecord

PENDING, QUEUED, RUNNING = ConnectionTestState.PENDING, ConnectionTestState.QUEUED, ConnectionTestState.RUNNING


def record(password: str = "sealed", conn_id: str = "db") -> ConnectionRecord:
    fields = ConnectionResult(conn_id=conn_id, conn_type="http", host="far", password=password)
    return ConnectionRecord(fields, is_encrypted=True, is_extra_encrypted=False)


def wish(token_hash: str = "hash", conn_id: str = "db") -> NewConnectionTest:
    return NewConnectionTest(
        token_hash=token_hash, connection=record(conn_id=conn_id), executor=None, queue=None, saves=False
    )


def added(store: Database) -> ConnectionTest:
    with store.begin() as tx:
        test = tx.connection_tests.add(wish(), NOW)
    assert test is not None
    return test


def test_a_connection_is_tried_out_once_at_a_time(store: Database) -> None:
    test = added(store)

    with store.begin() as tx:
        assert tx.connection_tests.add(wish("other"), NOW) is None
        assert tx.connection_tests.add(wish("third", "other_db"), NOW) is not None
        assert tx.connection_tests.find("hash") == test
        assert tx.connection_tests.find("nobody's") is None
        assert tx.connection_tests.has_pending()
        assert [each.conn_id for each in tx.connection_tests.lock_unfinished()] == ["db", "other_db"]


def test_each_move_is_made_once(store: Database) -> None:
    test = added(store)

    with store.begin() as tx:
        (moved,) = tx.connection_tests.move([test.key], PENDING, QUEUED, NOW + minutes(1))
        assert tx.connection_tests.move([test.key], PENDING, QUEUED, NOW) == []
        assert (moved.state, moved.updated_at) == (QUEUED, NOW + minutes(1))
        assert not tx.connection_tests.has_pending()
        assert tx.connection_tests.connections([test.key]) == {test.key: record()}


def test_one_that_has_ended_holds_no_secret(store: Database) -> None:
    test = added(store)

    with store.begin() as tx:
        assert tx.connection_tests.end(test, ConnectionTestState.SUCCESS, "it works", NOW)
        assert not tx.connection_tests.end(test, ConnectionTestState.FAILED, "too late", NOW)
        found = tx.connection_tests.find("hash")
        assert found is not None
        assert (found.state, found.message) == (ConnectionTestState.SUCCESS, "it works")
        assert tx.connection_tests.connections([test.key])[test.key].fields.password is None
        assert tx.connection_tests.add(wish("again"), NOW) is not None


def test_those_that_do_not_move_are_found(store: Database) -> None:
    test = added(store)

    with store.begin() as tx:
        assert tx.connection_tests.stale(NOW) == []
        assert tx.connection_tests.stale(NOW + minutes(1)) == [test]


def test_secrets_are_encrypted_anew(store: Database) -> None:
    test = added(store)

    with store.begin() as tx:
        tx.connection_tests.reseal([(test.key, record("anew"))])
        assert tx.connection_tests.connections([test.key])[test.key].fields.password == "anew"
