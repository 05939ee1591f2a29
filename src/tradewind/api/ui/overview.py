"""What the pages show of many runs at once: bars in the list of DAGs, and the grid of one."""

from collections import Counter
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Depends
from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource, dags_within_reach
from tradewind.api.encoded import encoded
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import Texts
from tradewind.api.services import Given
from tradewind.errors import InvalidRequest
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.operations.show_grid import Grid, GridRow, Kept, Wanted, show_grid
from tradewind.storage.interface.overview_store import Place, RunAtAGlance, RunFilter, TaskStates

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)
_MOST_RUNS: Final = 365
_MOST_BARS: Final = 50
_NO_TASKS: Final = TaskStates([], [])


class RunAtAGlanceResponse(BaseModel):
    """A run as a bar."""

    run_id: str
    run_type: str
    state: RunState
    run_after: datetime
    start_date: datetime | None
    end_date: datetime | None


class LatestRunsResponse(BaseModel):
    """By DAG: its newest runs, the newest last."""

    dags: dict[str, list[RunAtAGlanceResponse]]


class GridRowResponse(BaseModel):
    """A task or a group of tasks. Members follow their group, which is their `parent_id`."""

    node_id: str
    label: str
    parent_id: str | None
    is_group: bool
    is_mapped: bool
    operator: str | None


class GridRunResponse(RunAtAGlanceResponse):
    """A column."""

    version: int
    """The number of the DAG's version that it began with."""
    states: dict[TaskState, list[int]]
    """Which rows have which state, by their numbers: those that have a single one."""
    mixed: dict[int, dict[TaskState, int]]
    """By row, where its copies differ: how many have which state."""


class GridResponse(BaseModel):
    """The tasks and groups of a DAG downwards, its runs across, the newest last."""

    layout: int | None
    """The same for as long as the tasks and groups of the DAG are."""
    is_whole: bool
    """False: without rows, and only with those runs that were named as changed."""
    rows: list[GridRowResponse]
    run_ids: list[str]
    """Of all runs that are shown."""
    runs: list[GridRunResponse]
    has_newer: bool
    newer: str | None
    """What `before` has to be for the next newer page. Null, though there is one: left out."""
    older: str | None
    """Likewise. Null: there is none."""


@operations.add("GET", "/latest_runs", operation_id="get_latest_runs", need=_READ)
def get_latest_runs(
    services: Given,
    caller: Caller,
    dag_ids: Texts,
    most: Annotated[int, Parameter(ge=1, le=_MOST_BARS, description="Of each DAG.")] = 14,
) -> LatestRunsResponse:
    """Of these DAGs, as far as the caller may see them."""
    reach = dags_within_reach(caller, _READ)
    wanted = set(dag_ids) if reach is None else set(dag_ids) & reach
    found = services.store.read(lambda tx: tx.overview.latest_runs(wanted, most))
    return encoded(LatestRunsResponse, {"dags": {dag_id: list(map(_bar, runs)) for dag_id, runs in found.items()}})


def _wanted_runs(
    state: RunState | None = None,
    run_type: RunType | None = None,
    triggered_by: Annotated[str | None, Parameter(description="A part of the name of who asked for it.")] = None,
    run_after_gte: datetime | None = None,
    run_after_lt: datetime | None = None,
) -> RunFilter:
    return RunFilter(state, run_type, triggered_by or None, run_after_gte, run_after_lt)


@operations.add("GET", "/grid/{dag_id}", operation_id="get_grid", need=_READ)
def get_grid(
    dag_id: str,
    services: Given,
    changed: Texts,
    only: Annotated[RunFilter, Depends(_wanted_runs)],
    most: Annotated[int, Parameter(ge=1, le=_MOST_RUNS, description="Runs.")] = 30,
    before: Annotated[str | None, Parameter(description="Of an answer: `older` or `newer`.")] = None,
    layout: Annotated[int | None, Parameter(description="That of an answer which the caller has.")] = None,
) -> GridResponse:
    """The states of all tasks in the newest runs of a DAG.

    Who has an answer names its `layout`, and the runs that changed since then, and is told those alone; or everything,
    if the tasks are others by now.
    """
    kept = None if layout is None else Kept(layout, set(changed))
    wanted = Wanted(most, _place(before), only)
    grid = services.store.read(lambda tx: show_grid(tx, dag_id, services.structures, wanted, kept))
    number_of = {row.node_id: number for number, row in enumerate(grid.rows) if not row.is_group}
    return encoded(
        GridResponse,
        {
            "layout": grid.layout,
            "is_whole": grid.is_whole,
            "rows": list(map(row_values, grid.rows)) if grid.is_whole else [],
            "run_ids": grid.run_ids,
            "runs": [_column(grid, run, number_of) for run in grid.runs],
            "has_newer": grid.pages.has_newer,
            "newer": _place_text(grid.pages.newer),
            "older": _place_text(grid.pages.older),
        },
    )


def _bar(run: RunAtAGlance) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "run_type": run.run_type,
        "state": run.state,
        "run_after": run.run_after,
        "start_date": run.started_at,
        "end_date": run.finished_at,
    }


def _place(text: str | None) -> Place | None:
    if text is None:
        return None
    at, _, key = text.rpartition("~")
    try:
        ordering_at = datetime.fromisoformat(at)
        place = Place(ordering_at, int(key))
    except ValueError:
        place = None
    if place is None or place.ordering_at.tzinfo is None:
        raise InvalidRequest(f"before={text!r} is no place in the order of runs: take `older` or `newer` of an answer")
    return place


def _place_text(place: Place | None) -> str | None:
    return None if place is None else f"{place.ordering_at.isoformat()}~{place.run_key}"


def row_values(row: GridRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in GridRowResponse.model_fields}


def _column(grid: Grid, run: RunAtAGlance, number_of: dict[str, int]) -> dict[str, Any]:
    states, mixed = _cells(grid.states.get(run.run_key, _NO_TASKS), number_of)
    return {
        **_bar(run),
        "version": grid.version_numbers[run.version_key],
        "states": states,
        "mixed": mixed,
    }


def _cells(
    tasks: TaskStates, number_of: dict[str, int]
) -> tuple[dict[TaskState, list[int]], dict[str, dict[TaskState, int]]]:
    """Which rows have which state; and those whose copies differ, with how many have which."""
    copies = Counter(tasks.task_ids) if len(set(tasks.task_ids)) < len(tasks.task_ids) else {}
    states: dict[TaskState, list[int]] = {}
    counts: dict[int, dict[TaskState, int]] = {}
    for task_id, state in zip(tasks.task_ids, tasks.states, strict=True):
        number = number_of[task_id]
        if copies.get(task_id, 1) == 1:
            states.setdefault(state, []).append(number)
        else:
            of_row = counts.setdefault(number, {})
            of_row[state] = of_row.get(state, 0) + 1
    for number, of_row in counts.items():
        if len(of_row) == 1:
            states.setdefault(next(iter(of_row)), []).append(number)
    return states, {str(number): of_row for number, of_row in counts.items() if len(of_row) > 1}
