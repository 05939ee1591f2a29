"""Assets: what tasks produce and DAGs wait for."""

import json
import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from fastapi import HTTPException, Response
from fastapi import Query as Parameter
from pydantic import JsonValue

from tradewind.api.auth.access import Action, Need, Principal, Resource, may
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, Texts, is_, listed, matches, starts_with
from tradewind.api.public.asset_schemas import (
    AssetAliasCollectionResponse,
    AssetAliasResponse,
    AssetCollectionResponse,
    AssetResponse,
    MaterializeAssetBody,
)
from tradewind.api.public.dag_run_schemas import DAGRunResponse
from tradewind.api.public.shown_dag_runs import shown_run
from tradewind.api.services import Given, Services
from tradewind.errors import NotFound, UnknownAssetId
from tradewind.model.listing import Condition, Listed, Page, Query, Row, Test
from tradewind.model.masking import MaskingRules
from tradewind.model.run_ids import RUN_ID_SUFFIX_LENGTH
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.timetable import DataInterval
from tradewind.operations.materialize_asset import producer_of
from tradewind.operations.register_assets import INLET, OUTLET, SCHEDULE
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.storage.interface import Transaction

operations = Operations("Asset")

READ: Final = Need(Resource.ASSET, Action.READ)
EDIT: Final = Need(Resource.ASSET, Action.EDIT)
DELETE: Final = Need(Resource.ASSET, Action.DELETE)
_TRIGGER: Final = Need(Resource.DAG, Action.EDIT)
_SHOWN_AS: Final = {SCHEDULE: "scheduled_dags", OUTLET: "producing_tasks", INLET: "consuming_tasks"}


@operations.add("GET", "/assets", operation_id="get_assets", need=READ)
def get_assets(
    services: Given,
    limit: Limit = USUAL,
    offset: Offset = 0,
    name_pattern: str | None = None,
    name_prefix_pattern: str | None = None,
    uri_pattern: str | None = None,
    uri_prefix_pattern: str | None = None,
    *,
    dag_ids: Texts,
    only_active: bool = True,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
) -> AssetCollectionResponse:
    """All assets that some DAG declares; on demand also those that none does any more."""
    conditions = [
        matches("name", name_pattern),
        starts_with("name", name_prefix_pattern),
        matches("uri", uri_pattern),
        starts_with("uri", uri_prefix_pattern),
        is_("is_active", True if only_active else None),
    ]

    def work(tx: Transaction) -> AssetCollectionResponse:
        of_dags = _named_by(tx, dag_ids) if dag_ids else None
        page = listed(
            tx, Listed.ASSETS, conditions=[*conditions, of_dags], order_by=order_by, limit=limit, offset=offset
        )
        return AssetCollectionResponse(assets=_shown(tx, page.rows, services.masking), total_entries=page.total)

    return services.store.read(work)


@operations.add("GET", "/assets/aliases", operation_id="get_asset_aliases", need=READ)
def get_asset_aliases(
    services: Given,
    limit: Limit = USUAL,
    offset: Offset = 0,
    name_pattern: str | None = None,
    name_prefix_pattern: str | None = None,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
) -> AssetAliasCollectionResponse:
    """All aliases."""
    conditions = [matches("name", name_pattern), starts_with("name", name_prefix_pattern)]

    def work(tx: Transaction) -> Page:
        return listed(tx, Listed.ASSET_ALIASES, conditions=conditions, order_by=order_by, limit=limit, offset=offset)

    page = services.store.read(work)
    aliases = [AssetAliasResponse.model_validate(row) for row in page.rows]
    return AssetAliasCollectionResponse(asset_aliases=aliases, total_entries=page.total)


@operations.add("GET", "/assets/aliases/{asset_alias_id}", operation_id="get_asset_alias", need=READ)
def get_asset_alias(asset_alias_id: int, services: Given) -> Response:
    """One of them. (Airflow's document does not say what it answers, so neither does ours.)"""
    rows = services.store.read(lambda tx: _rows(tx, Listed.ASSET_ALIASES, is_("id", asset_alias_id)))
    if not rows:
        raise NotFound(f"there is no alias of assets with the id {asset_alias_id}")
    return Response(AssetAliasResponse.model_validate(rows[0]).model_dump_json(), media_type="application/json")


