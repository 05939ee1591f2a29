"""What the schedule of a DAG tells about trouble to come."""

from collections.abc import Iterator
from typing import Final

from tradewind.dag_processor.protocol import Notice
from tradewind.model.dag import Dag
from tradewind.model.timetable import (
    CronDataInterval,
    CronPartition,
    CronTrigger,
    MultipleCronTrigger,
    Timetable,
    by_time,
)

CRON_SECONDS: Final = "cron_seconds"


def check_schedule(dag: Dag) -> Iterator[Notice]:
    """What may be meant otherwise than it is read."""
    for expression in _expressions(dag.timetable):
        meant = _with_seconds_last(expression)
        if meant is not None:
            message = (
                f"the cron expression {expression!r} has six fields, of which the first is the minute and the last the"
                f" second, as in Airflow; if the first was meant to be the second, write {meant!r}"
            )
            yield Notice(CRON_SECONDS, message, None, dag.dag_id)


def _expressions(timetable: Timetable) -> tuple[str, ...]:
    match by_time(timetable):
        case CronTrigger(expression) | CronDataInterval(expression) | CronPartition(expression):
            return (expression,)
        case MultipleCronTrigger(expressions):
            return expressions
        case _:
            return ()


def _with_seconds_last(expression: str) -> str | None:
    """What an author may have meant who has put the seconds first, as Quartz and Spring have them.

    Each second of a minute is what nearly nobody wants, unless it is each second of all; and where the first field is a
    plain 0, as it mostly is there, a last one that is no plain number is rather days of the week.
    """
    fields = expression.split()
    if len(fields) != 6:
        return None
    first, *others, last = fields
    each_second = last == "*" and any(field != "*" for field in fields)
    weekdays = first == "0" and not last.isdigit()
    return " ".join((*others, last, first)) if each_second or weekdays else None
