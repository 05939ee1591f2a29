"""Branching and waiting by the day of the week."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import IntEnum, unique
from importlib import import_module
from typing import Any

from tradewind.sdk import timezone
from tradewind.sdk.branch import BaseBranchOperator
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.sensor import BaseSensorOperator


@unique
class WeekDay(IntEnum):
    """The days by their ISO number."""

    MONDAY = 1
    TUESDAY = 2
    WEDNESDAY = 3
    THURSDAY = 4
    FRIDAY = 5
    SATURDAY = 6
    SUNDAY = 7

    @classmethod
    def get_weekday_number(cls, week_day_str: str) -> "WeekDay":
        """The day of that English name, in any case."""
        try:
            return cls[week_day_str.upper()]
        except KeyError:
            # AttributeError because that is what authors catch with Airflow.
            names = ", ".join(day.name.capitalize() for day in cls)
            raise AttributeError(f"{week_day_str!r} is no day of the week; use one of {names}") from None

    @classmethod
    def convert(cls, day: "str | WeekDay") -> int:
        """The number of a day given in either form."""
        return day if isinstance(day, WeekDay) else cls.get_weekday_number(day)

    @classmethod
    def validate_week_day(cls, week_day: "str | WeekDay | Iterable[str] | Iterable[WeekDay]") -> set[int]:
        """The numbers of one day or several."""
        if isinstance(week_day, str | WeekDay):
            return {cls.convert(week_day)}
        if not isinstance(week_day, Iterable):
            raise TypeError(
                f"week_day must be the name of a day, a WeekDay, or a collection of them, not {type(week_day).__name__}"
            )
        return {cls.convert(day) for day in week_day}


def logical_instant(context: Context) -> datetime:
    """What `use_task_logical_date` compares with: the run's logical date, or when it was due if it has none."""
    logical_date: datetime | None = context.get("logical_date")
    if logical_date is not None:
        return logical_date
    run_after: datetime = context["dag_run"].run_after
    return run_after


class BranchDayOfWeekOperator(BaseBranchOperator):
    """Follow one branch on the given days and another on all others."""

    def __init__(
        self,
        *,
        follow_task_ids_if_true: str | Iterable[str],
        follow_task_ids_if_false: str | Iterable[str],
        week_day: str | Iterable[str] | WeekDay | Iterable[WeekDay],
        use_task_logical_date: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.follow_task_ids_if_true = follow_task_ids_if_true
        self.follow_task_ids_if_false = follow_task_ids_if_false
        self.week_day = week_day
        self.use_task_logical_date = use_task_logical_date
        self._week_day_num = WeekDay.validate_week_day(week_day)

    def choose_branch(self, context: Context) -> str | Iterable[str]:
        """The branch of today, in the DAG's time zone."""
        if self.use_task_logical_date:
            day = logical_instant(context).isoweekday()
        else:
            zone = UTC if self.dag is None else self.dag.timezone
            day = timezone.utcnow().astimezone(zone).isoweekday()
        return self.follow_task_ids_if_true if day in self._week_day_num else self.follow_task_ids_if_false


class DayOfWeekSensor(BaseSensorOperator):
    """Wait for one of the given days, by UTC. With `deferrable`, in the triggerer."""

    def __init__(
        self,
        *,
        week_day: str | Iterable[str] | WeekDay | Iterable[WeekDay],
        use_task_logical_date: bool = False,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.week_day = week_day
        self.use_task_logical_date = use_task_logical_date
        self.deferrable = deferrable
        self._week_day_num = WeekDay.validate_week_day(week_day)

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        if not self.deferrable:
            return super().execute(context)
        if not self.poke(context):
            # Branches need it never, and with it comes an event loop.
            trigger = import_module("tradewind.sdk.standard.temporal_triggers").DateTimeTrigger
            moment = self._next_moment(timezone.utcnow())
            self.defer(
                trigger=trigger(moment=moment), method_name="execute_complete", timeout=timedelta(seconds=self.timeout)
            )
        return None

    def execute_complete(self, context: Context, event: Any = None) -> None:
        """The day has come."""

    def _next_moment(self, now: datetime) -> datetime:
        """When one of the days begins. That of a logical date never changes: then only the timeout ends the wait."""
        if self.use_task_logical_date or not self._week_day_num:
            return now + timedelta(seconds=self.timeout) + timedelta(days=1)
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        days = (midnight + timedelta(days=ahead) for ahead in range(1, 8))
        return next(day for day in days if day.isoweekday() in self._week_day_num)

    def poke(self, context: Context) -> bool:
        """Whether it is one of the days."""
        instant = logical_instant(context) if self.use_task_logical_date else timezone.utcnow()
        self.log.info("Waiting for %s; it is %s", self.week_day, WeekDay(instant.isoweekday()).name)
        return instant.isoweekday() in self._week_day_num
