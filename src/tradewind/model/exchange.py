"""What a supervisor of attempts and the engine say to each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tradewind.model.assignment import Asker, WorkOrder
from tradewind.model.attempt_end import AttemptResult
from tradewind.model.ids import AttemptKey
from tradewind.model.task import WorkItem


@dataclass(frozen=True, slots=True)
class Request:
    """Something that the task of an attempt asks for or says: a method of `sdk.runtime.Runtime`."""

    attempt: AttemptKey
    asker: Asker
    method: str
    arguments: Mapping[str, object]


@dataclass(slots=True)
class Exchange:
    """What a supervisor has for the engine at one time. All of it happens in this order, or nothing."""

    requests: list[Request] = field(default_factory=list)
    results: list[AttemptResult] = field(default_factory=list)
    begins: list[WorkItem] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.requests or self.results or self.begins)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a request that cannot be met. The message is for the author."""

    kind: str
    message: str


@dataclass(slots=True)
class Exchanged:
    """What the engine says to an exchange."""

    answers: list[object] = field(default_factory=list)
    """One for each request; `Refusal`s among them."""
    orders: list[WorkOrder] = field(default_factory=list)
    """For those of the begins that are now running. The others must not run: called off, or begun elsewhere."""
