"""Connections that are tried out on this machine."""

from collections.abc import Mapping
from typing import Final

from tradewind.model.connection_test import (
    ConnectionTestEnd,
    ConnectionTestItem,
    ConnectionTestKey,
    ConnectionTestOrder,
)
from tradewind.runtime.clock import Clock
from tradewind.worker.connection_tests import Trial
from tradewind.worker.engine import ConnectionTestEngine
from tradewind.worker.supervisor.background import Background
from tradewind.worker.supervisor.talk import Talk

MOST_TRIALS: Final = 32
"""Threads that wait for the processes; more tests than these wait for one another."""


class Trials:
    """Begins what executors want to have tried, and says what came of it: to the engine, which may be away."""

    def __init__(
        self,
        engine: ConnectionTestEngine,
        talk: Talk,
        background: Background,
        clock: Clock,
        *,
        patience_s: float,
        environ: Mapping[str, str],
    ) -> None:
        self._engine = engine
        self._talk = talk
        self._background = background
        self._clock = clock
        self._patience_s = patience_s
        self._environ = environ
        self._wanted: list[ConnectionTestItem] = []
        self._running: dict[ConnectionTestKey, Trial] = {}
        self._ended: list[ConnectionTestEnd] = []

    def __len__(self) -> int:
        """How many are not over."""
        return len(self._running) + len(self._ended)

    @property
    def has_news(self) -> bool:
        """Whether there is something for the engine."""
        return bool(self._wanted or self._ended)

    def take(self, items: list[ConnectionTestItem]) -> None:
        """Try these out."""
        self._wanted += items

    def tend(self, *, begins: bool) -> None:
        """Tell the engine what there is for it. `begins`: else nothing more is begun, and given up in time."""
        wanted, ended = self._wanted, self._ended
        if wanted and begins:
            orders = self._talk.ask(lambda: self._engine.begin(wanted))
            if orders is not None:
                self._wanted = []
                for order in orders:
                    self._run(order)
        elif wanted:
            self._wanted = []
        if ended and self._talk.ask(lambda: self._engine.end(ended)) is not None:
            self._ended = []

    def call_off(self) -> None:
        """Wait for none of them."""
        for trial in self._running.values():
            trial.call_off()

    def close(self) -> None:
        """Wait for none of them, and say so."""
        self.call_off()
        self._background.close()
        self.tend(begins=False)

    def _run(self, order: ConnectionTestOrder) -> None:
        trial = Trial(order.connection, self._environ, patience_s=self._patience_s)
        self._running[order.key] = trial
        began_at = self._clock.monotonic()
        self._background.run(
            trial.run,
            lambda outcome: self._end(order.key, began_at, *outcome),
            lambda error: self._end(order.key, began_at, False, f"it could not be tried out: {error}"),
        )

    def _end(self, key: ConnectionTestKey, began_at: float, works: bool, message: str) -> None:
        del self._running[key]
        self._ended.append(ConnectionTestEnd(key, works, message, self._clock.monotonic() - began_at))
