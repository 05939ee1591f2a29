"""Whose code the event loop is in at the moment: known also while it stands still, and after it was killed."""

import sys
import threading
import traceback
from collections.abc import Sequence
from itertools import count, dropwhile
from pathlib import Path
from typing import Final

from tradewind.triggerer.board import Board
from tradewind.triggerer.protocol import Blocked

_STEPS_FROM: Final = "_timed"
"""The function that makes a step: what is above it is the loop, and nobody's business."""
_OURS: Final = str(Path(__file__).parent)
"""What calls the code of triggers is not theirs either."""


class Step:
    """One step of a trigger: what it does from one `await` to the next."""

    __slots__ = ("number", "since_s", "stack", "trigger")

    def __init__(self, number: int, trigger: int, since_s: float) -> None:
        self.number = number
        self.trigger = trigger
        self.since_s = since_s
        self.stack: Sequence[str] = ()
        """Where it was when somebody looked."""

    def blocked(self, took_s: float, *, is_over: bool) -> Blocked:
        """What the supervisor is told of one that took so long."""
        return Blocked(self.trigger, took_s, list(self.stack), is_over, self.number)


class Busy:
    """Written by the thread of the loop, read by others."""

    __slots__ = ("_board", "_loop_thread", "_numbers", "step")

    def __init__(self, board: Board) -> None:
        """In the thread of the loop."""
        self._board = board
        self._loop_thread = threading.get_ident()
        self._numbers = count(1)
        self.step: Step | None = None

    def enter(self, trigger: int, now_s: float) -> Step:
        """The code of that trigger runs."""
        step = self.step = Step(next(self._numbers), trigger, now_s)
        self._board.enter(trigger)
        return step

    def leave(self) -> None:
        """It waits."""
        self.step = None
        self._board.leave()

    def stack(self) -> list[str]:
        """Where the thread of the loop is, the innermost call last."""
        frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001 - Python's own way to ask
        found = [] if frame is None else list(traceback.extract_stack(frame))
        above = max((at for at, each in enumerate(found) if each.name == _STEPS_FROM), default=-1)
        own = list(dropwhile(lambda each: each.filename.startswith(_OURS), found[above + 1 :]))
        return [line.rstrip("\n") for line in traceback.format_list(own)]
