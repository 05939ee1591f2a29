"""Waiting for an instant."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NoReturn

from tradewind.sdk import timezone
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.sensor import BaseSensorOperator
from tradewind.sdk.standard.temporal_triggers import DateTimeTrigger
from tradewind.sdk.triggers import StartTriggerArgs

_DATE_TIME_TRIGGER = StartTriggerArgs(
    trigger_cls=f"{DateTimeTrigger.__module__}.{DateTimeTrigger.__name__}",
    trigger_kwargs={"moment": "", "end_from_trigger": False},
    next_method="execute_complete",
    next_kwargs=None,
    timeout=None,
)


class DateTimeSensor(BaseSensorOperator):
    """Wait until `target_time`, a datetime or text that templates may make."""

    template_fields: Sequence[str] = ("target_time",)

    def __init__(
        self,
        *,
        target_time: str | datetime,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.target_time = target_time
        self.deferrable = deferrable

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        if self.deferrable:
            self.defer(trigger=DateTimeTrigger(moment=self._moment), method_name="execute_complete")
        return super().execute(context)

    def execute_complete(self, context: Context, event: Any = None) -> None:
        """The time has come."""

    def poke(self, context: Context) -> bool:
        """Look at the clock."""
        self.log.info("Waiting for %s", self.target_time)
        return timezone.utcnow() > self._moment

    @property
    def _moment(self) -> datetime:
        if not isinstance(self.target_time, str | datetime):
            raise TypeError(
                f"target_time of task {self.task_id!r} must be a datetime or a text,"
                f" not {type(self.target_time).__name__}"
            )
        text = self.target_time.isoformat() if isinstance(self.target_time, datetime) else self.target_time
        return timezone.convert_to_utc(timezone.parse(text))


class DateTimeSensorAsync(DateTimeSensor):
    """`DateTimeSensor` without a worker: it waits in the triggerer.

    With `start_from_trigger` it begins there, with `end_from_trigger` it ends there.
    """

    start_trigger_args = _DATE_TIME_TRIGGER
    start_from_trigger = False

    def __init__(
        self,
        *,
        start_from_trigger: bool = False,
        end_from_trigger: bool = False,
        trigger_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.start_from_trigger = start_from_trigger
        self.end_from_trigger = end_from_trigger
        self.trigger_kwargs = trigger_kwargs
        if start_from_trigger:
            # The text as it is: the triggerer renders the template.
            self.start_trigger_args = replace(
                _DATE_TIME_TRIGGER,
                trigger_kwargs={"target_time": self.target_time, "end_from_trigger": end_from_trigger},
            )

    def execute(self, context: Context) -> NoReturn:
        """Wait for the trigger."""
        self.defer(
            trigger=DateTimeTrigger(moment=self._moment, end_from_trigger=self.end_from_trigger),
            method_name="execute_complete",
        )
