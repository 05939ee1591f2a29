"""What people look for by name, wherever they are."""

from dataclasses import asdict
from typing import Annotated, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource, dags_within_reach
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import MOST_AT_ONCE
from tradewind.api.services import Given

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)


class FoundTaskResponse(BaseModel):
    """A task, or a group of tasks, of the current version of a DAG."""

    dag_id: str
    node_id: str
    label: str
    is_group: bool


class FoundTasksResponse(BaseModel):
    """The best first."""

    tasks: list[FoundTaskResponse]


@operations.add("GET", "/tasks", operation_id="search_tasks", need=_READ)
def search_tasks(
    services: Given,
    caller: Caller,
    text: Annotated[str, Parameter(min_length=1, max_length=250, description="Words; all of them have to fit.")],
    limit: Annotated[int, Parameter(ge=1, le=MOST_AT_ONCE)] = 10,
) -> FoundTasksResponse:
    """Tasks and groups by parts of their names, and of their DAGs' names, of the DAGs that the caller may see."""
    reach = dags_within_reach(caller, _READ)
    found = services.store.read(lambda tx: services.task_names.search(tx, text, reach, limit))
    return FoundTasksResponse(tasks=[FoundTaskResponse(**asdict(task)) for task in found])
