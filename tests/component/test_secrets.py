"""Variables and connections: managed by people, asked for by tasks, encrypted where they are stored (D3)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.component.world import World
from tradewind.errors import (
    Conflict,
    ConnectionExists,
    InvalidRequest,
    UndecipherableSecret,
    UnknownConnection,
    UnknownVariable,
)
from tradewind.model.assignment import Asker
from tradewind.model.dag import Task
from tradewind.model.ids import UNMAPPED, RunKey, TaskKey
from tradewind.model.task_answers import ConnectionResult
from tradewind.model.trigger import NewTrigger
from tradewind.operations.cipher import opened_kwargs
from tradewind.operations.manage_connections import (
    add_connection,
    delete_connection,
    find_connection,
    list_connections,
    put_connections,
)
from tradewind.operations.manage_variables import (
    OnExisting,
    Variable,
    delete_variable,
    describe_variables,
    find_variable,
    list_variables,
    set_variable,
    set_variables,
)
from tradewind.operations.rotate_keys import rotate_keys
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.secrets.encryption import Encryption, new_key

OLD, NEW = new_key(), new_key()
ENCRYPTION = Encryption([OLD])
DATABASE = ConnectionResult(
    conn_id="db", conn_type="postgres", host="h", login="me", password="hunter2", extra='{"token": "hunter3"}'
)


@contextmanager
def asking(world: World, encryption: Encryption = ENCRYPTION) -> Iterator[StoredRuntime]:
    """A running task. Of which run is of no importance: secrets belong to none."""
    asker = Asker(TaskKey(RunKey(1), "load", UNMAPPED), "sales", "r1")
    with world.database.begin() as tx:
        yield StoredRuntime(tx, asker, now=world.clock.now(), structures=world.structures, secrets=encryption)


def everything_stored(world: World) -> str:
    """All that somebody sees who reads the tables."""
    with world.database.engine.begin() as connection:
        return "".join(
            str(row)
            for table in ("variable", "connection")
            for row in connection.execute(sa.text(f"SELECT * FROM {table}"))
        )


def test_task_reads_and_writes_variables(any_world: World) -> None:
    with asking(any_world) as runtime:
        runtime.set_variable("a_key", "hunter2", "what it is for")
        runtime.set_variable("another", "x")
    with asking(any_world) as runtime:
        assert runtime.get_variable("a_key") == "hunter2"
        assert runtime.get_variable("missing") is None
        assert runtime.get_variable_keys() == ["a_key", "another"]
        assert runtime.get_variable_keys("a_") == ["a_key"]
        runtime.delete_variable("another")
        runtime.delete_variable("another")
        assert runtime.get_variable_keys() == ["a_key"]

    assert "hunter2" not in everything_stored(any_world)


def test_task_reads_connections(any_world: World) -> None:
    with any_world.database.begin() as tx:
        add_connection(tx, DATABASE, cipher=ENCRYPTION, now=any_world.clock.now())

    with asking(any_world) as runtime:
        assert runtime.get_connection("db") == DATABASE
        assert runtime.get_connection("missing") is None
    assert "hunter" not in everything_stored(any_world)


def test_secret_of_another_key_is_refused_by_its_name(world: World) -> None:
    with asking(world) as runtime:
        runtime.set_variable("a", "x")

    with asking(world, Encryption([NEW])) as runtime, pytest.raises(UndecipherableSecret, match="variable 'a'"):
        runtime.get_variable("a")


def test_without_a_key_secrets_are_stored_as_they_are_and_still_found_later(world: World) -> None:
    with asking(world, Encryption()) as runtime:
        runtime.set_variable("a", "hunter2")
    assert "hunter2" in everything_stored(world)

    with asking(world) as runtime:
        assert runtime.get_variable("a") == "hunter2"


def test_variables_are_listed_and_deleted(world: World) -> None:
    now = world.clock.now()
    with world.database.begin() as tx:
        set_variable(tx, "b", "2", description="two", cipher=ENCRYPTION, now=now)
        set_variable(tx, "a", "1", cipher=ENCRYPTION, now=now)

        assert list_variables(tx, ENCRYPTION) == [Variable("a", "1", None, True), Variable("b", "2", "two", True)]
        assert describe_variables(tx) == {"a": None, "b": "two"}
        delete_variable(tx, "a")
        assert find_variable(tx, "a", ENCRYPTION) is None
        with pytest.raises(UnknownVariable, match="there is no variable 'a'"):
            delete_variable(tx, "a")


@pytest.mark.parametrize("key", ["", "x" * 251])
def test_variable_needs_a_key_that_can_be_stored(world: World, key: str) -> None:
    with world.database.begin() as tx, pytest.raises(InvalidRequest, match="1 to 250 characters"):
        set_variable(tx, key, "x", cipher=ENCRYPTION, now=world.clock.now())


def test_import_overwrites_skips_or_fails(world: World) -> None:
    now = world.clock.now()
    given = [Variable("a", "new"), Variable("b", "new")]
    with world.database.begin() as tx:
        set_variable(tx, "a", "old", cipher=ENCRYPTION, now=now)

        assert set_variables(tx, given, cipher=ENCRYPTION, now=now, on_existing=OnExisting.SKIP) == ["b"]
        assert find_variable(tx, "a", ENCRYPTION) == "old"
        with pytest.raises(Conflict, match="a, b"):
            set_variables(tx, given, cipher=ENCRYPTION, now=now, on_existing=OnExisting.FAIL)
        assert set_variables(tx, given, cipher=ENCRYPTION, now=now) == ["a", "b"]
        assert find_variable(tx, "a", ENCRYPTION) == "new"


def test_connection_is_added_once_and_put_any_number_of_times(world: World) -> None:
    now = world.clock.now()
    other = replace(DATABASE, password=None, extra=None)
    with world.database.begin() as tx:
        add_connection(tx, DATABASE, cipher=ENCRYPTION, now=now)

        with pytest.raises(ConnectionExists, match="'db'"):
            add_connection(tx, DATABASE, cipher=ENCRYPTION, now=now)
        assert put_connections(tx, [other], cipher=ENCRYPTION, now=now, overwrites=False) == []
        assert put_connections(tx, [other], cipher=ENCRYPTION, now=now) == ["db"]
        assert list_connections(tx, ENCRYPTION) == [other]
        delete_connection(tx, "db")
        assert find_connection(tx, "db", ENCRYPTION) is None
        with pytest.raises(UnknownConnection):
            delete_connection(tx, "db")


@pytest.mark.parametrize("conn_id", ["", "a b", "a\n", "x" * 251, "a;drop"])
def test_connection_needs_an_id_that_does_no_harm(world: World, conn_id: str) -> None:
    with world.database.begin() as tx, pytest.raises(InvalidRequest, match="is no id of a connection"):
        add_connection(tx, replace(DATABASE, conn_id=conn_id), cipher=ENCRYPTION, now=world.clock.now())


def test_keys_are_rotated_for_everything_that_is_stored(any_world: World) -> None:
    """E5 too."""
    now = any_world.clock.now()
    any_world.dag(Task("waits"))
    any_world.trigger()
    waiting = any_world.instances()["waits"].attempt_key
    with any_world.database.begin() as tx:
        set_variable(tx, "old", "hunter2", description="kept", cipher=Encryption([OLD]), now=now)
        set_variable(tx, "plain", "hunter2", cipher=Encryption(), now=now)
        add_connection(tx, DATABASE, cipher=Encryption([OLD]), now=now)
        kwargs, is_encrypted = Encryption([OLD]).encrypt('"hunter2"')
        trigger = NewTrigger(
            attempt=waiting, class_path="a.B", kwargs=kwargs, is_encrypted=is_encrypted, created_at=now
        )
        tx.triggers.add([trigger])

    with any_world.database.begin() as tx:
        assert rotate_keys(tx, Encryption([NEW, OLD]), now) == (2, 1, 1)

    with any_world.database.begin() as tx:
        only_new = Encryption([NEW])
        assert list_variables(tx, only_new) == [
            Variable("old", "hunter2", "kept", True),
            Variable("plain", "hunter2", None, True),
        ]
        assert list_connections(tx, only_new) == [DATABASE]
        (sealed,) = tx.triggers.sealed()
        assert opened_kwargs(sealed, only_new) == '"hunter2"'
    assert "hunter" not in everything_stored(any_world)


def test_rotation_that_cannot_read_something_changes_nothing(world: World) -> None:
    now = world.clock.now()
    with world.database.begin() as tx:
        set_variable(tx, "a", "x", cipher=Encryption([OLD]), now=now)
        set_variable(tx, "b", "x", cipher=Encryption([new_key()]), now=now)

    with pytest.raises(UndecipherableSecret, match="variable 'b'"), world.database.begin() as tx:
        rotate_keys(tx, Encryption([NEW, OLD]), now)

    with world.database.begin() as tx:
        assert find_variable(tx, "a", Encryption([OLD])) == "x"
