"""When whoever waits for a deployment is told that it can be used."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tradewind.runtime.clock import Clock

_NEVER_S: Final = 3600.0
MOST_AWAITED_S: Final = 10.0
"""So long after the web server, somebody should know who is not ready."""


@dataclass(slots=True)
class Readiness:
    """Says once that a deployment is ready: when every part has said of itself that it can do its work."""

    unready: Callable[[], Sequence[str]]
    """The parts that have not."""
    clock: Clock
    started_at: float
    url: str
    web_server: str
    """The name of its part."""
    greeting: Sequence[str]
    """Said once, as soon as somebody can do something with it: there is a password in it."""
    say: Callable[[str], None]
    ready: Callable[[], object]
    """Called when it is."""
    _opened_at: float | None = None
    """When the web server was ready."""
    _is_greeted: bool = False
    _is_told: bool = False

    def look(self) -> float:
        """How long to wait before the next look, if nothing happens before."""
        missing = self.unready()
        if self._is_told or self.web_server in missing:
            return _NEVER_S
        now = self.clock.monotonic()
        self._opened_at = now if self._opened_at is None else self._opened_at
        if not missing:
            self._is_told = True
            self._greet(f"ready after {now - self.started_at:.1f} s: {self.url}   (Ctrl-C stops it)")
            self.ready()
        elif not self._is_greeted:
            left_s = self._opened_at + MOST_AWAITED_S - now
            if left_s > 0:
                return left_s
            self._greet(f"{self.url} can be opened; not ready yet: {', '.join(missing)}")
        return _NEVER_S

    def _greet(self, text: str) -> None:
        self.say(text)
        for line in () if self._is_greeted else self.greeting:
            self.say(line)
        self._is_greeted = True
