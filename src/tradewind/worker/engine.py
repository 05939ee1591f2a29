"""What a supervisor needs of the engine: the database on one machine, the execution API elsewhere."""

from collections.abc import Callable, Sequence
from typing import Protocol

from tradewind.model.exchange import Exchange, Exchanged
from tradewind.model.ids import AttemptKey


class Engine(Protocol):
    """Every method may raise `DatabaseUnavailable` or `TransactionConflict`: no answer. Asking again is safe."""

    def start(self, former: str | None, remember: Callable[[str], object]) -> None:
        """Begin the life of a supervisor, and fail the attempts of the former one, which is known to be dead.

        `remember` is given the word by which the next one will know this one, now or when there is one; `former` is
        what was remembered last.
        """

    def exchange(self, given: Exchange) -> Exchanged:
        """Answer requests, store results, begin attempts. Late ones change nothing."""

    def heartbeat(self, attempts: Sequence[AttemptKey]) -> set[AttemptKey]:
        """These run. Returns those that must stop: cleared, marked, given up, or succeeded by another attempt."""

    def stop(self) -> None:
        """End the life of the supervisor, in good order."""
