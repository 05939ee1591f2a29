"""Updates of assets: which there were, and how to tell of one that happened elsewhere."""

from typing import Annotated, Final

from fastapi import Query as Parameter

from tradewind.api.moment import Moment
from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed, matches, starts_with, within
from tradewind.api.public.asset_schemas import AssetEventCollectionResponse, AssetEventResponse, CreateAssetEventsBody
from tradewind.api.public.assets import EDIT, READ, json_object
from tradewind.api.services import Given
from tradewind.model.ids import UNMAPPED
from tradewind.model.listing import Condition, Listed, Query, Row, Test
from tradewind.model.masking import MaskingRules
from tradewind.operations.record_asset_events import record_outside_event
from tradewind.storage.interface import Transaction

operations = Operations("Asset")

_MARK: Final = "from_rest_api"


@operations.add("GET", "/assets/events", operation_id="get_asset_events", need=READ)
def get_asset_events(
    services: Given,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["timestamp"],  # noqa: B006 - never changed
    asset_id: int | None = None,
    source_dag_id: str | None = None,
    source_task_id: str | None = None,
    source_run_id: str | None = None,
    source_map_index: int | None = None,
    name_pattern: str | None = None,
    name_prefix_pattern: str | None = None,
    timestamp_gte: Moment | None = None,
    timestamp_gt: Moment | None = None,
    timestamp_lte: Moment | None = None,
    timestamp_lt: Moment | None = None,
) -> AssetEventCollectionResponse:
    """All updates."""
    conditions = [
        is_("asset_id", asset_id),
        is_("source_dag_id", source_dag_id),
        is_("source_task_id", source_task_id),
        is_("source_run_id", source_run_id),
        is_("source_map_index", source_map_index),
        matches("name", name_pattern),
        starts_with("name", name_prefix_pattern),
        *within("timestamp", gte=timestamp_gte, gt=timestamp_gt, lte=timestamp_lte, lt=timestamp_lt),
    ]
    page = services.store.read(
        lambda tx: listed(tx, Listed.ASSET_EVENTS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
    )
    events = [_shown(row, services.masking) for row in page.rows]
    return AssetEventCollectionResponse(asset_events=events, total_entries=page.total)


@operations.add("POST", "/assets/events", operation_id="create_asset_event", need=EDIT)
def create_asset_event(body: CreateAssetEventsBody, services: Given) -> AssetEventResponse:
    """Tell of one that happened elsewhere."""
    extra = {**body.extra, _MARK: True} if body.extra else {}

    def work(tx: Transaction) -> AssetEventResponse:
        now = services.clock.now()
        key = record_outside_event(tx, body.asset_id, extra=extra, partition_key=body.partition_key, now=now)
        of_key = Query((Condition("id", Test.IS, key),), is_counted=False)
        (row,) = tx.listings.page(Listed.ASSET_EVENTS, of_key).rows
        return _shown(row, services.masking)

    return services.store.transact(work)


def _shown(row: Row, rules: MaskingRules) -> AssetEventResponse:
    index = row["source_map_index"]
    return AssetEventResponse.model_validate(
        {
            **row,
            "extra": json_object(row["extra"], rules),
            "source_map_index": UNMAPPED if index is None else index,
            "created_dagruns": [],  # no update brings a run into being yet
        }
    )
