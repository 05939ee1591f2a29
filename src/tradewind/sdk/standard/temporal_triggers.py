"""Triggers that fire at an instant."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Any

from tradewind.sdk import timezone
from tradewind.sdk.standard.alarm_clock import wait_until
from tradewind.sdk.triggers import BaseTrigger, TaskSuccessEvent, TriggerEvent


class DateTimeTrigger(BaseTrigger):
    """Fires at `moment`, or at `target_time`, which may be text that templates made.

    With `end_from_trigger` the task has succeeded then; otherwise it goes on in a worker.
    """

    def __init__(
        self,
        moment: datetime | None = None,
        *,
        target_time: datetime | str | None = None,
        end_from_trigger: bool = False,
    ) -> None:
        super().__init__()
        if (moment is None) == (target_time is None):
            raise TypeError("DateTimeTrigger takes either moment or target_time")
        if moment is not None and not isinstance(moment, datetime):
            raise TypeError(f"moment of a DateTimeTrigger must be a datetime, not {type(moment).__name__}")
        if moment is not None and moment.tzinfo is None:
            raise ValueError(f"moment {moment.isoformat()} of a DateTimeTrigger has no time zone")
        self.target_time = target_time
        self.end_from_trigger = end_from_trigger
        self._moment: datetime | None = None if moment is None else timezone.convert_to_utc(moment)

    @property
    def moment(self) -> datetime:
        """The instant. `target_time` is only read now, since templates in it are rendered after `__init__`."""
        if self._moment is None:
            target = self.target_time
            if isinstance(target, datetime):
                target = target.isoformat()
            if not target:
                raise TypeError("target_time of a DateTimeTrigger is empty once its template is rendered")
            self._moment = timezone.convert_to_utc(timezone.parse(target))
        return self._moment

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        when = {"target_time": self.target_time} if self._moment is None else {"moment": self._moment}
        return f"{__name__}.DateTimeTrigger", {**when, "end_from_trigger": self.end_from_trigger}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait for the instant."""
        await wait_until(self.moment)
        self.log.info("%s has come", self.moment.isoformat())
        yield TaskSuccessEvent() if self.end_from_trigger else TriggerEvent(self.moment)


class TimeDeltaTrigger(DateTimeTrigger):
    """Fires after a while, counted from when it is made. It is stored as a `DateTimeTrigger`."""

    def __init__(self, delta: timedelta, *, end_from_trigger: bool = False) -> None:
        super().__init__(moment=timezone.utcnow() + delta, end_from_trigger=end_from_trigger)


class TimeOfDayTrigger(DateTimeTrigger):
    """Fires at a time of day, of the day on which it is made. It is stored as what it was made from.

    For tasks that begin in the triggerer: a fixed instant in the DAG would be that of the day it was read.
    """

    def __init__(self, target_time: str, timezone_name: str, *, end_from_trigger: bool = False) -> None:
        moment = instant_today(time.fromisoformat(target_time), _zone_named(timezone_name), timezone.utcnow())
        super().__init__(moment=moment, end_from_trigger=end_from_trigger)
        self.time_of_day = target_time
        self.timezone_name = timezone_name

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        return (
            f"{__name__}.TimeOfDayTrigger",
            {
                "target_time": self.time_of_day,
                "timezone_name": self.timezone_name,
                "end_from_trigger": self.end_from_trigger,
            },
        )


def instant_today(time_of_day: time, zone: tzinfo, now: datetime) -> datetime:
    """When it is that time on the day that `now` is in, there."""
    today = now.astimezone(zone).date()
    return datetime.combine(today, time_of_day, time_of_day.tzinfo or zone).astimezone(UTC)


def _zone_named(name: str) -> tzinfo:
    # Offsets such as +02:30 are the names of zones that have no other.
    offset = datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo if name[:1] in ("+", "-") else None
    return offset or timezone.parse_timezone(name)
