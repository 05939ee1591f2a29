"""What a supervisor of attempts and the engine say to each other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from tradewind.model.assignment import Asker, WorkOrder
from tradewind.model.attempt_end import AttemptResult
from tradewind.model.ids import AttemptKey
from tradewind.model.task import Failed, WorkItem

TOLD: Final = frozenset({"set_xcom", "set_rendered_fields", "set_rendered_map_index"})
"""Methods that need no answer: what they write is there before anything else that the task asks for is answered, and
stored together with the end of the attempt. An attempt whose words could not be stored does not succeed."""


@dataclass(frozen=True, slots=True)
class Request:
    """Something that the task of an attempt asks for or says: a method of `sdk.runtime.Runtime`."""

    attempt: AttemptKey
    asker: Asker
    method: str
    arguments: Mapping[str, object]
    is_repeat: bool = False
    """Whether it was sent before, and the answer was lost: it may have been met already."""


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


def spoiled(given: Exchange, answers: Sequence[object]) -> list[AttemptResult]:
    """The results, with failures in place of the successes of attempts that had something refused."""
    refused: Mapping[AttemptKey, str] = {
        request.attempt: answer.message
        for request, answer in zip(given.requests, answers, strict=True)
        if isinstance(answer, Refusal) and request.method in TOLD
    }
    return [
        not_stored(result, refused[result.report.attempt], result.report.at)
        if result.report.attempt in refused
        else result
        for result in given.results
    ]


def one_by_one(given: Exchange, attempt: Callable[[Exchange], Exchanged | Refusal], now: datetime) -> Exchanged:
    """Each part by itself: only what cannot be taken is refused."""
    exchanged = Exchanged()
    for request in given.requests:
        part = attempt(Exchange(requests=[request]))
        exchanged.answers.append(part if isinstance(part, Refusal) else part.answers[0])
    for result in spoiled(given, exchanged.answers):
        part = attempt(Exchange(results=[result]))
        if isinstance(part, Refusal):
            attempt(Exchange(results=[not_stored(result, part.message, now)]))
    for item in given.begins:
        part = attempt(Exchange(begins=[item]))
        exchanged.orders += [] if isinstance(part, Refusal) else part.orders
    return exchanged


def not_stored(result: AttemptResult, why: str, at: datetime) -> AttemptResult:
    """What is told in place of a result that cannot be kept."""
    reason = f"what it said could not be stored: {why}"
    return AttemptResult(report=Failed(result.report.attempt, at, reason=reason))
