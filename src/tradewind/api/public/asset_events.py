"""Updates of assets: which there were, and how to tell of one that happened elsewhere."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final, cast

from fastapi import Query as Parameter
from fastapi.responses import StreamingResponse

from tradewind.api.moment import Moment
from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed, matches, starts_with, within
from tradewind.api.public.asset_schemas import AssetEventCollectionResponse, AssetEventResponse, CreateAssetEventsBody
from tradewind.api.public.assets import EDIT, READ, json_object
from tradewind.api.services import Given, Services
from tradewind.model.ids import UNMAPPED, RunKey
from tradewind.model.listing import Condition, Listed, Order, Query, Row, Test
from tradewind.model.masking import MaskingRules
from tradewind.operations.record_asset_events import record_outside_event
from tradewind.storage.interface import Transaction

operations = Operations("Asset")

_MARK: Final = "from_rest_api"
_PAGE: Final = 250
"""Of what a run consumed: so much is held at a time."""


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

    def work(tx: Transaction) -> AssetEventCollectionResponse:
        page = listed(tx, Listed.ASSET_EVENTS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        return AssetEventCollectionResponse(
            asset_events=shown_events(tx, page.rows, services.masking), total_entries=page.total
        )

    return services.store.read(work)


@operations.add("POST", "/assets/events", operation_id="create_asset_event", need=EDIT)
def create_asset_event(body: CreateAssetEventsBody, services: Given) -> AssetEventResponse:
    """Tell of one that happened elsewhere."""
    extra = {**body.extra, _MARK: True} if body.extra else {}

    def work(tx: Transaction) -> AssetEventResponse:
        now = services.clock.now()
        key = record_outside_event(tx, body.asset_id, extra=extra, partition_key=body.partition_key, now=now)
        of_key = Query((Condition("id", Test.IS, key),), is_counted=False)
        return shown_events(tx, tx.listings.page(Listed.ASSET_EVENTS, of_key).rows, services.masking)[0]

    return services.store.transact(work)


def consumed_events(services: Services, dag_id: str, run_key: RunKey) -> AssetEventCollectionResponse:
    """All that a run was made for, by id. More than a page of it is sent while it is read: a run may be made for any
    number of updates, and the server has to keep none of them."""
    pages = _consumed_pages(services, dag_id, run_key)
    first = next(pages)
    if len(first) < _PAGE:
        return AssetEventCollectionResponse(asset_events=first, total_entries=len(first))
    # Sent as it is, like any finished response (see `operation`), in the place of the kind that the route declares.
    return cast("AssetEventCollectionResponse", StreamingResponse(_sent(first, pages), media_type="application/json"))


def _consumed_pages(services: Services, dag_id: str, run_key: RunKey) -> Iterator[list[AssetEventResponse]]:
    """One at least. Each is read by its keys: to sort all of them for each page would take ever longer."""
    after = 0
    while True:

        def work(tx: Transaction, after: int = after) -> tuple[list[int], list[AssetEventResponse]]:
            found = [each.event_key for each in tx.asset_events.consumed_after(dag_id, run_key, after, _PAGE)]
            of_these = Query((Condition("id", Test.ONE_OF, tuple(found)),), order=(Order("id"),), is_counted=False)
            rows = tx.listings.page(Listed.ASSET_EVENTS, of_these).rows if found else ()
            return found, shown_events(tx, rows, services.masking)

        keys, events = services.store.read(work)
        yield events
        if len(keys) < _PAGE:
            return
        after = keys[-1]


def _sent(first: list[AssetEventResponse], others: Iterable[list[AssetEventResponse]]) -> Iterator[bytes]:
    number = len(first)
    yield b'{"asset_events":[' + _joined(first)
    for page in others:
        number += len(page)
        if page:
            yield b"," + _joined(page)
    yield b'],"total_entries":%d}' % number


def _joined(events: list[AssetEventResponse]) -> bytes:
    return b",".join(event.model_dump_json(by_alias=True).encode() for event in events)


def shown_events(tx: Transaction, rows: Sequence[Row], rules: MaskingRules) -> list[AssetEventResponse]:
    """With the runs that they brought into being, read for all at once."""
    of_these = Condition("event_id", Test.ONE_OF, tuple(row["id"] for row in rows))
    runs: defaultdict[object, list[Row]] = defaultdict(list)
    if rows:
        for run in tx.listings.page(Listed.RUNS_OF_EVENTS, Query((of_these,), is_counted=False)).rows:
            runs[run["event_id"]].append(run)
    return [_shown(row, runs[row["id"]], rules) for row in rows]


def _shown(row: Row, runs: Iterable[Row], rules: MaskingRules) -> AssetEventResponse:
    index = row["source_map_index"]
    return AssetEventResponse.model_validate(
        {
            **row,
            "extra": json_object(row["extra"], rules),
            "source_map_index": UNMAPPED if index is None else index,
            "created_dagruns": [_run(run) for run in runs],
        }
    )


def _run(run: Row) -> dict[str, object]:
    shown = {name: value for name, value in run.items() if name not in ("event_id", "queued_at")}
    # Clients of Airflow expect a date here. One that has not begun has that of its making.
    return {**shown, "start_date": run["start_date"] or run["queued_at"], "triggering": True}
