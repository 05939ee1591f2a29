"""Which tests of connections are handed out, and which are given up (D6)."""

from datetime import UTC, datetime, timedelta

import pytest

from tradewind.decide.connection_tests import given_up_before, handed_out_next, why_given_up
from tradewind.model.connection_test import ConnectionTest, ConnectionTestKey, ConnectionTestState

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PENDING, RUNNING = ConnectionTestState.PENDING, ConnectionTestState.RUNNING


def a_test(key: int, state: ConnectionTestState = PENDING, *, age_s: float = 0) -> ConnectionTest:
    at = NOON - timedelta(seconds=age_s)
    return ConnectionTest(
        key=ConnectionTestKey(key),
        conn_id=f"c{key}",
        state=state,
        executor=None,
        saves=False,
        message=None,
        created_at=at,
        updated_at=at,
    )


def test_the_oldest_go_first_and_only_so_many_are_under_way() -> None:
    unfinished = [a_test(1), a_test(2, age_s=9), a_test(3, age_s=5), a_test(4, RUNNING)]

    assert [test.key for test in handed_out_next(unfinished, 3)] == [2, 3]
    assert handed_out_next(unfinished, 1) == []
    assert handed_out_next([a_test(5, RUNNING), a_test(6, RUNNING), a_test(7)], 1) == []


@pytest.mark.parametrize(("timeout_s", "grace_s"), [(1, 30), (60, 30), (100, 50)])
def test_there_is_a_time_of_grace(timeout_s: float, grace_s: float) -> None:
    assert given_up_before(NOON, timeout_s) == NOON - timedelta(seconds=timeout_s + grace_s)


def test_each_state_has_its_own_reason() -> None:
    unfinished = (PENDING, ConnectionTestState.QUEUED, RUNNING)

    reasons = {why_given_up(state, 60) for state in unfinished}

    assert len(reasons) == len(unfinished)
    assert all("60 seconds" in reason for reason in reasons)
    with pytest.raises(ValueError, match="has ended"):
        why_given_up(ConnectionTestState.SUCCESS, 60)
