"""Waiting for a while."""

import warnings
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from tradewind.sdk import timezone
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowRescheduleException
from tradewind.sdk.sensor import BaseSensorOperator
from tradewind.sdk.server_exceptions import AirflowProviderDeprecationWarning
from tradewind.sdk.standard.temporal_triggers import DateTimeTrigger, TimeDeltaTrigger
from tradewind.sdk.task_clock import current_clock


def _minutes(value: timedelta | float | str) -> timedelta:
    """A duration as authors and templates give it: a number is one of minutes."""
    return value if isinstance(value, timedelta) else timedelta(minutes=int(value))


class TimeDeltaSensor(BaseSensorOperator):
    """Wait until `delta` after the end of the run's data interval, or after the run was due if it has none."""

    template_fields: Sequence[str] = ("delta",)

    def __init__(
        self,
        *,
        delta: timedelta | int,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        end_from_trigger: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.delta = delta
        self.deferrable = deferrable
        self.end_from_trigger = end_from_trigger

    def poke(self, context: Context) -> bool:
        """Look at the clock."""
        moment = self._moment(context)
        self.log.info("Waiting for %s", moment.isoformat())
        return timezone.utcnow() > moment

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        if not self.deferrable:
            return super().execute(context)
        moment = self._moment(context)
        if timezone.utcnow() <= moment:
            self.defer(
                trigger=DateTimeTrigger(moment=moment, end_from_trigger=self.end_from_trigger),
                method_name="execute_complete",
                timeout=timedelta(seconds=self.timeout),
            )
        return True

    def execute_complete(self, context: Context, event: Any = None) -> None:
        """The time has come."""

    def _moment(self, context: Context) -> datetime:
        base: datetime = context.get("data_interval_end") or context["dag_run"].run_after
        return base + _minutes(self.delta)


class TimeDeltaSensorAsync(TimeDeltaSensor):
    """`TimeDeltaSensor(deferrable=True)` under its old name."""

    def __init__(self, *, delta: timedelta | int, end_from_trigger: bool = False, **kwargs: Any) -> None:
        warnings.warn(
            "TimeDeltaSensorAsync is deprecated: use TimeDeltaSensor(deferrable=True)",
            AirflowProviderDeprecationWarning,
            stacklevel=3,
        )
        super().__init__(delta=delta, deferrable=True, end_from_trigger=end_from_trigger, **kwargs)


class WaitSensor(BaseSensorOperator):
    """Wait for a while, counted from when the task begins."""

    template_fields: Sequence[str] = ("time_to_wait",)

    def __init__(
        self,
        time_to_wait: timedelta | int,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.time_to_wait = time_to_wait
        self.deferrable = deferrable

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        wait = _minutes(self.time_to_wait)
        if self.deferrable:
            self.defer(trigger=TimeDeltaTrigger(wait, end_from_trigger=True), method_name="execute_complete")
        if self.reschedule:
            begun: datetime = context["ti"].get_first_reschedule_date(context) or timezone.utcnow()
            if timezone.utcnow() < begun + wait:
                raise AirflowRescheduleException(begun + wait)
        else:
            current_clock().sleep(wait.total_seconds())

    def execute_complete(self, context: Context, event: Any = None) -> None:
        """The time has come."""
