"""Ends attempts that must stop, take too long, or use too much memory."""

import signal
from collections.abc import Callable, Iterable
from typing import Final

from tradewind.runtime.clock import Clock
from tradewind.worker.supervisor.attempt import Attempt, Phase, Stopping
from tradewind.worker.supervisor.ends import amount
from tradewind.worker.supervisor.memory import used_bytes

_INTERVAL_S: Final = 0.2
"""How often what has a limit is looked at."""
_LONGEST_S: Final = 3600.0
_AFTER_LIMIT_S: Final = 5.0
"""A task ends itself when its time is over. Only one that cannot is ended from here."""
_AFTER_LAST_WORD_S: Final = 1.0


class Watch:
    """Looks at the attempts that have some limit; the others cost nothing."""

    def __init__(
        self,
        clock: Clock,
        stop_patience_s: float,
        callback_patience_s: float,
        send: Callable[[Attempt, int], None],
    ) -> None:
        self._clock = clock
        self._stop_patience_s = stop_patience_s
        self._callback_patience_s = callback_patience_s
        self._send = send
        self._looked_at = 0.0

    def stop(self, attempt: Attempt, reason: str, *, may_retry: bool = True) -> None:
        """Tell it to stop, and kill it if it does not."""
        if attempt.stopping is None and attempt.phase in (Phase.STARTING, Phase.RUNNING):
            attempt.stopping = Stopping(reason, may_retry, self._clock.monotonic() + self._stop_patience_s)
            self.signal(attempt)

    def kill(self, attempt: Attempt, reason: str) -> None:
        """End it without asking."""
        if attempt.stopping is None:
            attempt.stopping = Stopping(reason, may_retry=True, kill_at=0.0)
        attempt.stopping.is_killed = True
        self.signal(attempt)

    def signal(self, attempt: Attempt) -> None:
        """Tell an attempt that is being stopped, once it has a process."""
        if attempt.pid is not None and attempt.stopping is not None:
            self._send(attempt, signal.SIGKILL if attempt.stopping.is_killed else signal.SIGTERM)

    def patience_s(self, attempts: Iterable[Attempt]) -> float:
        """How long the next look may wait."""
        return _INTERVAL_S if any(map(_is_watched, attempts)) else _LONGEST_S

    def look(self, attempts: Iterable[Attempt]) -> None:
        """End what must be ended by now."""
        now = self._clock.monotonic()
        if now - self._looked_at < _INTERVAL_S:
            return
        self._looked_at = now
        for attempt in attempts:
            if _is_watched(attempt):
                self._look_at(attempt, now)

    def _look_at(self, attempt: Attempt, now: float) -> None:
        stopping = attempt.stopping
        if attempt.phase is Phase.SETTLED:
            if now - attempt.settled_at > self._callback_patience_s:
                self._send(attempt, signal.SIGKILL)
        elif attempt.phase is Phase.ENDED:
            return  # how it ended is known, and stays so however long the engine takes to hear of it
        elif stopping is not None:
            if now >= stopping.kill_at:
                self.kill(attempt, stopping.reason)
        elif attempt.pid is not None:
            self._look_at_time(attempt, now)
            self._look_at_memory(attempt)
            self._look_at_silence(attempt, now)

    def _look_at_silence(self, attempt: Attempt, now: float) -> None:
        """Most that say nothing any more are about to end, and how they do is the better reason."""
        if not attempt.is_mute or attempt.stopping is not None:
            return
        if attempt.mute_since is None:
            attempt.mute_since = now
        elif now - attempt.mute_since >= _AFTER_LAST_WORD_S:
            self.kill(attempt, attempt.spoiled or "killed: closed its connection to the supervisor and did not end")

    def _look_at_time(self, attempt: Attempt, now: float) -> None:
        if not attempt.time_limit_s:
            return
        if attempt.time_limit_at is None:
            attempt.time_limit_at = now + attempt.time_limit_s + _AFTER_LIMIT_S
        elif now >= attempt.time_limit_at:
            limit = f"{attempt.time_limit_s:g} s"
            self.kill(attempt, f"killed: ran for longer than its execution_timeout of {limit} and did not stop")

    def _look_at_memory(self, attempt: Attempt) -> None:
        limit = attempt.max_memory_bytes
        if limit and attempt.pid is not None:
            used = used_bytes(attempt.pid)
            if used > limit:
                self.kill(attempt, f"killed: used {amount(used)} of {amount(limit)}")


def _is_watched(attempt: Attempt) -> bool:
    return bool(
        attempt.stopping is not None
        or attempt.max_memory_bytes
        or attempt.time_limit_s
        or attempt.is_mute
        or attempt.phase is Phase.SETTLED
    )
