"""Which triggers hold up others, how often, and where: for the log of their task, for lists, and for the quarantine."""

from collections.abc import Callable, Sequence
from typing import Final

from tradewind.decide.triggerers import Patience, keeps_blocking
from tradewind.model.ids import JobKey, TriggerKey
from tradewind.model.trigger import ClaimedTrigger, TriggerTrouble
from tradewind.runtime.clock import Clock
from tradewind.telemetry.events import Event, TriggerBlocked, TriggerQuarantined
from tradewind.triggerer.logs import TriggerLogs

_LOGGER: Final = "tradewind.triggerer"


class Disturbers:
    """What is known of them."""

    def __init__(self, logs: TriggerLogs, clock: Clock, patience: Patience, tell: Callable[[Event], object]) -> None:
        self._logs = logs
        self._clock = clock
        self._patience = patience
        self._tell = tell
        self._blocked_at: dict[TriggerKey, list[float]] = {}
        self._known: dict[TriggerKey, TriggerTrouble] = {}
        self.noted: dict[TriggerKey, TriggerTrouble] = {}
        """What is new, and not stored yet."""

    def blocks(self, claimed: ClaimedTrigger, stack: Sequence[str]) -> None:
        """It holds up the others at the moment. Lists show it from now on; it counts when it is over."""
        self.noted[claimed.key] = self._once_more(claimed, stack)

    def blocked(self, claimed: ClaimedTrigger, job: JobKey, seconds: float, stack: Sequence[str]) -> bool:
        """It held up the others for so long. Whether that is too often."""
        trouble, text = self._once_more(claimed, stack), "\n".join(stack)
        now_s = self._clock.monotonic()
        self._note(trouble)
        event = TriggerBlocked(
            class_path=claimed.class_path,
            dag_id=claimed.dag_id,
            run_id=claimed.run_id,
            task_id=claimed.attempt.task_id,
            seconds=seconds,
            stack=text,
            count=trouble.blocks,
        )
        self._tell(event)
        if event.is_remarkable:
            self._log(claimed, job, event.text)
        moments = self._blocked_at.setdefault(claimed.key, [])
        moments.append(now_s)
        del moments[: -self._patience.blocks]
        return keeps_blocking(moments, now_s, self._patience)

    def quarantined(self, claimed: ClaimedTrigger, job: JobKey, reason: str) -> None:
        """It is kept apart from now on."""
        before = self._trouble(claimed)
        self._note(
            TriggerTrouble(
                key=claimed.key,
                blocks=before.blocks,
                blocked_at=before.blocked_at,
                stack=before.stack,
                is_quarantined=True,
            )
        )
        event = TriggerQuarantined(
            class_path=claimed.class_path,
            dag_id=claimed.dag_id,
            run_id=claimed.run_id,
            task_id=claimed.attempt.task_id,
            reason=reason,
        )
        self._tell(event)
        self._log(claimed, job, event.text)

    def forget(self, trigger: TriggerKey) -> None:
        """It is over, or somebody else's."""
        for each in (self._blocked_at, self._known, self.noted):
            each.pop(trigger, None)

    def _once_more(self, claimed: ClaimedTrigger, stack: Sequence[str]) -> TriggerTrouble:
        before = self._trouble(claimed)
        return TriggerTrouble(
            key=claimed.key,
            blocks=before.blocks + 1,
            blocked_at=self._clock.now(),
            stack="\n".join(stack) or before.stack,
            is_quarantined=before.is_quarantined,
        )

    def _trouble(self, claimed: ClaimedTrigger) -> TriggerTrouble:
        known = self._known.get(claimed.key)
        return known or TriggerTrouble(
            key=claimed.key,
            blocks=claimed.blocks,
            blocked_at=None,
            stack=None,
            is_quarantined=claimed.is_quarantined,
        )

    def _note(self, trouble: TriggerTrouble) -> None:
        self._known[trouble.key] = self.noted[trouble.key] = trouble

    def _log(self, claimed: ClaimedTrigger, job: JobKey, text: str) -> None:
        """Where the author of the trigger looks."""
        record: dict[str, object] = {
            "timestamp": self._clock.now(),
            "level": "warning",
            "event": text,
            "logger": _LOGGER,
        }
        self._logs.write(claimed, job, [record])
