"""Sensors whose look needs a worker, such as one that calls the author's function, and whose waiting needs none."""

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

from tradewind.sdk import timezone
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowSensorTimeout, AirflowSkipException
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.sensor import BaseSensorOperator, PokeReturnValue


class WaitingBetweenLooks(BaseSensorOperator):
    """Base of such sensors: with `deferrable`, each look is in a worker, and between two of them it waits in the
    triggerer. What decides, and when it gives up, is as in mode "poke"."""

    def __init__(
        self,
        *,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.deferrable = deferrable

    def execute(self, context: Context) -> Any:
        """Look until it is there, in this worker or in several."""
        if not self.deferrable:
            return super().execute(context)
        return self._look(context, timezone.utcnow(), looks=1)

    def look_again(self, context: Context, first_look: datetime, looks: int, event: Any = None) -> Any:
        """It is time for the next look."""
        return self._look(context, first_look, looks)

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Context) -> Any:
        """Go on after a trigger. What a look raises means what it means in the first one."""
        if next_method == "look_again":
            return BaseOperator.resume_execution(self, next_method, next_kwargs, context)
        return super().resume_execution(next_method, next_kwargs, context)

    def _look(self, context: Context, first_look: datetime, looks: int) -> Any:
        found = self._poke_guarded(context)
        if found:
            self.log.info("What sensor %s waited for is there", self.task_id)
            return found.xcom_value if isinstance(found, PokeReturnValue) else None
        # The first look was in another process, so only the wall clock has seen both.
        waited = (timezone.utcnow() - first_look).total_seconds()
        if waited > self.timeout:
            message = f"sensor {self.task_id!r} waited {waited:.1f} s, longer than its timeout of {self.timeout} s"
            raise AirflowSkipException(message) if self.soft_fail else AirflowSensorTimeout(message)
        wait = timedelta(seconds=self._next_wait(context, waited, looks))
        # Most sensors never need it, and with it comes an event loop.
        trigger = import_module("tradewind.sdk.standard.temporal_triggers").DateTimeTrigger
        kwargs = {"first_look": first_look, "looks": looks + 1}
        return self.defer(trigger=trigger(moment=timezone.utcnow() + wait), method_name="look_again", kwargs=kwargs)
