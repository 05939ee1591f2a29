"""How runs and tasks of the last time ended, for the overview."""

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource, dags_within_reach
from tradewind.api.operation import Caller, Operations
from tradewind.api.services import Given
from tradewind.model.states import RunState, TaskState
from tradewind.storage.interface import Transaction

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)


class Period(StrEnum):
    """Until now."""

    HOUR = "1h"
    SIX_HOURS = "6h"
    TWELVE_HOURS = "12h"
    DAY = "24h"
    WEEK = "7d"


class _Spans(NamedTuple):
    number: int
    each: timedelta


# Of round lengths, so that spans begin with the hour or the quarter, and so many that a bar of each can be seen.
_SPANS: Final = {
    Period.HOUR: _Spans(12, timedelta(minutes=5)),
    Period.SIX_HOURS: _Spans(24, timedelta(minutes=15)),
    Period.TWELVE_HOURS: _Spans(24, timedelta(minutes=30)),
    Period.DAY: _Spans(24, timedelta(hours=1)),
    Period.WEEK: _Spans(28, timedelta(hours=6)),
}


class SpanResponse(BaseModel):
    """How many of the runs that ended within it ended how."""

    since: datetime
    ended: dict[RunState, int]


class RunHistoryResponse(BaseModel):
    """What ended within a period, the oldest span first, and what goes on."""

    span_seconds: int
    spans: list[SpanResponse]
    states: dict[RunState, int]
    """All that ended, and those that are queued and running now."""


class TaskHistoryResponse(BaseModel):
    """Task instances of the same runs."""

    states: dict[TaskState, int]


Asked = Annotated[Period, Parameter(description="Its first span begins at a round time.")]


@operations.add("GET", "/history/runs", operation_id="get_run_history", need=_READ)
def get_run_history(services: Given, caller: Caller, period: Asked = Period.DAY) -> RunHistoryResponse:
    """Of the DAGs that the caller may see."""
    reach, each = dags_within_reach(caller, _READ), _SPANS[period].each
    begins = _begins(period, services.clock.now())
    span_s = int(each.total_seconds())

    def work(tx: Transaction) -> RunHistoryResponse:
        ended: defaultdict[datetime, dict[RunState, int]] = defaultdict(dict)
        states = Counter(tx.overview.active_runs(reach))
        for at, state, number in tx.overview.ended_since(begins[0], span_s, reach):
            ended[at][state] = number
            states[state] += number
        spans = [SpanResponse(since=at, ended=ended[at]) for at in begins]
        return RunHistoryResponse(span_seconds=span_s, spans=spans, states=dict(states))

    return services.store.read(work)


@operations.add("GET", "/history/tasks", operation_id="get_task_history", need=_READ)
def get_task_history(services: Given, caller: Caller, period: Asked = Period.DAY) -> TaskHistoryResponse:
    """Of the same runs as those of `/ui/history/runs`, as they were half a minute ago at most: there may be many."""
    reach = dags_within_reach(caller, _READ)
    since = _begins(period, services.clock.now())[0]

    def count() -> dict[TaskState, int]:
        return services.store.read(lambda tx: tx.overview.task_counts(since, reach))

    key = (period, None if reach is None else frozenset(reach))
    return TaskHistoryResponse(states=services.task_counts.find(key, services.clock.monotonic(), count))


def _begins(period: Period, now: datetime) -> list[datetime]:
    """When its spans begin; the last of them goes on."""
    number, each = _SPANS[period]
    last = now - timedelta(seconds=now.timestamp() % each.total_seconds())
    return [last - each * before for before in range(number - 1, -1, -1)]
