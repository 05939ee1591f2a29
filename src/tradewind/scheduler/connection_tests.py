"""Duties: hand tests of connections to executors, and give up those that nobody ends."""

from tradewind.executors.interface import TestsConnections
from tradewind.model.connection_test import ConnectionTestItem
from tradewind.operations.connection_tests import give_up_tests, hand_out_tests
from tradewind.scheduler.state import SchedulerState
from tradewind.telemetry.measurements import ConnectionTestsHandedOut


def hand_out(state: SchedulerState) -> int:
    """As many as may be under way at once. Returns how many went out.

    One that is lost on its way to a worker is given up in time, and whoever wanted it can ask again.
    """
    if state.core.test_connection != "enabled":
        return 0
    began_at = state.clock.monotonic()
    now, most = state.clock.now(), state.connection_test.max_concurrency
    tests = state.store.transact(lambda tx: hand_out_tests(tx, lambda name: _why_not(state, name), most, now))
    for test in tests:
        executor = state.executor(test.executor)
        if isinstance(executor, TestsConnections):
            executor.test_connections([ConnectionTestItem(test.key)])
    if tests:
        state.hub.emit(ConnectionTestsHandedOut(state.clock.monotonic() - began_at))
    return len(tests)


def give_up(state: SchedulerState) -> int:
    """Those that should have ended long ago. Returns how many."""
    now, timeout_s = state.clock.now(), state.connection_test.timeout
    return state.store.transact(lambda tx: give_up_tests(tx, timeout_s, now))


def _why_not(state: SchedulerState, name: str | None) -> str | None:
    executor = state.executor(name)
    if executor is None:
        return f"there is no executor {name!r}"
    return None if isinstance(executor, TestsConnections) else f"executor {executor.name!r} tests no connections"
