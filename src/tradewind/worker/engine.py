"""What a supervisor needs of the engine: the database on one machine, the execution API elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from tradewind.model.assignment import Asker, WorkOrder
from tradewind.model.attempt_end import AttemptResult
from tradewind.model.ids import AttemptKey
from tradewind.model.task import WorkItem


class Engine(Protocol):
    """Every method raises `DatabaseUnavailable` where nobody answers. Asking again is safe."""

    def begin(self, work: Sequence[WorkItem]) -> list[WorkOrder]:
        """queued → running. Who is missing in the answer must not run: called off, or begun by somebody else."""

    def settle(self, results: Sequence[AttemptResult]) -> None:
        """Store how attempts ended. Late ones change nothing."""

    def heartbeat(self, attempts: Sequence[AttemptKey]) -> set[AttemptKey]:
        """These run. Returns those that must stop: cleared, marked, given up, or succeeded by another attempt."""

    def answer(self, asker: Asker, question: str, arguments: Mapping[str, object]) -> object:
        """What `sdk.runtime.Runtime` would answer to the method `question`.

        Raises:
            TradewindError: it cannot be answered; the message is for the author.
        """
