"""Tests of connections, from the wish to what came of it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from tradewind.decide.connection_tests import given_up_before, handed_out_next, why_given_up
from tradewind.errors import ConnectionTestUnfinished, UndecipherableSecret
from tradewind.model.connection_test import (
    LONGEST_MESSAGE,
    UNDER_WAY,
    ConnectionTest,
    ConnectionTestEnd,
    ConnectionTestKey,
    ConnectionTestOrder,
    ConnectionTestState,
)
from tradewind.model.masking import MaskingRules
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import Cipher, opened_connection, sealed_connection
from tradewind.operations.manage_connections import check_connection
from tradewind.operations.shown_secrets import without_secrets
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.connection_test_store import NewConnectionTest
from tradewind.telemetry.measurements import ConnectionTested, ConnectionTestGivenUp, ConnectionTestsMeasured


def enqueue_test(
    tx: Transaction,
    connection: ConnectionResult,
    *,
    token_hash: str,
    executor: str | None,
    queue: str | None,
    saves: bool,
    cipher: Cipher,
    now: datetime,
) -> ConnectionTest:
    """Have it tried out where tasks run.

    Raises `ConnectionTestUnfinished`, `InvalidRequest`.
    """
    check_connection(connection)
    new = NewConnectionTest(
        token_hash=token_hash,
        connection=sealed_connection(connection, cipher),
        executor=executor,
        queue=queue,
        saves=saves,
    )
    test = tx.connection_tests.add(new, now)
    if test is None:
        raise ConnectionTestUnfinished(connection.conn_id)
    return test


def hand_out_tests(
    tx: Transaction, why_not: Callable[[str | None], str | None], most: int, now: datetime
) -> list[ConnectionTest]:
    """Those that are to go to their executors now. `why_not`: why the executor of this name can take none, if so."""
    if not tx.connection_tests.has_pending():
        return []
    unfinished = tx.connection_tests.lock_unfinished()
    chosen = handed_out_next(unfinished, most)
    takable = []
    for test in chosen:
        reason = why_not(test.executor)
        if reason is None:
            takable.append(test.key)
        else:
            _end(tx, test, ConnectionTestState.FAILED, reason, now)
    states = [test.state for test in unfinished]
    pending, active = states.count(ConnectionTestState.PENDING), sum(state in UNDER_WAY for state in states)
    tx.emit(ConnectionTestsMeasured(pending - len(chosen), active + len(takable)))
    return tx.connection_tests.move(takable, ConnectionTestState.PENDING, ConnectionTestState.QUEUED, now)


def begin_tests(
    tx: Transaction, keys: Collection[ConnectionTestKey], cipher: Cipher, now: datetime
) -> list[ConnectionTestOrder]:
    """Those of these that are now running, and what they test. The others were begun before, or given up."""
    begun = tx.connection_tests.move(keys, ConnectionTestState.QUEUED, ConnectionTestState.RUNNING, now)
    records = tx.connection_tests.connections([test.key for test in begun])
    orders = []
    for test in begun:
        try:
            orders.append(ConnectionTestOrder(test.key, opened_connection(records[test.key], cipher)))
        except UndecipherableSecret as error:
            _end(tx, test, ConnectionTestState.FAILED, str(error), now)
    return orders


def end_tests(
    tx: Transaction, ends: Sequence[ConnectionTestEnd], cipher: Cipher, rules: MaskingRules, now: datetime
) -> None:
    """What came of them. Those that were given up stay so: what was found out late is stored nowhere."""
    running = {
        test.key: test for test in tx.connection_tests.lock_unfinished() if test.state is ConnectionTestState.RUNNING
    }
    tested = tx.connection_tests.connections([end.key for end in ends])
    for end in ends:
        test = running.get(end.key)
        if test is None:
            continue
        connection = opened_connection(tested[end.key], cipher)
        state = ConnectionTestState.SUCCESS if end.works else ConnectionTestState.FAILED
        if _end(tx, test, state, without_secrets(end.message, connection, rules), now):
            tx.emit(ConnectionTested(end.works, end.duration_s))
            if end.works and test.saves:
                _save(tx, connection, cipher, now)


def give_up_tests(tx: Transaction, timeout_s: float, now: datetime) -> int:
    """Fail those that will not end by themselves any more. Returns how many."""
    given_up = 0
    for test in tx.connection_tests.stale(given_up_before(now, timeout_s)):
        if _end(tx, test, ConnectionTestState.FAILED, why_given_up(test.state, timeout_s), now):
            tx.emit(ConnectionTestGivenUp(test.conn_id, test.state))
            given_up += 1
    return given_up


def _end(tx: Transaction, test: ConnectionTest, state: ConnectionTestState, message: str, now: datetime) -> bool:
    return tx.connection_tests.end(test, state, message[:LONGEST_MESSAGE], now)


def _save(tx: Transaction, connection: ConnectionResult, cipher: Cipher, now: datetime) -> None:
    """A description that was not sent is not meant to go."""
    stored = tx.connections.find(connection.conn_id)
    if stored is not None and connection.description is None:
        connection = replace(connection, description=stored.fields.description)
    tx.connections.put([sealed_connection(connection, cipher)], now)
