"""Tests of connections that are queued for a worker: each begins once, ends once, and is given up in time (D6, C3)."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
import sqlalchemy as sa
from cryptography.fernet import Fernet

from tests.component.world import PatientExecutor, World
from tradewind.errors import ConnectionTestUnfinished
from tradewind.model.connection_test import ConnectionTest, ConnectionTestEnd, ConnectionTestItem, ConnectionTestOrder
from tradewind.model.masking import MaskingRules
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.connection_test_engine import StoredConnectionTests
from tradewind.operations.connection_tests import enqueue_test
from tradewind.operations.manage_connections import find_connection, put_connections
from tradewind.operations.rotate_keys import rotate_keys
from tradewind.secrets.encryption import Encryption
from tradewind.storage.interface.pruning_store import Prunable, PruneChoice
from tradewind.storage.schema import connection_test_request
from tradewind.telemetry.measurements import ConnectionTested, ConnectionTestGivenUp, ConnectionTestsMeasured

NUMBERS = itertools.count()
KEY = Fernet.generate_key().decode()
CIPHER = Encryption([KEY])
GIVEN_UP_S = 91
"""`[connection_test] timeout`, the time of grace, and a second."""


class TryingExecutor(PatientExecutor):
    """Keeps what it is given."""

    def __init__(self, world: World) -> None:
        super().__init__(world.clock)
        self.tests: list[ConnectionTestItem] = []

    def test_connections(self, tests: Sequence[ConnectionTestItem]) -> None:
        self.tests += tests


def trying(world: World) -> TryingExecutor:
    """The executor of a scheduler that lets connections be tried."""
    executor = TryingExecutor(world)
    world.scheduler(executor, test_connection="enabled")
    return executor


def enqueue(
    world: World, conn_id: str = "c", *, executor: str | None = None, saves: bool = False, **fields: str
) -> str:
    """The token of the test."""
    connection = ConnectionResult(conn_id=conn_id, conn_type="http", password="hushhush", **fields)  # type: ignore[arg-type]
    token = f"token {next(NUMBERS)}"
    world.database.transact(
        lambda tx: enqueue_test(
            tx,
            connection,
            token_hash=token,
            executor=executor,
            queue=None,
            saves=saves,
            cipher=CIPHER,
            now=world.clock.now(),
        )
    )
    return token


def find(world: World, token: str) -> ConnectionTest:
    test = world.database.transact(lambda tx: tx.connection_tests.find(token))
    assert test is not None
    return test


def engine(world: World) -> StoredConnectionTests:
    return StoredConnectionTests(world.database, world.clock, CIPHER, MaskingRules())


def begin(world: World, executor: TryingExecutor) -> list[ConnectionTestOrder]:
    world.pass_time(1)
    return engine(world).begin(executor.tests)


def end(world: World, order: ConnectionTestOrder, *, works: bool = True, message: str = "ok") -> None:
    engine(world).end([ConnectionTestEnd(order.key, works, message, 0.5)])


def test_a_test_goes_to_a_worker_and_what_came_of_it_is_known(any_world: World) -> None:
    world = any_world
    executor = trying(world)
    token = enqueue(world)
    assert find(world, token).state == "pending"

    world.pass_time(1)
    assert (find(world, token).state, len(executor.tests)) == ("queued", 1)
    (order,) = engine(world).begin(executor.tests)
    assert (order.connection.conn_id, order.connection.password) == ("c", "hushhush")
    assert find(world, token).state == "running"
    end(world, order, works=False, message="hushhush was refused")

    test = find(world, token)
    assert (test.state, test.message) == ("failed", "*** was refused")
    assert world.told(ConnectionTested) == [ConnectionTested(works=False, duration_s=0.5)]
    with world.database.engine.connect() as connection:
        row = connection.execute(sa.select(connection_test_request)).one()
    assert (row.password, row.extra, row.unfinished_conn_id) == (None, None, None)


def test_it_is_begun_once_and_ends_once(any_world: World) -> None:
    world = any_world
    executor = trying(world)
    token = enqueue(world)
    (order,) = begin(world, executor)

    assert engine(world).begin(executor.tests) == []
    end(world, order)
    end(world, order, works=False)

    assert find(world, token).state == "success"
    assert len(world.told(ConnectionTested)) == 1


def test_of_one_connection_there_is_one_test_at_a_time(any_world: World) -> None:
    world = any_world
    executor = trying(world)
    enqueue(world)
    with pytest.raises(ConnectionTestUnfinished, match="'c'"):
        enqueue(world)
    (order,) = begin(world, executor)
    with pytest.raises(ConnectionTestUnfinished):
        enqueue(world)

    end(world, order)

    assert find(world, enqueue(world)).state == "pending"


def test_two_schedulers_together_have_no_more_under_way_than_allowed(any_world: World) -> None:
    world = any_world
    executor = trying(world)
    other = TryingExecutor(world)
    world.scheduler(other, test_connection="enabled")
    for number in range(6):
        enqueue(world, f"c{number}")

    world.pass_time(5)

    assert len(executor.tests) + len(other.tests) == 4
    orders = engine(world).begin([*executor.tests, *other.tests])
    assert len(orders) == 4
    end(world, orders[0])
    world.pass_time(1)
    assert len(executor.tests) + len(other.tests) == 5
    assert world.told(ConnectionTestsMeasured)[-1] == ConnectionTestsMeasured(pending=1, active=4)


@pytest.mark.parametrize("state", ["pending", "queued", "running"])
def test_what_nobody_ends_is_given_up_and_late_words_change_nothing(any_world: World, state: str) -> None:
    world = any_world
    executor = TryingExecutor(world)
    scheduler = world.scheduler(executor, test_connection="disabled" if state == "pending" else "enabled")
    token = enqueue(world, saves=True)
    world.pass_time(1)
    orders = engine(world).begin(executor.tests) if state == "running" else []
    assert find(world, token).state == state

    world.clock.advance(GIVEN_UP_S)
    world.pass_time(30)

    test = find(world, token)
    assert (test.state, "60 seconds" in (test.message or "")) == ("failed", True)
    assert world.told(ConnectionTestGivenUp) == [ConnectionTestGivenUp("c", state)]
    assert engine(world).begin(executor.tests) == []
    for order in orders:
        end(world, order)
    assert find(world, token) == test
    assert world.database.transact(lambda tx: find_connection(tx, "c", CIPHER)) is None
    assert scheduler.state.executors == (executor,)


def test_a_connection_that_works_is_stored_if_that_was_asked_for(world: World) -> None:
    executor = trying(world)
    stored = ConnectionResult(conn_id="there", conn_type="ftp", description="mine", host="old", login="me")
    world.database.transact(lambda tx: put_connections(tx, [stored], cipher=CIPHER, now=world.clock.now()))
    for conn_id, saves in (("there", True), ("new", True), ("not", False), ("broken", True)):
        enqueue(world, conn_id, saves=saves, host="new")

    for order in begin(world, executor):
        end(world, order, works=order.connection.conn_id != "broken")

    def found(conn_id: str) -> ConnectionResult | None:
        return world.database.transact(lambda tx: find_connection(tx, conn_id, CIPHER))

    new = ConnectionResult(conn_id="new", conn_type="http", host="new", password="hushhush")
    assert found("there") == replace(new, conn_id="there", description="mine")
    assert (found("new"), found("not"), found("broken")) == (new, None, None)


@pytest.mark.parametrize(("name", "why"), [("nobody", "there is no executor 'nobody'"), ("instant", "'instant' tests")])
def test_an_executor_that_cannot_take_it_is_named(world: World, name: str, why: str) -> None:
    executor = trying(world)
    world.schedulers[0].state.executors += (PatientExecutor(world.clock, name="instant"),)

    token = enqueue(world, executor=name)
    world.pass_time(1)

    test = find(world, token)
    assert (test.state, why in (test.message or "")) == ("failed", True)
    assert executor.tests == []


def test_its_secrets_are_encrypted_and_keys_can_be_rotated(world: World) -> None:
    executor = trying(world)
    enqueue(world)
    with world.database.engine.connect() as connection:
        assert "hushhush" not in str(connection.execute(sa.select(connection_test_request)).all())

    newest = Fernet.generate_key().decode()
    world.database.transact(lambda tx: rotate_keys(tx, Encryption([newest, KEY]), world.clock.now()))

    world.pass_time(1)
    tests = StoredConnectionTests(world.database, world.clock, Encryption([newest]), MaskingRules())
    (order,) = tests.begin(executor.tests)
    assert order.connection.password == "hushhush"


def test_a_test_whose_secrets_nobody_can_read_fails(world: World) -> None:
    executor = trying(world)
    token = enqueue(world)
    world.pass_time(1)

    other = Encryption([Fernet.generate_key().decode()])
    assert StoredConnectionTests(world.database, world.clock, other, MaskingRules()).begin(executor.tests) == []

    test = find(world, token)
    assert (test.state, "connection 'c'" in (test.message or "")) == ("failed", True)


def test_old_ones_are_thrown_away_once_they_have_ended(world: World) -> None:
    executor = trying(world)
    enqueue(world, "ended")
    (order,) = begin(world, executor)
    end(world, order)
    enqueue(world, "waits")
    world.clock.advance(3600)

    choice = PruneChoice(before=world.clock.now())

    assert world.database.transact(lambda tx: tx.pruning.count(Prunable.CONNECTION_TESTS, choice)) == 1