@operations.add("GET", "/assets/{asset_id}", operation_id="get_asset", need=READ)
def get_asset(asset_id: int, services: Given) -> AssetResponse:
    """One asset, also one that no DAG declares any more."""

    def work(tx: Transaction) -> AssetResponse:
        rows = _rows(tx, Listed.ASSETS, is_("id", asset_id))
        if not rows:
            raise UnknownAssetId(asset_id)
        return _shown(tx, rows, services.masking)[0]

    return services.store.read(work)


@operations.add("POST", "/assets/{asset_id}/materialize", operation_id="materialize_asset", need=EDIT)
def materialize_asset(
    asset_id: int, services: Given, caller: Caller, body: MaterializeAssetBody | None = None
) -> DAGRunResponse:
    """Ask for a run of the DAG that updates the asset."""
    wanted = body or MaterializeAssetBody()
    return services.store.transact(lambda tx: _materialized(tx, services, caller, asset_id, wanted))


def _materialized(
    tx: Transaction, services: Services, caller: Principal, asset_id: int, body: MaterializeAssetBody
) -> DAGRunResponse:
    dag_id = producer_of(tx, asset_id)
    if not may(caller, _TRIGGER, dag_id):
        raise HTTPException(403, "Forbidden")
    interval = None
    if body.data_interval_start is not None and body.data_interval_end is not None:
        interval = DataInterval(body.data_interval_start, body.data_interval_end)
    request = RunRequest(
        dag_id,
        body.dag_run_id,
        RunType.ASSET_MATERIALIZATION,
        body.logical_date,
        body.run_after,
        interval,
        body.conf,
        body.note,
        TriggeredBy.REST_API,
        caller.name,
        body.partition_key,
    )
    run = trigger_run(
        tx,
        request,
        services.structures,
        services.clock.now(),
        suffix=secrets.token_hex(RUN_ID_SUFFIX_LENGTH // 2),
        run_id_pattern=services.settings.scheduler.allowed_run_id_pattern,
    )
    return shown_run(tx, run.dag_id, run.run_id)


def json_object(text: object, rules: MaskingRules) -> dict[str, JsonValue]:
    """An extra as it may be shown; none is one without anything in it."""
    value = json.loads(text) if isinstance(text, str) else None
    shown = rules.redacted(value) if isinstance(value, dict) else {}
    assert isinstance(shown, dict)
    return shown


def _rows(tx: Transaction, what: Listed, *conditions: Condition | None) -> Sequence[Row]:
    asked = tuple(each for each in conditions if each is not None)
    return tx.listings.page(what, Query(asked, is_counted=False)).rows


def _named_by(tx: Transaction, dag_ids: Iterable[str]) -> Condition:
    references = _rows(tx, Listed.ASSET_REFERENCES, Condition("dag_id", Test.ONE_OF, tuple(dag_ids)))
    return Condition("id", Test.ONE_OF, tuple({row["asset_id"] for row in references}))


def _shown(tx: Transaction, rows: Sequence[Row], rules: MaskingRules) -> list[AssetResponse]:
    """With who names them, read for all at once."""
    of_these = Condition("asset_id", Test.ONE_OF, tuple(row["id"] for row in rows))
    parts: defaultdict[tuple[object, str], list[dict[str, object]]] = defaultdict(list)
    for row in _rows(tx, Listed.ASSET_REFERENCES, of_these) if rows else ():
        left_out = {"asset_id", "role"} | ({"task_id"} if row["role"] == SCHEDULE else set())
        reference = {name: value for name, value in row.items() if name not in left_out}
        parts[row["asset_id"], _SHOWN_AS[str(row["role"])]].append(reference)
    for row in _rows(tx, Listed.ALIASES_OF_ASSETS, of_these) if rows else ():
        parts[row["asset_id"], "aliases"].append(dict(row))
    watchers: defaultdict[object, dict[object, Row]] = defaultdict(dict)
    for row in _rows(tx, Listed.WATCHERS, of_these) if rows else ():
        watchers[row["asset_id"]].setdefault(row["trigger_id"], row)  # several DAGs may say the same
    return [
        AssetResponse.model_validate(
            {
                **row,
                **{name: parts[row["id"], name] for name in (*_SHOWN_AS.values(), "aliases")},
                "extra": json_object(row["extra"], rules),
                "watchers": list(watchers[row["id"]].values()),
                "last_asset_event": {"id": row["last_event_id"], "timestamp": row["last_event_at"]},
            }
        )
        for row in rows
    ]
