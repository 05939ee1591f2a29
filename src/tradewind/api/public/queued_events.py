"""Updates of assets that DAGs have not run for yet.

Nothing waits as long as no DAG runs for updates: lists are empty, and what is asked for one by one is not there.
"""

from datetime import datetime
from typing import Annotated, Final

from fastapi import Depends
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.public.asset_schemas import QueuedEventCollectionResponse, QueuedEventResponse
from tradewind.api.public.assets import DELETE, READ
from tradewind.errors import InvalidRequest, NotFound

operations = Operations("Asset")

_READ_OF_DAG: Final = Need(Resource.DAG, Action.READ)
_EDIT_OF_DAG: Final = Need(Resource.DAG, Action.EDIT)
_OF_ASSET: Final = "/assets/{asset_id}/queuedEvents"
_OF_DAG: Final = "/dags/{dag_id}/assets/queuedEvents"
_OF_BOTH: Final = "/dags/{dag_id}/assets/{asset_id}/queuedEvents"


def _instant(before: Annotated[str | None, Parameter()] = None) -> None:
    try:
        _ = datetime.fromisoformat(before) if before is not None else None
    except ValueError:
        raise InvalidRequest(f"before is {before!r}, which is no date such as 2026-01-31T00:00:00Z") from None


_BEFORE: Final = (Depends(_instant),)


@operations.add("GET", _OF_ASSET, operation_id="get_asset_queued_events", need=READ, dependencies=_BEFORE)
def get_asset_queued_events(asset_id: int) -> QueuedEventCollectionResponse:  # noqa: ARG001 - part of the path
    """Those of an asset."""
    return QueuedEventCollectionResponse(queued_events=[], total_entries=0)


@operations.add(
    "DELETE", _OF_ASSET, operation_id="delete_asset_queued_events", need=DELETE, status=204, dependencies=_BEFORE
)
def delete_asset_queued_events(asset_id: int) -> None:
    """Forget those of an asset."""
    raise NotFound(f"no update of the asset with the id {asset_id} waits for a run")


@operations.add("GET", _OF_DAG, operation_id="get_dag_asset_queued_events", need=_READ_OF_DAG, dependencies=_BEFORE)
def get_dag_asset_queued_events(dag_id: str) -> QueuedEventCollectionResponse:  # noqa: ARG001 - part of the path
    """Those that a DAG has not run for."""
    return QueuedEventCollectionResponse(queued_events=[], total_entries=0)


@operations.add(
    "DELETE",
    _OF_DAG,
    operation_id="delete_dag_asset_queued_events",
    need=_EDIT_OF_DAG,
    status=204,
    dependencies=_BEFORE,
)
def delete_dag_asset_queued_events(dag_id: str) -> None:
    """Let a DAG not run for them."""
    raise NotFound(f"no update waits for a run of the DAG {dag_id!r}")


@operations.add("GET", _OF_BOTH, operation_id="get_dag_asset_queued_event", need=_READ_OF_DAG, dependencies=_BEFORE)
def get_dag_asset_queued_event(dag_id: str, asset_id: int) -> QueuedEventResponse:
    """That of an asset that a DAG has not run for."""
    raise _no_such(dag_id, asset_id)


@operations.add(
    "DELETE",
    _OF_BOTH,
    operation_id="delete_dag_asset_queued_event",
    need=_EDIT_OF_DAG,
    status=204,
    dependencies=_BEFORE,
)
def delete_dag_asset_queued_event(dag_id: str, asset_id: int) -> None:
    """Let a DAG not run for it."""
    raise _no_such(dag_id, asset_id)


def _no_such(dag_id: str, asset_id: int) -> NotFound:
    return NotFound(f"no update of the asset with the id {asset_id} waits for a run of the DAG {dag_id!r}")
