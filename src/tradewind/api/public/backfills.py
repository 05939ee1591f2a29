"""Backfills: ask for one, watch it, pause it, call it off."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final, TypeVar

import msgspec
from fastapi import HTTPException
from fastapi import Path as PathParameter
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Principal, Resource, may
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed
from tradewind.api.public.backfill_schemas import (
    BackfillCollectionResponse,
    BackfillPostBody,
    BackfillProgressResponse,
    BackfillResponse,
    DryRunBackfillCollectionResponse,
    DryRunBackfillResponse,
)
from tradewind.api.services import Given, Services
from tradewind.errors import InvalidRequest, RunTypeRefused, UnknownBackfill
from tradewind.model.backfill import Backfill, BackfillPlan
from tradewind.model.ids import BackfillKey
from tradewind.model.listing import Listed, Row
from tradewind.operations import manage_backfills
from tradewind.operations.plan_backfill import BackfillRequest, plan_backfill, runs_to_make
from tradewind.operations.start_backfill import start_backfill
from tradewind.storage.interface import Transaction

operations = Operations("Backfill")

# Whoever may read or change the runs of a DAG may do so with its backfills, as in Airflow.
_READ: Final = Need(Resource.DAG, Action.READ)
_EDIT: Final = Need(Resource.DAG, Action.EDIT)
_LARGEST_KEY: Final = 2**63 - 1
_BACKFILL: Final = "/backfills/{backfill_id}"

T = TypeVar("T")
BackfillId = Annotated[int, PathParameter(ge=0)]


@operations.add("GET", "/backfills", operation_id="list_backfills", need=_READ)
def list_backfills(
    dag_id: str,
    services: Given,
    caller: Caller,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
) -> BackfillCollectionResponse:
    """Those of a DAG."""
    _refuse_strangers(caller, _READ, dag_id)

    def work(tx: Transaction) -> BackfillCollectionResponse:
        page = listed(
            tx,
            Listed.BACKFILLS,
            conditions=[is_("dag_id", dag_id)],
            order_by=order_by,
            limit=limit,
            offset=offset,
        )
        return BackfillCollectionResponse(backfills=[_response(row) for row in page.rows], total_entries=page.total)

    return services.store.read(work)


@operations.add("POST", "/backfills", operation_id="create_backfill", need=_EDIT)
def create_backfill(body: BackfillPostBody, services: Given, caller: Caller) -> BackfillResponse:
    """Ask for one. Its first runs are there at once; the scheduler makes the others."""
    _refuse_strangers(caller, _EDIT, body.dag_id)
    plan = services.store.read(lambda tx: _planned(tx, services, body, caller.name))

    def work(tx: Transaction) -> BackfillResponse:
        return _shown(tx, start_backfill(tx, plan, services.structures, services.clock.now()).key)

    return _unprocessable(lambda: services.store.transact(work))


@operations.add("POST", "/backfills/dry_run", operation_id="create_backfill_dry_run", need=_EDIT)
def create_backfill_dry_run(
    body: BackfillPostBody, services: Given, caller: Caller
) -> DryRunBackfillCollectionResponse:
    """The runs that a backfill would make or let start over."""
    _refuse_strangers(caller, _EDIT, body.dag_id)

    def work(tx: Transaction) -> list[DryRunBackfillResponse]:
        plan = _planned(tx, services, body, caller.name)
        return [
            DryRunBackfillResponse(
                logical_date=each.logical_date, partition_key=each.partition_key, partition_date=each.partition_date
            )
            for each in runs_to_make(tx, plan, services.structures)
        ]

    found = services.store.read(work)
    return DryRunBackfillCollectionResponse(backfills=found, total_entries=len(found))


@operations.add("GET", _BACKFILL, operation_id="get_backfill", need=_READ)
def get_backfill(backfill_id: BackfillId, services: Given, caller: Caller) -> BackfillResponse:
    """One of them."""
    return services.store.read(lambda tx: _shown(tx, _of_caller(tx, backfill_id, caller, _READ).key))


@operations.add("GET", f"{_BACKFILL}/progress", operation_id="get_backfill_progress", need=_READ)
def get_backfill_progress(backfill_id: BackfillId, services: Given, caller: Caller) -> BackfillProgressResponse:
    """How far along it is, and about how long it still takes. Airflow has nothing like it."""

    def work(tx: Transaction) -> BackfillProgressResponse:
        backfill = _of_caller(tx, backfill_id, caller, _READ)
        found = manage_backfills.progress_of(tx, backfill)
        return BackfillProgressResponse(
            id=backfill.key,
            total=found.total,
            ended=found.ended,
            passed_over=found.passed_over,
            to_come=found.to_come,
            queued=found.runs.queued,
            running=found.runs.running,
            succeeded=found.runs.succeeded,
            failed=found.runs.failed,
            is_complete=backfill.is_complete,
            remaining_seconds=None if found.remaining is None else found.remaining.total_seconds(),
        )

    return services.store.read(work)


@operations.add("PUT", f"{_BACKFILL}/pause", operation_id="pause_backfill", need=_EDIT)
def pause_backfill(backfill_id: BackfillId, services: Given, caller: Caller) -> BackfillResponse:
    """Let it make and start no further run. What runs goes on."""
    pause = partial(manage_backfills.pause_backfill, is_paused=True)
    return _changed(services, backfill_id, caller, pause)


@operations.add("PUT", f"{_BACKFILL}/unpause", operation_id="unpause_backfill", need=_EDIT)
def unpause_backfill(backfill_id: BackfillId, services: Given, caller: Caller) -> BackfillResponse:
    """Let it go on."""
    unpause = partial(manage_backfills.pause_backfill, is_paused=False)
    return _changed(services, backfill_id, caller, unpause)


@operations.add("PUT", f"{_BACKFILL}/cancel", operation_id="cancel_backfill", need=_EDIT)
def cancel_backfill(backfill_id: BackfillId, services: Given, caller: Caller) -> BackfillResponse:
    """Make no further runs, and fail those that have not begun. What runs goes on."""
    cancel = partial(manage_backfills.cancel_backfill, structures=services.structures)
    return _changed(services, backfill_id, caller, cancel)


def _planned(tx: Transaction, services: Services, body: BackfillPostBody, user: str) -> BackfillPlan:
    request = BackfillRequest(
        body.dag_id,
        body.from_date,
        body.to_date,
        run_backwards=body.run_backwards,
        conf=body.dag_run_conf,
        reprocess_behavior=body.reprocess_behavior,
        max_active_runs=body.max_active_runs,
        run_on_latest_version=body.run_on_latest_version,
        triggering_user_name=user,
    )
    return _unprocessable(lambda: plan_backfill(tx, request, services.structures, services.clock.now()))


def _unprocessable(work: Callable[[], T]) -> T:
    """Refuse with the status that clients of Airflow expect for a request that its DAG does not allow."""
    try:
        return work()
    except RunTypeRefused:
        raise
    except InvalidRequest as error:
        raise HTTPException(422, str(error)) from error


def _changed(
    services: Services, backfill_id: int, caller: Principal, change: Callable[..., object]
) -> BackfillResponse:
    def work(tx: Transaction) -> BackfillResponse:
        key = _of_caller(tx, backfill_id, caller, _EDIT).key
        change(tx, key, now=services.clock.now())
        return _shown(tx, key)

    return services.store.transact(work)


def _refuse_strangers(caller: Principal, need: Need, dag_id: str) -> None:
    if not may(caller, need, dag_id):
        raise HTTPException(403, "Forbidden")


def _of_caller(tx: Transaction, backfill_id: int, caller: Principal, need: Need) -> Backfill:
    """The backfill. Of a DAG that the caller has no right to, there is none."""
    if backfill_id > _LARGEST_KEY:
        raise UnknownBackfill(backfill_id)
    backfill = manage_backfills.find_backfill(tx, BackfillKey(backfill_id))
    if not may(caller, need, backfill.dag_id):
        raise UnknownBackfill(backfill_id)
    return backfill


def _shown(tx: Transaction, key: BackfillKey) -> BackfillResponse:
    rows = listed(tx, Listed.BACKFILLS, conditions=[is_("id", key)]).rows
    if not rows:
        raise UnknownBackfill(key)
    return _response(rows[0])


def _response(row: Row) -> BackfillResponse:
    values: Any = row
    conf = msgspec.json.decode(values["dag_run_conf"]) if values["dag_run_conf"] else None
    name = values["dag_display_name"] or values["dag_id"]
    return BackfillResponse.model_validate({**row, "dag_run_conf": conf, "dag_display_name": name})
