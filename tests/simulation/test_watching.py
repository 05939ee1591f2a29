"""Seeds of the simulation of watchers, and the proof that it would notice a missing guard (C2, E6, E7)."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from tests.simulation.watching import Scene
from tradewind.operations import run_watchers
from tradewind.storage import watchers

SEEDS = 30
SEEDS_ENOUGH = 60


def messages_not_remembered(patch: pytest.MonkeyPatch) -> None:
    """What a source hands out again is new."""
    patch.setattr(run_watchers._Memory, "is_new", lambda *_: True)


def claims_not_let_go(patch: pytest.MonkeyPatch) -> None:
    """What was claimed stays claimed, also where the answer was lost."""
    patch.setattr(watchers.Watchers, "let_go", lambda *_: None)


def events_of_anybody_stored(patch: pytest.MonkeyPatch) -> None:
    """Who lost a watcher stores what it sees all the same."""
    anybody = (
        sa.select(watchers._COLUMNS.watcher_key, watchers._COLUMNS.stored)
        .where(watchers._OF_KEYS)
        .order_by(watchers._COLUMNS.watcher_key)
    )
    patch.setattr(watchers, "_LOCK", anybody)


def triggers_of_the_dead_kept(patch: pytest.MonkeyPatch) -> None:
    """What the dead had stays theirs."""
    patch.setattr(watchers.Watchers, "release_all_but", lambda *_: 0)


@pytest.mark.parametrize("first", range(1, SEEDS + 1, 10))
def test_no_message_is_lost_and_none_with_a_name_is_stored_twice(first: int) -> None:
    """E6, E7: whoever dies, is cut off or hears nothing, and whatever the source is not told."""
    assert {seed: found for seed in range(first, first + 10) if (found := Scene(seed).run()) is not None} == {}


@pytest.mark.parametrize(
    "mutation",
    [messages_not_remembered, claims_not_let_go, events_of_anybody_stored, triggers_of_the_dead_kept],
)
def test_a_guard_that_is_removed_is_missed(
    mutation: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutation(monkeypatch)

    violations = (Scene(seed).run() for seed in range(1, SEEDS_ENOUGH + 1))

    assert next((violation for violation in violations if violation is not None), None) is not None
