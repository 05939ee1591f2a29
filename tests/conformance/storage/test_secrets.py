"""The stores of variables and connections (D3)."""

from tests.conformance.storage.worlds import NOW, minutes
from tradewind.model.task_answers import ConnectionResult
from tradewind.storage.database import Database
from tradewind.storage.interface.shared_stores import ConnectionRecord, VariableRecord


def test_variables_come_back_as_they_were_given(store: Database) -> None:
    plain = VariableRecord("place", "größer 😀\n" * 10_000, False, "wo?")
    secret = VariableRecord("a_secret", "", True)
    with store.begin() as tx:
        tx.variables.put([plain, secret], NOW)

    with store.begin() as tx:
        assert tx.variables.all() == [secret, plain]
        assert tx.variables.find("place") == plain
        assert tx.variables.find("Place") is None
        assert tx.variables.existing(["place", "Place", "missing"]) == {"place"}
        assert tx.variables.existing([]) == set()


def test_variable_is_replaced_by_its_key(store: Database) -> None:
    with store.begin() as tx:
        tx.variables.put([VariableRecord("a", "1", False, "one"), VariableRecord("b", "1", False)], NOW)

        tx.variables.put([VariableRecord("a", "2", True)], NOW + minutes(1))
        tx.variables.put([], NOW)

        assert tx.variables.all() == [VariableRecord("a", "2", True), VariableRecord("b", "1", False)]


def test_variable_keys_are_chosen_by_what_they_start_with(store: Database) -> None:
    """Also where that has a meaning in SQL."""
    keys = ["a_b", "a_c", "aXb", "A_b", "100%", "100", "ä"]
    with store.begin() as tx:
        tx.variables.put([VariableRecord(key, "x", False) for key in keys], NOW)

        assert tx.variables.keys("a_") == ["a_b", "a_c"]
        assert tx.variables.keys("100%") == ["100%"]
        assert tx.variables.keys("ä") == ["ä"]
        assert tx.variables.keys() == sorted(keys)
        assert tx.variables.keys("zzz") == []


def test_deleted_variables_are_counted(store: Database) -> None:
    with store.begin() as tx:
        tx.variables.put([VariableRecord(key, "x", False) for key in "abc"], NOW)

        assert tx.variables.delete(["a", "c", "missing"]) == 2
        assert tx.variables.delete([]) == 0
        assert tx.variables.keys() == ["b"]


FULL = ConnectionResult(
    conn_id="db",
    conn_type="postgres",
    description="the main one",
    host="größer.example",
    schema="public",
    login="me",
    password="hunter2",
    port=5432,
    extra='{"sslmode": "require"}',
)


def test_connections_come_back_as_they_were_given(store: Database) -> None:
    full = ConnectionRecord(FULL, True, True)
    empty = ConnectionRecord(ConnectionResult(conn_id="a", schema=""), False, False)
    with store.begin() as tx:
        tx.connections.put([full, empty], NOW)

    with store.begin() as tx:
        assert tx.connections.all() == [empty, full]
        assert tx.connections.find("db") == full
        assert tx.connections.find("DB") is None


def test_connection_is_replaced_and_deleted_by_its_id(store: Database) -> None:
    with store.begin() as tx:
        tx.connections.put([ConnectionRecord(FULL, True, True)], NOW)
        other = ConnectionRecord(ConnectionResult(conn_id="db", host="elsewhere"), False, False)

        tx.connections.put([other], NOW + minutes(1))

        assert tx.connections.all() == [other]
        assert tx.connections.delete(["db", "missing"]) == 1
        assert tx.connections.find("db") is None


def test_connections_that_there_are_are_told_from_those_that_there_are_not(store: Database) -> None:
    with store.begin() as tx:
        tx.connections.put([ConnectionRecord(FULL, False, False)], NOW)

        assert tx.connections.existing(["db", "DB", "missing"]) == {"db"}
        assert tx.connections.existing([]) == set()
