"""Data intervals and partition dates of runs by hand, where the timetable is of the author's own: only its code can say
them.

The run is made at once and waits, queued, with a question; the timetable is asked where its DAG file is read.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from tradewind.model.ids import RunKey
from tradewind.model.timetable import DataInterval


class AskedRun(NamedTuple):
    """What the timetable has to know of a run that somebody asked for."""

    moment: datetime
    """The logical date of the run; of one without, when it may begin."""
    is_dated: bool = True
    """Whether it has a logical date, and so an interval."""
    partition_key: str | None = None
    """Of which the date is wanted."""


class IntervalQuestion(NamedTuple):
    """What a run is about that somebody asked for."""

    run_key: RunKey
    dag_id: str
    about: AskedRun


@dataclass(frozen=True, slots=True)
class IntervalAnswer:
    """What the timetable of a DAG says of such runs by hand, or what went wrong."""

    dag_id: str
    about: AskedRun
    interval: DataInterval | None = None
    partition_date: datetime | None = None
    error: str = ""
