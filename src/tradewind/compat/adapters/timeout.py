"""A limit for the time that a block of code may take."""

import os
import signal
from types import FrameType
from typing import Any, Self

from tradewind.sdk.exceptions import AirflowTaskTimeout
from tradewind.sdk.log import LoggingMixin


class TimeoutPosix(LoggingMixin):
    """`with timeout(seconds):` raises `AirflowTaskTimeout` inside the block when they are over. Main thread only."""

    def __init__(self, seconds: float = 1, error_message: str = "Timeout") -> None:
        super().__init__()
        self.seconds = seconds
        self.error_message = f"{error_message}, PID: {os.getpid()}"
        self._before: Any = None

    def handle_timeout(self, signum: int, frame: FrameType | None) -> None:
        """What happens when the time is over."""
        self.log.error("Process timed out, PID: %s", os.getpid())
        raise AirflowTaskTimeout(self.error_message)

    def __enter__(self) -> Self:
        try:
            self._before = signal.signal(signal.SIGALRM, self.handle_timeout)
            signal.setitimer(signal.ITIMER_REAL, self.seconds)
        except ValueError:
            self.log.warning("a time limit works in the main thread only; this block has none")
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._before is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)


timeout = TimeoutPosix
