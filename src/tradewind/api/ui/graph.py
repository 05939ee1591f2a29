"""What depends on what in a DAG, and around it."""

from typing import Annotated, Final, Literal

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource, dags_within_reach
from tradewind.api.encoded import encoded
from tradewind.api.operation import Caller, Operations
from tradewind.api.services import Given
from tradewind.api.ui.overview import GridRowResponse, row_values
from tradewind.model.states import TaskRole
from tradewind.operations.show_graph import show_graph

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)


class EdgeResponse(BaseModel):
    """That a task depends on another one."""

    source: str
    target: str
    label: str


class OutsideResponse(BaseModel):
    """Something that the DAG has to do with and that is no task of it."""

    node_id: str
    kind: Literal["asset", "alias", "dag", "schedule"]
    """`schedule`: the condition that assets have to meet."""
    label: str
    target: str | None
    """The id of the asset or the DAG. Null: it has no page."""


class OutsideEdgeResponse(BaseModel):
    """From a task to something outside, or the other way round, or between two such."""

    source: str
    target: str


class GraphResponse(BaseModel):
    """The tasks and groups of a DAG, and what depends on what."""

    rows: list[GridRowResponse]
    edges: list[EdgeResponse]
    roles: dict[str, TaskRole]
    """Of the tasks that prepare something or tidy up."""
    outside: list[OutsideResponse]
    outside_edges: list[OutsideEdgeResponse]


@operations.add("GET", "/graph/{dag_id}", operation_id="get_graph", need=_READ)
def get_graph(
    dag_id: str,
    services: Given,
    caller: Caller,
    version: Annotated[int | None, Parameter(description="Its number; the current one if left out.")] = None,
) -> GraphResponse:
    """Of a version of a DAG, with the assets and, as far as the caller may see them, the DAGs around it."""
    reach = dags_within_reach(caller, _READ)
    graph = services.store.read(lambda tx: show_graph(tx, dag_id, services.structures, version, reach))
    return encoded(
        GraphResponse,
        {
            "rows": list(map(row_values, graph.rows)),
            "edges": [{"source": source, "target": target, "label": label} for source, target, label in graph.edges],
            "roles": graph.roles,
            "outside": [each._asdict() for each in graph.outside],
            "outside_edges": [{"source": source, "target": target} for source, target in graph.outside_edges],
        },
    )
