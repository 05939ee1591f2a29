"""Versions of DAGs."""

from typing import Annotated, Final

from fastapi import HTTPException
from fastapi import Query as Parameter
from pydantic import BaseModel, WithJsonSchema

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed
from tradewind.api.public.dag_filters import within_reach
from tradewind.api.public.dag_version_schema import DagVersionResponse
from tradewind.api.public.shown_versions import version_response, version_row
from tradewind.api.services import Given
from tradewind.errors import UnknownDag
from tradewind.model.listing import Listed
from tradewind.storage.interface import Transaction

operations = Operations("DagVersion")

_READ: Final = Need(Resource.DAG, Action.READ)
_ANY: Final = "~"


class DAGVersionCollectionResponse(BaseModel):
    """A page of versions."""

    dag_versions: list[DagVersionResponse]
    total_entries: int


@operations.add("GET", "/dags/{dag_id}/dagVersions", operation_id="get_dag_versions", need=_READ)
def get_dag_versions(
    dag_id: str,
    services: Given,
    caller: Caller,
    limit: Limit = USUAL,
    offset: Offset = 0,
    version_number: Annotated[int | None, WithJsonSchema({"type": "integer"})] = None,
    bundle_name: Annotated[str | None, WithJsonSchema({"type": "string"})] = None,
    bundle_version: str | None = None,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
) -> DAGVersionCollectionResponse:
    """The versions of a DAG; `~` for those of all DAGs that the caller may see."""
    conditions = [
        within_reach(caller, _READ) if dag_id == _ANY else is_("dag_id", dag_id),
        is_("version_number", version_number),
        is_("bundle_name", bundle_name),
        is_("bundle_version", bundle_version),
    ]

    def work(tx: Transaction) -> DAGVersionCollectionResponse:
        if dag_id != _ANY and tx.dags.find(dag_id) is None:
            raise UnknownDag(dag_id)
        page = listed(tx, Listed.DAG_VERSIONS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        return DAGVersionCollectionResponse(
            dag_versions=[version_response(row) for row in page.rows], total_entries=page.total
        )

    return services.store.read(work)


@operations.add("GET", "/dags/{dag_id}/dagVersions/{version_number}", operation_id="get_dag_version", need=_READ)
def get_dag_version(dag_id: str, version_number: int, services: Given) -> DagVersionResponse:
    """One of them."""
    row = services.store.read(lambda tx: version_row(tx, dag_id, version_number))
    if row is None:
        raise HTTPException(
            404, f"The DagVersion with dag_id: `{dag_id}` and version_number: `{version_number}` was not found"
        )
    return version_response(row)
