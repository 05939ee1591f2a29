"""Data intervals of runs by hand, where the timetable is of the author's own: only its code can say them.

The run is made at once and waits, queued, with a question; the timetable is asked where its DAG file is read.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from tradewind.model.ids import RunKey
from tradewind.model.timetable import DataInterval


class IntervalQuestion(NamedTuple):
    """What a run is about that somebody asked for at this moment."""

    run_key: RunKey
    dag_id: str
    moment: datetime


@dataclass(frozen=True, slots=True)
class IntervalAnswer:
    """What the timetable of a DAG says of runs by hand of one moment; without an interval, what went wrong."""

    dag_id: str
    moment: datetime
    interval: DataInterval | None = None
    error: str = ""
