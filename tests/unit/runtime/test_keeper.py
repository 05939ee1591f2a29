"""Who keeps processes knows when they can do their work (A8, D7)."""

import os
import signal
from functools import partial
from typing import Final

from tradewind.runtime.clock import SystemClock
from tradewind.runtime.keeper import Keeper, Listener, Part
from tradewind.runtime.readiness import tell_ready

PATIENCE_S: Final = 30.0


def live_once_told(told: int) -> None:
    """Ready when a byte comes, then until it is ended."""
    os.read(told, 1)
    tell_ready()
    signal.pause()


def live_without_a_word() -> None:
    signal.pause()


def test_all_are_ready_when_the_last_of_them_is() -> None:
    waiting, telling = os.pipe()
    happened: list[str] = []

    def ready(name: str) -> None:
        happened.append(name)
        if name == "early":
            os.write(telling, b"\n")

    def all_ready() -> None:
        happened.append(f"all, not ready: {keeper.unready()}")
        os.kill(os.getpid(), signal.SIGTERM)

    early = os.open(os.devnull, os.O_RDONLY)
    parts = [
        Part("late", partial(live_once_told, waiting)),
        Part("early", partial(live_once_told, early)),
        Part("silent", live_without_a_word, tells_when_ready=False),
    ]
    keeper = Keeper(parts, SystemClock(), Listener(ready=ready, all_ready=all_ready))

    keeper.run(lambda: PATIENCE_S)

    assert set(happened[:-2]) == {"early", "silent"}
    assert happened[-2:] == ["late", "all, not ready: []"]
    assert keeper.unready() == ["late", "early", "silent"]
    for end in (waiting, telling, early):
        os.close(end)


def test_who_ends_without_a_word_is_not_ready() -> None:
    """And is started again until it is."""
    lives: list[bool] = []
    silent = os.open(os.devnull, os.O_RDONLY)

    def live() -> None:
        if len(lives) > 1:
            live_once_told(silent)

    parts = [Part("shaky", live)]
    listener = Listener(
        started=lambda _name, _pid: lives.append(keeper.unready() == ["shaky"]),
        all_ready=lambda: os.kill(os.getpid(), signal.SIGTERM),
    )
    keeper = Keeper(parts, SystemClock(), listener)

    keeper.run(lambda: PATIENCE_S)

    assert lives == [True] * 3
    os.close(silent)
