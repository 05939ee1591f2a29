"""Who holds up others, how often, and where: for lists, and for the quarantine."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from tradewind.decide.triggerers import Patience, keeps_blocking
from tradewind.model.trouble import Trouble
from tradewind.runtime.clock import Clock

K = TypeVar("K", bound=int)


class Troubles(Generic[K]):
    """What is known of them, by their keys. `before` is what was known of one when it was claimed."""

    def __init__(self, clock: Clock, patience: Patience) -> None:
        self._clock = clock
        self._patience = patience
        self._blocked_at: dict[K, list[float]] = {}
        self._known: dict[K, Trouble] = {}
        self.noted: dict[K, Trouble] = {}
        """What is new, and not stored yet."""

    def blocks(self, key: K, before: Trouble, stack: Sequence[str]) -> None:
        """It holds up the others at the moment. Lists show it from now on; it counts when it is over."""
        self.noted[key] = self._once_more(key, before, stack)

    def blocked(self, key: K, before: Trouble, stack: Sequence[str]) -> int:
        """It held up the others. Returns how often it has done so."""
        trouble = self._once_more(key, before, stack)
        self._note(key, trouble)
        moments = self._blocked_at.setdefault(key, [])
        moments.append(self._clock.monotonic())
        del moments[: -self._patience.blocks]
        return trouble.blocks

    def keeps_blocking(self, key: K) -> bool:
        """Whether it has done so too often."""
        return keeps_blocking(self._blocked_at.get(key, ()), self._clock.monotonic(), self._patience)

    def quarantined(self, key: K, before: Trouble) -> None:
        """It is kept apart from now on."""
        self._note(key, replace(self._known.get(key, before), is_quarantined=True))

    def forget(self, key: K) -> None:
        """It is over, or somebody else's."""
        for each in (self._blocked_at, self._known, self.noted):
            each.pop(key, None)

    def _once_more(self, key: K, before: Trouble, stack: Sequence[str]) -> Trouble:
        known = self._known.get(key, before)
        text = "\n".join(stack) or known.stack
        return replace(known, blocks=known.blocks + 1, blocked_at=self._clock.now(), stack=text)

    def _note(self, key: K, trouble: Trouble) -> None:
        self._known[key] = self.noted[key] = trouble
