"""What works about DAGs but will hurt."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed
from tradewind.api.public.dag_filters import within_reach
from tradewind.api.services import Given
from tradewind.model.listing import Condition, Listed, Row, Test
from tradewind.storage.interface import Transaction

operations = Operations("DagWarning")

_READ: Final = Need(Resource.DAG, Action.READ)


class DagWarningType(StrEnum):
    """The kinds that Airflow's clients know."""

    ASSET_CONFLICT = "asset conflict"
    NON_EXISTENT_POOL = "non-existent pool"
    RUNTIME_VARYING_VALUE = "runtime varying value"


_TYPES: Final[Mapping[str, DagWarningType]] = {"version_inflation": DagWarningType.RUNTIME_VARYING_VALUE}
"""By our words for them. What else we warn of has no word in Airflow, and its clients could not read it."""


class DAGWarningResponse(BaseModel):
    """A warning."""

    dag_id: str
    warning_type: DagWarningType
    message: str
    timestamp: datetime
    dag_display_name: str


class DAGWarningCollectionResponse(BaseModel):
    """A page of warnings."""

    dag_warnings: list[DAGWarningResponse]
    total_entries: int


@operations.add("GET", "/dagWarnings", operation_id="list_dag_warnings", need=_READ)
def list_dag_warnings(
    services: Given,
    caller: Caller,
    dag_id: str | None = None,
    warning_type: DagWarningType | None = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["dag_id"],  # noqa: B006 - never changed
) -> DAGWarningCollectionResponse:
    """Warnings about the DAGs that the caller may see."""
    kinds = tuple(ours for ours, theirs in _TYPES.items() if warning_type in (None, theirs))
    conditions = [
        within_reach(caller, _READ),
        is_("dag_id", dag_id),
        Condition("warning_type", Test.ONE_OF, kinds),
    ]

    def work(tx: Transaction) -> DAGWarningCollectionResponse:
        page = listed(tx, Listed.DAG_WARNINGS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        return DAGWarningCollectionResponse(
            dag_warnings=[_response(row) for row in page.rows], total_entries=page.total
        )

    return services.store.read(work)


def _response(row: Row) -> DAGWarningResponse:
    values: dict[str, Any] = dict(row)
    del values["warning_key"]
    return DAGWarningResponse(**{**values, "warning_type": _TYPES[values["warning_type"]]})
