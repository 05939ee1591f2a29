"""The tags of DAGs."""

from typing import Annotated, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, listed, matches, starts_with
from tradewind.api.public.dag_filters import within_reach
from tradewind.api.services import Given
from tradewind.model.listing import Listed
from tradewind.storage.interface import Transaction

operations = Operations("DAG")

_READ: Final = Need(Resource.DAG, Action.READ)


class DAGTagCollectionResponse(BaseModel):
    """A page of tags."""

    tags: list[str]
    total_entries: int


@operations.add("GET", "/dagTags", operation_id="get_dag_tags", need=_READ)
def get_dag_tags(
    services: Given,
    caller: Caller,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["name"],  # noqa: B006 - never changed
    tag_name_pattern: str | None = None,
    tag_name_prefix_pattern: str | None = None,
) -> DAGTagCollectionResponse:
    """The tags of the DAGs that the caller may see, each once."""
    conditions = [
        within_reach(caller, _READ),
        matches("name", tag_name_pattern),
        starts_with("name", tag_name_prefix_pattern),
    ]

    def work(tx: Transaction) -> DAGTagCollectionResponse:
        page = listed(tx, Listed.DAG_TAGS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        return DAGTagCollectionResponse(tags=[str(row["name"]) for row in page.rows], total_entries=page.total)

    return services.store.read(work)
