"""Branching by the time."""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from tradewind.sdk import timezone
from tradewind.sdk.branch import BaseBranchOperator
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.standard.weekday import logical_instant


class BranchDateTimeOperator(BaseBranchOperator):
    """Follow one branch between two instants, or two times of day, and another outside of them.

    Bounds without a time zone are in that of the DAG.
    """

    def __init__(
        self,
        *,
        follow_task_ids_if_true: str | Iterable[str],
        follow_task_ids_if_false: str | Iterable[str],
        target_lower: datetime | time | None,
        target_upper: datetime | time | None,
        use_task_logical_date: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if target_lower is None and target_upper is None:
            raise AirflowException(f"task {self.task_id!r} needs target_lower, target_upper or both; both are None")
        self.target_lower = target_lower
        self.target_upper = target_upper
        self.follow_task_ids_if_true = follow_task_ids_if_true
        self.follow_task_ids_if_false = follow_task_ids_if_false
        self.use_task_logical_date = use_task_logical_date

    def choose_branch(self, context: Context) -> str | Iterable[str]:
        """The branch for now, or for the logical date."""
        zone = UTC if self.dag is None else self.dag.timezone
        now = logical_instant(context) if self.use_task_logical_date else timezone.utcnow()
        # The day there: with that of UTC, as in Airflow, times of day would be off by one for a part of each day.
        lower, upper = target_times_as_dates(now.astimezone(zone), self.target_lower, self.target_upper)
        lower = timezone.coerce_datetime(lower, zone)
        upper = timezone.coerce_datetime(upper, zone)
        within = (lower is None or lower <= now) and (upper is None or now <= upper)
        return self.follow_task_ids_if_true if within else self.follow_task_ids_if_false


def target_times_as_dates(
    base_date: datetime, lower: datetime | time | None, upper: datetime | time | None
) -> tuple[datetime | None, datetime | None]:
    """Times of day become instants on the day of `base_date`; an upper one before the lower one is on the next."""
    first = datetime.combine(base_date, lower) if isinstance(lower, time) else lower
    last = datetime.combine(base_date, upper) if isinstance(upper, time) else upper
    both_instants = isinstance(lower, datetime) and isinstance(upper, datetime)
    if first is not None and last is not None and not both_instants and last < first:
        last += timedelta(days=1)
    return first, last
