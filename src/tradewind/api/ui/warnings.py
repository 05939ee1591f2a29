"""What works about DAGs but will hurt: all of it. (`/api/v2/dagWarnings` has the kinds that Airflow's clients know.)"""

from datetime import datetime
from typing import Annotated, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed
from tradewind.api.public.dag_filters import within_reach
from tradewind.api.services import Given
from tradewind.model.listing import Listed

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)


class WarningResponse(BaseModel):
    """A warning about a DAG, or about the file that it is in."""

    dag_id: str
    dag_display_name: str
    kind: str
    message: str
    timestamp: datetime


class WarningCollectionResponse(BaseModel):
    """A page of warnings."""

    warnings: list[WarningResponse]
    total_entries: int


@operations.add("GET", "/warnings", operation_id="list_warnings", need=_READ)
def list_warnings(
    services: Given,
    caller: Caller,
    dag_id: str | None = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["dag_id"],  # noqa: B006 - never changed
) -> WarningCollectionResponse:
    """Of all kinds, about the DAGs that the caller may see."""
    conditions = [within_reach(caller, _READ), is_("dag_id", dag_id)]
    page = services.store.read(
        lambda tx: listed(tx, Listed.DAG_WARNINGS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
    )
    rows = [WarningResponse.model_validate({**row, "kind": row["warning_type"]}) for row in page.rows]
    return WarningCollectionResponse(warnings=rows, total_entries=page.total)
