"""What a supervisor needs of the engine: the database on one machine, the execution API elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from tradewind.model.connection_test import ConnectionTestEnd, ConnectionTestItem, ConnectionTestOrder
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem, CallbackOrder
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


class ConnectionTestEngine(Protocol):
    """What it needs to try connections out. Raises the same."""

    def begin(self, items: Sequence[ConnectionTestItem]) -> list[ConnectionTestOrder]:
        """Those of these that are for us to try; the others were begun before, or given up."""

    def end(self, ends: Sequence[ConnectionTestEnd]) -> bool:
        """What came of them. True: it is known."""


class CallbackEngine(Protocol):
    """What it needs to call who shall hear of missed deadlines. Raises the same."""

    def begin(self, items: Sequence[CallbackItem]) -> list[CallbackOrder]:
        """Those of these that are for us to call; the others were begun before, or given to another one."""

    def renew(self, items: Sequence[CallbackItem]) -> bool:
        """We have these. True: it is known."""

    def end(self, ends: Sequence[CallbackEnd]) -> bool:
        """What came of them. True: it is known."""

    def give_back(self, items: Sequence[CallbackItem]) -> bool:
        """Others may have these: they were called off. True: it is known."""

    def answer(self, item: CallbackItem, method: str, arguments: Mapping[str, object]) -> object:
        """What the callback asks for. In any thread. Raises whatever it is to be told then."""
