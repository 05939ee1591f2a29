"""Updates of assets that DAGs have not run for yet."""

from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import Depends
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Principal, Resource, may
from tradewind.api.operation import Caller, Operations
from tradewind.api.public.asset_schemas import QueuedEventCollectionResponse, QueuedEventResponse
from tradewind.api.public.assets import DELETE, READ
from tradewind.api.services import Given, Services
from tradewind.errors import InvalidRequest, NotFound
from tradewind.model.asset import AssetKey
from tradewind.model.listing import Condition, Listed, Query, Test
from tradewind.operations.deliver_events import hand_out_events
from tradewind.storage.interface import Transaction

operations = Operations("Asset")

_READ_OF_DAG: Final = Need(Resource.DAG, Action.READ)
_EDIT_OF_DAG: Final = Need(Resource.DAG, Action.EDIT)
_OF_ASSET: Final = "/assets/{asset_id}/queuedEvents"
_OF_DAG: Final = "/dags/{dag_id}/assets/queuedEvents"
_OF_BOTH: Final = "/dags/{dag_id}/assets/{asset_id}/queuedEvents"


def _instant(before: Annotated[str | None, Parameter()] = None) -> datetime | None:
    try:
        instant = datetime.fromisoformat(before) if before is not None else None
    except ValueError:
        raise InvalidRequest(f"before is {before!r}, which is no date such as 2026-01-31T00:00:00Z") from None
    return instant if instant is None or instant.tzinfo is not None else instant.replace(tzinfo=UTC)


_Before = Annotated[datetime | None, Depends(_instant)]


@operations.add("GET", _OF_ASSET, operation_id="get_asset_queued_events", need=READ)
def get_asset_queued_events(
    asset_id: int, services: Given, caller: Caller, before: _Before
) -> QueuedEventCollectionResponse:
    """Those of an asset, of the DAGs that the caller may see."""
    found = _queued(services, asset_id=asset_id, before=before)
    return _collection([event for event in found if may(caller, _READ_OF_DAG, event.dag_id)])


@operations.add("DELETE", _OF_ASSET, operation_id="delete_asset_queued_events", need=DELETE, status=204)
def delete_asset_queued_events(asset_id: int, services: Given, caller: Caller, before: _Before) -> None:
    """Forget those of an asset, of the DAGs that the caller may run."""

    _hand_out(services)

    def work(tx: Transaction) -> int:
        dag_ids = _dags_of(tx, asset_id, caller)
        return sum(tx.deliveries.drop(dag_id, AssetKey(asset_id), before) for dag_id in dag_ids)

    if not services.store.transact(work):
        raise NotFound(f"no update of the asset with the id {asset_id} waits for a run")


@operations.add("GET", _OF_DAG, operation_id="get_dag_asset_queued_events", need=_READ_OF_DAG)
def get_dag_asset_queued_events(dag_id: str, services: Given, before: _Before) -> QueuedEventCollectionResponse:
    """Those that a DAG has not run for."""
    return _collection(_queued(services, dag_id=dag_id, before=before))


@operations.add("DELETE", _OF_DAG, operation_id="delete_dag_asset_queued_events", need=_EDIT_OF_DAG, status=204)
def delete_dag_asset_queued_events(dag_id: str, services: Given, before: _Before) -> None:
    """Let a DAG not run for them."""
    _hand_out(services)
    if not services.store.transact(lambda tx: tx.deliveries.drop(dag_id, None, before)):
        raise NotFound(f"no update waits for a run of the DAG {dag_id!r}")


@operations.add("GET", _OF_BOTH, operation_id="get_dag_asset_queued_event", need=_READ_OF_DAG)
def get_dag_asset_queued_event(dag_id: str, asset_id: int, services: Given, before: _Before) -> QueuedEventResponse:
    """That of an asset that a DAG has not run for."""
    found = _queued(services, dag_id=dag_id, asset_id=asset_id, before=before)
    if not found:
        raise _no_such(dag_id, asset_id)
    return found[0]


@operations.add("DELETE", _OF_BOTH, operation_id="delete_dag_asset_queued_event", need=_EDIT_OF_DAG, status=204)
def delete_dag_asset_queued_event(dag_id: str, asset_id: int, services: Given, before: _Before) -> None:
    """Let a DAG not run for it."""
    _hand_out(services)
    if not services.store.transact(lambda tx: tx.deliveries.drop(dag_id, AssetKey(asset_id), before)):
        raise _no_such(dag_id, asset_id)


def _queued(
    services: Services, *, before: datetime | None, dag_id: str | None = None, asset_id: int | None = None
) -> list[QueuedEventResponse]:
    _hand_out(services)
    asked = (("dag_id", Test.IS, dag_id), ("asset_id", Test.IS, asset_id), ("created_at", Test.BELOW, before))
    conditions = tuple(Condition(*each) for each in asked if each[2] is not None)
    query = Query(conditions, is_counted=False)
    rows = services.store.read(lambda tx: tx.listings.page(Listed.QUEUED_EVENTS, query)).rows
    return [QueuedEventResponse.model_validate(row) for row in rows]


def _hand_out(services: Services) -> None:
    """What nobody has handed out yet waits as well. Schedulers do so within milliseconds, if there are any."""
    while services.store.read(lambda tx: tx.asset_events.is_any_new()):
        if not services.store.transact(hand_out_events):
            return  # somebody else is about to


def _collection(events: list[QueuedEventResponse]) -> QueuedEventCollectionResponse:
    return QueuedEventCollectionResponse(queued_events=events, total_entries=len(events))


def _dags_of(tx: Transaction, asset_id: int, caller: Principal) -> list[str]:
    waiting = tx.deliveries.waiting(asset_key=AssetKey(asset_id))
    return [each.dag_id for each in waiting if may(caller, _EDIT_OF_DAG, each.dag_id)]


def _no_such(dag_id: str, asset_id: int) -> NotFound:
    return NotFound(f"no update of the asset with the id {asset_id} waits for a run of the DAG {dag_id!r}")
