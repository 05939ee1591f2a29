"""What the supervisor ends by itself (B7, D4)."""

from datetime import UTC, datetime
from typing import cast

import pytest

from tradewind.model.assignment import WorkOrder
from tradewind.testing.clock import FakeClock
from tradewind.worker.protocol import Ended
from tradewind.worker.supervisor.attempt import Attempt, Phase
from tradewind.worker.supervisor.watch import Watch

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _nothing(*_: object) -> None:
    """Nobody listens."""


@pytest.mark.parametrize(("phase", "is_killed"), [(Phase.RUNNING, True), (Phase.ENDED, False)])
def test_a_process_that_falls_silent_is_killed_unless_it_has_said_how_it_ended(phase: Phase, is_killed: bool) -> None:
    """While the engine is away, what has ended waits for it, and stays what it is."""
    clock = FakeClock(NOW)
    signals: list[int] = []
    watch = Watch(clock, 60.0, 60.0, lambda _, number: signals.append(number))
    attempt = Attempt(1, cast("WorkOrder", None), _nothing, _nothing, _nothing, phase=phase, pid=1, is_mute=True)
    attempt.ended = Ended(state="success", at=NOW) if phase is Phase.ENDED else None

    for _ in range(5):
        watch.look([attempt])
        clock.sleep(1.0)

    assert (attempt.stopping is not None, bool(signals)) == (is_killed, is_killed)
