"""Triggers that hold up others: who they are is told in the log of their task, and to who looks after the service."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tradewind.decide.triggerers import Patience
from tradewind.model.ids import JobKey, TriggerKey
from tradewind.model.trigger import ClaimedTrigger
from tradewind.model.trouble import Trouble
from tradewind.runtime.clock import Clock
from tradewind.telemetry.events import Event, TriggerBlocked, TriggerQuarantined
from tradewind.triggerer.logs import TriggerLogs
from tradewind.triggerer.troubles import Troubles

_LOGGER: Final = "tradewind.triggerer"


class Disturbers:
    """What is known of them."""

    def __init__(self, logs: TriggerLogs, clock: Clock, patience: Patience, tell: Callable[[Event], object]) -> None:
        self._logs = logs
        self._clock = clock
        self._tell = tell
        self._troubles: Troubles[TriggerKey] = Troubles(clock, patience)

    @property
    def noted(self) -> dict[TriggerKey, Trouble]:
        """What is new, and not stored yet."""
        return self._troubles.noted

    def blocks(self, claimed: ClaimedTrigger, stack: Sequence[str]) -> None:
        """It holds up the others at the moment."""
        self._troubles.blocks(claimed.key, _before(claimed), stack)

    def blocked(self, claimed: ClaimedTrigger, job: JobKey, seconds: float, stack: Sequence[str]) -> bool:
        """It held up the others for so long. Whether that is too often."""
        event = TriggerBlocked(
            **_named(claimed),
            seconds=seconds,
            stack="\n".join(stack),
            count=self._troubles.blocked(claimed.key, _before(claimed), stack),
        )
        self._tell(event)
        if event.is_remarkable:
            self._log(claimed, job, event.text)
        return self._troubles.keeps_blocking(claimed.key)

    def quarantined(self, claimed: ClaimedTrigger, job: JobKey, reason: str) -> None:
        """It is kept apart from now on."""
        self._troubles.quarantined(claimed.key, _before(claimed))
        event = TriggerQuarantined(**_named(claimed), reason=reason)
        self._tell(event)
        self._log(claimed, job, event.text)

    def forget(self, trigger: TriggerKey) -> None:
        """It is over, or somebody else's."""
        self._troubles.forget(trigger)

    def _log(self, claimed: ClaimedTrigger, job: JobKey, text: str) -> None:
        """Where the author of the trigger looks."""
        record: dict[str, object] = {
            "timestamp": self._clock.now(),
            "level": "warning",
            "event": text,
            "logger": _LOGGER,
        }
        self._logs.write(claimed, job, [record])


def _before(claimed: ClaimedTrigger) -> Trouble:
    return Trouble(blocks=claimed.blocks, is_quarantined=claimed.is_quarantined)


def _named(claimed: ClaimedTrigger) -> Mapping[str, str]:
    return {
        "class_path": claimed.class_path,
        "dag_id": claimed.dag_id,
        "run_id": claimed.run_id,
        "task_id": claimed.attempt.task_id,
    }
