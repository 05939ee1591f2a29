"""What a supervisor needs of the engine: the database on one machine, the execution API elsewhere."""

from collections.abc import Sequence
from typing import Protocol

from tradewind.model.exchange import Exchange, Exchanged
from tradewind.model.ids import AttemptKey, JobKey


class Engine(Protocol):
    """Every method may raise `DatabaseUnavailable` or `TransactionConflict`: no answer. Asking again is safe."""

    def start(self, former: JobKey | None) -> JobKey:
        """Begin the life of a supervisor, and fail the attempts of the former one, which is known to be dead."""

    def exchange(self, given: Exchange) -> Exchanged:
        """Answer requests, store results, begin attempts. Late ones change nothing."""

    def heartbeat(self, attempts: Sequence[AttemptKey]) -> set[AttemptKey]:
        """These run. Returns those that must stop: cleared, marked, given up, or succeeded by another attempt."""

    def stop(self) -> None:
        """End the life of the supervisor, in good order."""
