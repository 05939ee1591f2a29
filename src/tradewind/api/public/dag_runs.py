"""Runs: lists of them, one at a time, and how to ask for one."""

import secrets
from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

from fastapi import Depends
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.encoded import encoded
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Cursor, Limit, Offset, Pages
from tradewind.api.public.asset_events import consumed_events
from tradewind.api.public.asset_schemas import AssetEventCollectionResponse
from tradewind.api.public.dag_run_filters import DAGRunsBatchBody, RunFilter
from tradewind.api.public.dag_run_schemas import DAGRunCollectionResponse, DAGRunResponse, TriggerDAGRunPostBody
from tradewind.api.public.shown_dag_runs import of_dag, refuse_unknown_dag, run_values, shown_run
from tradewind.api.services import Given
from tradewind.errors import UnknownRun
from tradewind.model.ids import RunKey
from tradewind.model.listing import Condition, Listed
from tradewind.model.run_ids import RUN_ID_SUFFIX_LENGTH
from tradewind.model.states import TriggeredBy
from tradewind.model.timetable import DataInterval
from tradewind.operations.trigger_run import RunRequest, request_shown_run
from tradewind.storage.interface import Transaction

operations = Operations("DagRun")

READ: Final = Need(Resource.DAG, Action.READ)
EDIT: Final = Need(Resource.DAG, Action.EDIT)
DELETE: Final = Need(Resource.DAG, Action.DELETE)
RUNS: Final = "/dags/{dag_id}/dagRuns"
RUN: Final = f"{RUNS}/{{dag_run_id}}"


@operations.add("GET", RUNS, operation_id="get_dag_runs", need=READ)
def get_dag_runs(
    dag_id: str,
    services: Given,
    caller: Caller,
    wanted: Annotated[RunFilter, Depends()],
    cursor: Cursor = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
) -> DAGRunCollectionResponse:
    """Those of a DAG; `~` stands for all DAGs."""
    conditions = [of_dag(dag_id, caller, READ), *wanted.conditions()]
    pages = Pages(limit, offset, cursor)
    return services.store.read(lambda tx: _listed(tx, dag_id, pages, conditions, order_by))


@operations.add("POST", f"{RUNS}/list", operation_id="get_list_dag_runs_batch", need=READ)
def get_list_dag_runs_batch(
    dag_id: Literal["~"], body: DAGRunsBatchBody, services: Given, caller: Caller
) -> DAGRunCollectionResponse:
    """Those of all DAGs, asked for with a body."""
    conditions = [of_dag(dag_id, caller, READ), *body.conditions()]
    pages = Pages(body.page_limit, body.page_offset, None)
    order = [body.order_by] if body.order_by else []
    return services.store.read(lambda tx: _listed(tx, dag_id, pages, conditions, order))


@operations.add("GET", RUN, operation_id="get_dag_run", need=READ)
def get_dag_run(dag_id: str, dag_run_id: str, services: Given) -> DAGRunResponse:
    """One of them."""
    return services.store.read(lambda tx: shown_run(tx, dag_id, dag_run_id))


@operations.add("GET", f"{RUN}/upstreamAssetEvents", operation_id="get_upstream_asset_events", need=READ)
def get_upstream_asset_events(dag_id: str, dag_run_id: str, services: Given) -> AssetEventCollectionResponse:
    """The updates of assets that it was made for."""

    def find(tx: Transaction) -> RunKey:
        run = tx.runs.find(dag_id, dag_run_id)
        if run is None:
            raise UnknownRun(dag_id, dag_run_id)
        return run.key

    return consumed_events(services, dag_id, services.store.read(find))


@operations.add("POST", RUNS, operation_id="trigger_dag_run", need=EDIT)
def trigger_dag_run(dag_id: Any, body: TriggerDAGRunPostBody, services: Given, caller: Caller) -> DAGRunResponse:
    """Ask for a run. That of a paused DAG stays queued until the DAG goes on."""
    request = _request(dag_id, body, caller.name)
    suffix = secrets.token_hex(RUN_ID_SUFFIX_LENGTH // 2)
    pattern = services.settings.scheduler.allowed_run_id_pattern

    def work(tx: Transaction) -> DAGRunResponse:
        now = services.clock.now()
        row = request_shown_run(tx, request, services.structures, now, suffix=suffix, run_id_pattern=pattern)
        return encoded(DAGRunResponse, run_values([row])[0])

    return services.store.transact(work)


def _request(dag_id: str, body: TriggerDAGRunPostBody, user: str) -> RunRequest:
    interval = None
    # Without a logical date there is no interval either: Airflow does not look at the one that is given then.
    if body.logical_date and body.data_interval_start and body.data_interval_end:
        interval = DataInterval(body.data_interval_start, body.data_interval_end)
    return RunRequest(
        dag_id,
        body.dag_run_id,
        logical_date=body.logical_date,
        run_after=body.run_after,
        data_interval=interval,
        conf=body.conf,
        note=body.note,
        triggered_by=TriggeredBy.REST_API,
        triggering_user_name=user,
        partition_key=body.partition_key,
    )


def _listed(
    tx: Transaction, dag_id: str, pages: Pages, conditions: Iterable[Condition | None], order_by: Iterable[str]
) -> DAGRunCollectionResponse:
    page = tx.listings.page(Listed.DAG_RUNS, pages.query(conditions, order_by))
    if not page.rows:
        refuse_unknown_dag(tx, dag_id)
    return encoded(DAGRunCollectionResponse, {"dag_runs": run_values(page.rows), **pages.answer(page)})
