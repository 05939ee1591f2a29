"""What the overview and the list of DAGs show besides lists: failures of the last time, and favorites."""

from datetime import datetime
from typing import Annotated, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource, dags_within_reach
from tradewind.api.moment import Moment
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import MOST_AT_ONCE
from tradewind.api.services import Given

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)


class FailedRunsResponse(BaseModel):
    """How many runs of a DAG have failed, and which of them last."""

    dag_id: str
    number: int
    last_run_id: str
    last_at: datetime


class FailuresResponse(BaseModel):
    """By DAG, the one with the latest failure first: those DAGs that were asked for, and how many there are."""

    dags: list[FailedRunsResponse]
    total_dags: int
    total_runs: int


class DagChoicesResponse(BaseModel):
    """What DAGs may be chosen by."""

    owners: list[str]
    bundles: list[str]


class FavoritesResponse(BaseModel):
    """The DAGs that the caller likes."""

    dag_ids: list[str]


@operations.add("GET", "/failures", operation_id="get_failures", need=_READ)
def get_failures(
    services: Given,
    caller: Caller,
    since: Annotated[Moment, Parameter(description="Runs that ended then or later.")],
    most: Annotated[int, Parameter(ge=0, le=MOST_AT_ONCE, description="DAGs.")] = 10,
) -> FailuresResponse:
    """Runs that have failed, of the DAGs that the caller may see."""
    reach = dags_within_reach(caller, _READ)
    found = services.store.read(lambda tx: tx.overview.failed_since(since, reach))
    return FailuresResponse(
        dags=[FailedRunsResponse(**each._asdict()) for each in found[:most]],
        total_dags=len(found),
        total_runs=sum(each.number for each in found),
    )


@operations.add("GET", "/dag_choices", operation_id="get_dag_choices", need=_READ)
def get_dag_choices(services: Given, caller: Caller) -> DagChoicesResponse:
    """Of the DAGs that the caller may see."""
    reach = dags_within_reach(caller, _READ)
    found = services.store.read(lambda tx: tx.catalog.choices(reach))
    return DagChoicesResponse(owners=found.owners, bundles=found.bundles)


@operations.add("GET", "/favorites", operation_id="get_favorites", need=_READ)
def get_favorites(services: Given, caller: Caller) -> FavoritesResponse:
    """Those of the caller, as far as they may see them."""
    reach = dags_within_reach(caller, _READ)
    found = services.store.read(lambda tx: tx.catalog.favorites(caller.name))
    return FavoritesResponse(dag_ids=[dag_id for dag_id in found if reach is None or dag_id in reach])
