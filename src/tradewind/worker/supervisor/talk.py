"""The supervisor's talk with the engine, through outages of the database."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from tradewind.errors import DatabaseError, DatabaseUnavailable, TransactionConflict
from tradewind.model.exchange import Exchange, Exchanged
from tradewind.model.ids import AttemptKey
from tradewind.runtime.clock import Clock
from tradewind.telemetry.events import DatabaseBack, DatabaseLost
from tradewind.telemetry.hub import Hub
from tradewind.worker.engine import Engine

T = TypeVar("T")
_FIRST_BACKOFF_S: Final = 0.25
_LONGEST_BACKOFF_S: Final = 15.0


class Talk:
    """Asks the engine; where there is no answer, it asks again later, and later still."""

    def __init__(self, engine: Engine, clock: Clock, hub: Hub) -> None:
        self._engine = engine
        self._clock = clock
        self._hub = hub
        self.heard_at = clock.monotonic()
        """When the engine answered last."""
        self._lost_at: float | None = None
        self._retry_at = 0.0
        self._backoff_s = _FIRST_BACKOFF_S

    @property
    def retry_at(self) -> float | None:
        """When to ask again after an outage; None if there is none."""
        return None if self._lost_at is None else self._retry_at

    def exchange(self, given: Exchange) -> Exchanged | None:
        """What the engine says; None: it gives no answer, so nothing is known to have happened."""
        return self.ask(lambda: self._engine.exchange(given))

    def ask(self, ask: Callable[[], T]) -> T | None:
        """The same for other questions."""
        if self._lost_at is not None and self._clock.monotonic() < self._retry_at:
            return None
        return self._ask(ask)

    def heartbeat(self, attempts: Sequence[AttemptKey]) -> set[AttemptKey] | None:
        """Which of these must stop; None: the engine gives no answer."""
        return self._ask(lambda: self._engine.heartbeat(attempts))

    def _ask(self, ask: Callable[[], T]) -> T | None:
        try:
            answer = ask()
        except (DatabaseUnavailable, TransactionConflict) as error:
            self._lost(error)
            return None
        self.heard_at = self._clock.monotonic()
        if self._lost_at is not None:
            self._hub.emit(DatabaseBack(self.heard_at - self._lost_at))
            self._lost_at = None
        return answer

    def _lost(self, error: DatabaseError) -> None:
        now = self._clock.monotonic()
        if self._lost_at is None:
            self._lost_at = now
            self._backoff_s = _FIRST_BACKOFF_S
            self._hub.emit(DatabaseLost(str(error)))
        self._retry_at = now + self._backoff_s
        self._backoff_s = min(2 * self._backoff_s, _LONGEST_BACKOFF_S)
