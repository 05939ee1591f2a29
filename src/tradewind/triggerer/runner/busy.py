"""Whose code the event loop is in at the moment: known also while it stands still."""

import sys
import threading
import traceback


class Busy:
    """Written by the thread of the loop, read by the one that hears the supervisor."""

    __slots__ = ("_loop_thread", "trigger")

    def __init__(self) -> None:
        """In the thread of the loop."""
        self._loop_thread = threading.get_ident()
        self.trigger: int | None = None

    def stack(self) -> list[str]:
        """Where the thread of the loop is, the innermost call last."""
        frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001 - Python's own way to ask
        return [] if frame is None else [line.rstrip("\n") for line in traceback.format_stack(frame)]
