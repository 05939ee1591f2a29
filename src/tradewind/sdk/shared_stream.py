"""Sources that several event triggers share, and that are told when a message is done with."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

log = logging.getLogger(__name__)


class AckTimeout(Exception):
    """A trigger did not get past a message in time."""


@dataclass(frozen=True, slots=True)
class AdvanceOutcome:
    """What became of a message: how many triggers were done with it, failed on it, or rejected it."""

    acked: int
    failed: int
    rejected: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether there were triggers for it, and all of them are done with it."""
        return self.acked > 0 and not self.failed and not self.rejected


class AdvanceItem(NamedTuple):
    """A message that all triggers are past."""

    broker_payload: Any
    outcome: AdvanceOutcome


class SharedStreamProducer(ABC):
    """The side of the source: it owns the connection for as long as one poll lasts."""

    @abstractmethod
    def open_stream(self) -> AsyncIterator[tuple[Any, Any]]:
        """Connect, and yield pairs for ever: what came in, and what is needed later to say that it is done."""

    @abstractmethod
    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        """Tell the source that these are done. They are all of one lane, in the order in which they came in."""

    def get_advance_lane(self, broker_payload: Any) -> Hashable:
        """Which messages must be done in order. By default all; a partition, say, is a lane of its own."""
        return None

    async def aclose(self) -> None:  # noqa: B027 - not every source has anything to let go of
        """Let go of the connection."""


_reject: ContextVar[Callable[[], None] | None] = ContextVar("tradewind_reject_event", default=None)


def reject_shared_stream_event() -> None:
    """Have the source drop the message that is being filtered, instead of making an event of it."""
    reject = _reject.get()
    if reject is None:
        log.warning("reject_shared_stream_event() does nothing outside filter_shared_stream of an acknowledged source")
        return
    reject()


@contextmanager
def filtering(reject: Callable[[], None]) -> Iterator[None]:
    """For the triggerer: while the block runs, `reject` drops the message that is being filtered."""
    token = _reject.set(reject)
    try:
        yield
    finally:
        _reject.reset(token)
