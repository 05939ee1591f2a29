"""Waiting for a time of day."""

import warnings
from datetime import UTC, datetime, time, tzinfo
from typing import Any

from tradewind.sdk import timezone
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.sensor import BaseSensorOperator
from tradewind.sdk.server_exceptions import AirflowProviderDeprecationWarning
from tradewind.sdk.standard.temporal_triggers import DateTimeTrigger, TimeOfDayTrigger, instant_today
from tradewind.sdk.triggers import StartTriggerArgs


class TimeSensor(BaseSensorOperator):
    """Wait until a time of day, in the DAG's time zone, of the day on which the task begins."""

    start_from_trigger = False

    def __init__(
        self,
        *,
        target_time: time,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        start_from_trigger: bool = False,
        end_from_trigger: bool = False,
        trigger_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.target_time = target_time
        self.deferrable = deferrable
        self.start_from_trigger = start_from_trigger
        self.end_from_trigger = end_from_trigger
        self.trigger_kwargs = trigger_kwargs
        if start_from_trigger:
            self.start_trigger_args = StartTriggerArgs(
                trigger_cls=f"{TimeOfDayTrigger.__module__}.{TimeOfDayTrigger.__name__}",
                next_method="execute_complete",
                trigger_kwargs={
                    "target_time": target_time.isoformat(),
                    "timezone_name": getattr(self._zone, "name", None) or str(self._zone),
                    "end_from_trigger": end_from_trigger,
                },
            )

    @property
    def target_datetime(self) -> datetime:
        """The instant on the current day."""
        return instant_today(self.target_time, self._zone, timezone.utcnow())

    def poke(self, context: Context) -> bool:
        """Look at the clock."""
        # The day of the first look: a sensor that is rescheduled over midnight must not start a new day's wait.
        begun = context["ti"].get_first_reschedule_date(context) if self.reschedule else self._begun
        target = instant_today(self.target_time, self._zone, begun or timezone.utcnow())
        self.log.info("Waiting for %s", target.isoformat())
        return timezone.utcnow() > target

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        if self.deferrable:
            self.defer(
                trigger=DateTimeTrigger(moment=self.target_datetime, end_from_trigger=self.end_from_trigger),
                method_name="execute_complete",
            )
        self._begun = timezone.utcnow()
        return super().execute(context)

    def execute_complete(self, context: Context, event: Any = None) -> None:
        """The time has come."""

    _begun: datetime | None = None

    @property
    def _zone(self) -> tzinfo:
        return UTC if self.dag is None else self.dag.timezone


class TimeSensorAsync(TimeSensor):
    """`TimeSensor(deferrable=True)` under its old name."""

    def __init__(self, **kwargs: Any) -> None:
        warnings.warn(
            "TimeSensorAsync is deprecated: use TimeSensor(deferrable=True)",
            AirflowProviderDeprecationWarning,
            stacklevel=3,
        )
        super().__init__(deferrable=True, **kwargs)
