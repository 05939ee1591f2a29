"""Which tests of connections are handed out, and which are given up."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, assert_never

from tradewind.model.connection_test import UNDER_WAY, ConnectionTest, ConnectionTestState

_LEAST_GRACE_S: Final = 30.0


def handed_out_next(unfinished: Sequence[ConnectionTest], most: int) -> list[ConnectionTest]:
    """Those that have waited longest, as long as no more than `most` are under way."""
    free = most - sum(test.state in UNDER_WAY for test in unfinished)
    waiting = [test for test in unfinished if test.state is ConnectionTestState.PENDING]
    return sorted(waiting, key=lambda test: (test.created_at, test.key))[: max(0, free)]


def given_up_before(now: datetime, timeout_s: float) -> datetime:
    """Who has been in one state since before this instant will not leave it: its worker would have ended it."""
    return now - timedelta(seconds=timeout_s + max(_LEAST_GRACE_S, timeout_s // 2))


def why_given_up(state: ConnectionTestState, timeout_s: float) -> str:
    """What the one who asked is told."""
    match state:
        case ConnectionTestState.PENDING:
            return f"no executor took the test in {timeout_s:g} seconds and some more"
        case ConnectionTestState.QUEUED:
            return f"no worker began the test in {timeout_s:g} seconds and some more"
        case ConnectionTestState.RUNNING:
            return f"its worker did not say within {timeout_s:g} seconds and some more what came of the test"
        case ConnectionTestState.SUCCESS | ConnectionTestState.FAILED:
            raise ValueError("it has ended")
        case _:
            assert_never(state)
