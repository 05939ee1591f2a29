"""What the pages show of the inside of runs: attempts in time, tasks of several runs, runs of a year."""

from datetime import date, datetime
from typing import Annotated, Any, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.encoded import encoded
from tradewind.api.operation import Operations
from tradewind.api.paging import Texts
from tradewind.api.services import Given
from tradewind.model.states import RunState, TaskState
from tradewind.operations.show_runs import (
    Calendar,
    Span,
    find_task_doc,
    members_now,
    show_attempts,
    show_calendar,
    show_coming,
    summarize_tasks,
)
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.run_view_store import AttemptInTime, TaskSummary

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)
_MOST_RUNS: Final = 50


class AttemptInTimeResponse(BaseModel):
    """When what happened to an attempt of a task instance."""

    task_id: str
    map_index: int
    attempt: int
    """0: there was none yet."""
    try_number: int
    state: TaskState
    scheduled_at: datetime | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    waited_since: datetime | None
    """When it last left its worker to wait. What is scheduled and queued after that is its return."""


class GanttResponse(BaseModel):
    """A run in time. Attempts by task, copy and number."""

    run_id: str
    state: RunState
    queued_at: datetime | None
    start_date: datetime | None
    end_date: datetime | None
    attempts: list[AttemptInTimeResponse]


class TaskSummaryResponse(BaseModel):
    """All copies of a task in a run."""

    task_id: str
    states: dict[TaskState, int]
    """How many have which state."""
    start_date: datetime | None
    """Of the first."""
    end_date: datetime | None
    """Of the last that has ended."""
    try_number: int
    """The highest."""


class RunTasksResponse(BaseModel):
    """A run and its tasks, in no order."""

    run_id: str
    tasks: list[TaskSummaryResponse]


class TaskSummariesResponse(BaseModel):
    """Those asked for in their order, or the newest, which come last."""

    runs: list[RunTasksResponse]


class CalendarResponse(BaseModel):
    """By day (`2026-01-31`) or hour (`2026-01-31T05`) of the zone, those that have runs: how many in which state."""

    spans: dict[str, dict[RunState, int]]


class TaskDocResponse(BaseModel):
    """Documentation of a task."""

    doc_md: str | None
    """Null: there is none, or the version has no such task."""


class ComingResponse(BaseModel):
    """By day or hour of the zone, those that have runs: how many are to come."""

    spans: dict[str, int]
    until: datetime | None
    """Later runs were not looked for, where there are thousands. Null: all are here."""


@operations.add("GET", "/gantt/{dag_id}/{dag_run_id}", operation_id="get_gantt", need=_READ)
def get_gantt(dag_id: str, dag_run_id: str, services: Given) -> GanttResponse:
    """When what happened to the tasks of a run."""
    found = services.store.read(lambda tx: show_attempts(tx, dag_id, dag_run_id))
    run = found.run
    return encoded(
        GanttResponse,
        {
            "run_id": run.run_id,
            "state": run.state,
            "queued_at": run.queued_at,
            "start_date": run.started_at,
            "end_date": run.finished_at,
            "attempts": [AttemptInTime._asdict(each) for each in found.attempts],
        },
    )


@operations.add("GET", "/task_summaries/{dag_id}", operation_id="get_task_summaries", need=_READ)
def get_task_summaries(
    dag_id: str,
    services: Given,
    run_ids: Texts,
    task_ids: Texts,
    most: Annotated[int, Parameter(ge=1, le=_MOST_RUNS, description="Runs, where none is named.")] = 10,
    group_id: Annotated[str | None, Parameter(description="Only tasks within it, at whatever depth.")] = None,
) -> TaskSummariesResponse:
    """How the tasks of a few runs did, or some of them: for comparisons and charts."""

    def work(tx: Transaction) -> dict[str, list[TaskSummary]]:
        members = [] if group_id is None else members_now(tx, dag_id, group_id, services.structures)
        wanted = [*task_ids, *members] if task_ids or group_id is not None else None
        return summarize_tasks(tx, dag_id, run_ids[:_MOST_RUNS], most, wanted)

    found = services.store.read(work)
    runs = [{"run_id": run_id, "tasks": _tasks(summaries)} for run_id, summaries in found.items()]
    return encoded(TaskSummariesResponse, {"runs": runs})


@operations.add("GET", "/task_doc/{dag_id}/{dag_run_id}/{task_id}", operation_id="get_task_doc", need=_READ)
def get_task_doc(dag_id: str, dag_run_id: str, task_id: str, services: Given) -> TaskDocResponse:
    """What the author wrote about a task, in the version that the run began with."""
    doc = services.store.read(lambda tx: find_task_doc(tx, dag_id, dag_run_id, task_id, services.structures))
    return TaskDocResponse(doc_md=doc)


_Day = Annotated[date, Parameter(description="Day, in the zone.")]


@operations.add("GET", "/calendar/{dag_id}", operation_id="get_calendar", need=_READ)
def get_calendar(
    dag_id: str, services: Given, first: _Day, last: _Day, zone: str = "UTC", by: Span = Span.DAY
) -> CalendarResponse:
    """How many runs of a DAG have which state, by when they were to begin."""
    calendar = Calendar(first, last, zone, by)
    return encoded(CalendarResponse, {"spans": services.store.read(lambda tx: show_calendar(tx, dag_id, calendar))})


@operations.add("GET", "/calendar/{dag_id}/coming", operation_id="get_coming_runs", need=_READ)
def get_coming_runs(
    dag_id: str, services: Given, first: _Day, last: _Day, zone: str = "UTC", by: Span = Span.DAY
) -> ComingResponse:
    """How many runs of a DAG its schedule will ask for, by when they are due."""
    calendar, now = Calendar(first, last, zone, by), services.clock.now()
    coming = services.store.read(lambda tx: show_coming(tx, dag_id, calendar, services.structures, now))
    return encoded(ComingResponse, {"spans": coming.spans, "until": coming.until})


def _tasks(summaries: list[TaskSummary]) -> list[dict[str, Any]]:
    tasks: dict[str, dict[str, Any]] = {}
    for each in summaries:
        task = tasks.setdefault(
            each.task_id,
            {"task_id": each.task_id, "states": {}, "start_date": None, "end_date": None, "try_number": 0},
        )
        task["states"][each.state] = each.number
        task["start_date"] = min(filter(None, (task["start_date"], each.started_at)), default=None)
        task["end_date"] = max(filter(None, (task["end_date"], each.finished_at)), default=None)
        task["try_number"] = max(task["try_number"], each.try_number)
    return list(tasks.values())
