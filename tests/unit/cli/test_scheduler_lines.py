"""What the scheduler's log says of what happens."""

from datetime import UTC, datetime

import pytest

from tradewind.cli.scheduler import line_of
from tradewind.telemetry.events import DeadlineMissed

DUE = datetime(2026, 1, 1, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "said"), [("half an hour", "its deadline 'half an hour' of 2026"), (None, "its deadline of 2026")]
)
def test_a_deadline_that_was_missed_is_told_with_its_name_if_it_has_one(name: str | None, said: str) -> None:
    """D4."""
    line = line_of(DeadlineMissed("sales", "mine", name, DUE), is_verbose=False)

    assert line is not None
    assert said in line
