"""DAGs: what there is, whether it is paused, who likes it."""

from typing import Annotated, Final

from fastapi import Depends, HTTPException, Response
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.encoded import encoded
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, listed
from tradewind.api.public.dag_filters import ChosenDags, DagFilter, within_reach
from tradewind.api.public.dag_schemas import (
    DAGCollectionResponse,
    DAGDetailsResponse,
    DAGPatchBody,
    DAGResponse,
)
from tradewind.api.public.shown_dags import ShownDags
from tradewind.api.services import Given
from tradewind.errors import UnknownDag
from tradewind.model.listing import Listed
from tradewind.operations.delete import delete_dag
from tradewind.operations.pause_dag import pause_dag, pause_dags
from tradewind.storage.interface import Transaction

operations = Operations("DAG")

_READ: Final = Need(Resource.DAG, Action.READ)
_EDIT: Final = Need(Resource.DAG, Action.EDIT)
_DELETE: Final = Need(Resource.DAG, Action.DELETE)

UpdateMask = Annotated[list[str] | None, Parameter()]


@operations.add("GET", "/dags", operation_id="get_dags", need=_READ)
def get_dags(
    services: Given,
    caller: Caller,
    asked: Annotated[DagFilter, Depends()],
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["dag_id"],  # noqa: B006 - never changed
) -> DAGCollectionResponse:
    """DAGs that the caller may see."""
    conditions = [within_reach(caller, _READ), *asked.of(caller)]
    shown = ShownDags(services.folders)

    def work(tx: Transaction) -> DAGCollectionResponse:
        page = listed(tx, Listed.DAGS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        values = {"dags": [shown.values(row) for row in page.rows], "total_entries": page.total}
        return encoded(DAGCollectionResponse, values)

    return services.store.read(work)


@operations.add("PATCH", "/dags", operation_id="patch_dags", need=_EDIT)
def patch_dags(
    body: DAGPatchBody,
    services: Given,
    caller: Caller,
    asked: Annotated[ChosenDags, Depends()],
    update_mask: UpdateMask = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> DAGCollectionResponse:
    """Pause or unpause many. Without a pattern for their ids, none is meant; `~` means all."""
    _refuse_other_fields(update_mask)
    if asked.dag_id_pattern is None and asked.dag_id_prefix_pattern is None:
        return DAGCollectionResponse(dags=[], total_entries=0)
    conditions = [within_reach(caller, _EDIT), *asked.conditions()]
    now, shown = services.clock.now(), ShownDags(services.folders)

    def work(tx: Transaction) -> DAGCollectionResponse:
        page = listed(tx, Listed.DAGS, conditions=conditions, limit=limit, offset=offset)
        pause_dags(tx, [str(row["dag_id"]) for row in page.rows], now, is_paused=body.is_paused)
        values = [{**shown.values(row), "is_paused": body.is_paused} for row in page.rows]
        return encoded(DAGCollectionResponse, {"dags": values, "total_entries": page.total})

    return services.store.transact(work)


@operations.add("GET", "/dags/{dag_id}", operation_id="get_dag", need=_READ)
def get_dag(dag_id: str, services: Given) -> DAGResponse:
    """One of them."""
    shown = ShownDags(services.folders)
    return services.store.read(lambda tx: shown.response(tx, dag_id))


@operations.add("PATCH", "/dags/{dag_id}", operation_id="patch_dag", need=_EDIT)
def patch_dag(dag_id: str, body: DAGPatchBody, services: Given, update_mask: UpdateMask = None) -> DAGResponse:
    """Pause or unpause one."""
    _refuse_other_fields(update_mask)
    now, shown = services.clock.now(), ShownDags(services.folders)

    def work(tx: Transaction) -> DAGResponse:
        pause_dag(tx, dag_id, now, is_paused=body.is_paused)
        return shown.response(tx, dag_id)

    return services.store.transact(work)


@operations.add("DELETE", "/dags/{dag_id}", operation_id="delete_dag", need=_DELETE)
def remove_dag(dag_id: str, services: Given) -> Response:
    """Delete one with its runs and its history. Where its file still has it, it comes back as a new one."""
    services.store.transact(lambda tx: delete_dag(tx, dag_id))
    # The document of Airflow says 200, its server 204.
    return Response(status_code=204)


@operations.add("GET", "/dags/{dag_id}/details", operation_id="get_dag_details", need=_READ)
def get_dag_details(dag_id: str, services: Given, caller: Caller) -> DAGDetailsResponse:
    """All about one."""
    shown = ShownDags(services.folders)
    return services.store.read(lambda tx: shown.details(tx, dag_id, services.structures, caller.name))


@operations.add("POST", "/dags/{dag_id}/favorite", operation_id="favorite_dag", need=_READ, status=204)
def favorite_dag(dag_id: str, services: Given, caller: Caller) -> None:
    """Make it a favorite of the caller, which it may be already."""

    def work(tx: Transaction) -> None:
        _require(tx, dag_id)
        tx.catalog.add_favorite(caller.name, dag_id)

    services.store.transact(work)


@operations.add("POST", "/dags/{dag_id}/unfavorite", operation_id="unfavorite_dag", need=_READ, status=204)
def unfavorite_dag(dag_id: str, services: Given, caller: Caller) -> None:
    """It is no favorite of the caller any more."""

    def work(tx: Transaction) -> None:
        _require(tx, dag_id)
        if not tx.catalog.remove_favorite(caller.name, dag_id):
            raise HTTPException(409, "Dag is not marked as favorite")

    services.store.transact(work)


def _require(tx: Transaction, dag_id: str) -> None:
    if tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)


def _refuse_other_fields(update_mask: list[str] | None) -> None:
    if update_mask and set(update_mask) != {"is_paused"}:
        raise HTTPException(400, "Only `is_paused` field can be updated through the REST API")
