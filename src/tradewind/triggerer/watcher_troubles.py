"""Watchers that hold up others: who they are is told to who looks after the service, and stored for lists."""

from collections.abc import Callable, Sequence

from tradewind.decide.triggerers import Patience
from tradewind.model.trouble import Trouble
from tradewind.model.watcher import ClaimedWatcher, WatcherKey
from tradewind.runtime.clock import Clock
from tradewind.telemetry.events import Event, WatcherBlocked, WatcherQuarantined
from tradewind.triggerer.troubles import Troubles


class WatcherTroubles:
    """What is known of them."""

    def __init__(self, clock: Clock, patience: Patience, tell: Callable[[Event], object]) -> None:
        self._tell = tell
        self._troubles: Troubles[WatcherKey] = Troubles(clock, patience)

    @property
    def noted(self) -> dict[WatcherKey, Trouble]:
        """What is new, and not stored yet."""
        return self._troubles.noted

    def blocks(self, claimed: ClaimedWatcher, stack: Sequence[str]) -> None:
        """It holds up the others at the moment."""
        self._troubles.blocks(claimed.key, _before(claimed), stack)

    def blocked(self, claimed: ClaimedWatcher, assets: Sequence[str], seconds: float, stack: Sequence[str]) -> bool:
        """It held up the others for so long. Whether that is too often."""
        count = self._troubles.blocked(claimed.key, _before(claimed), stack)
        self._tell(
            WatcherBlocked(
                class_path=claimed.class_path,
                assets=tuple(assets),
                seconds=seconds,
                stack="\n".join(stack),
                count=count,
            )
        )
        return self._troubles.keeps_blocking(claimed.key)

    def quarantined(self, claimed: ClaimedWatcher, assets: Sequence[str], reason: str) -> None:
        """It is kept apart from now on."""
        self._troubles.quarantined(claimed.key, _before(claimed))
        self._tell(WatcherQuarantined(class_path=claimed.class_path, assets=tuple(assets), reason=reason))

    def forget(self, watcher: WatcherKey) -> None:
        """It is over, or somebody else's."""
        self._troubles.forget(watcher)


def _before(claimed: ClaimedWatcher) -> Trouble:
    return Trouble(blocks=claimed.blocks)
