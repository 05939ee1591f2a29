"""The audit log: who changed what."""

from datetime import datetime
from typing import Annotated, Final

from fastapi import HTTPException
from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.moment import Moment
from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed, matches, one_of, starts_with, within
from tradewind.api.services import Given
from tradewind.model.listing import Condition, Listed, Test
from tradewind.storage.interface import Transaction

operations = Operations("Event Log")

_READ: Final = Need(Resource.AUDIT_LOG, Action.READ)


class EventLogResponse(BaseModel):
    """One change."""

    event_log_id: int
    when: datetime
    dag_id: str | None
    task_id: str | None
    run_id: str | None
    map_index: int | None
    try_number: int | None
    event: str
    logical_date: datetime | None
    owner: str | None
    extra: str | None
    dag_display_name: str | None = None
    task_display_name: str | None = None


class EventLogCollectionResponse(BaseModel):
    """A page of changes."""

    event_logs: list[EventLogResponse]
    total_entries: int


@operations.add("GET", "/eventLogs/{event_log_id}", operation_id="get_event_log", need=_READ, responses={404: "None"})
def get_event_log(event_log_id: int, services: Given) -> EventLogResponse:
    """One of them."""
    conditions = [is_("event_log_id", event_log_id)]
    page = services.store.read(lambda tx: listed(tx, Listed.EVENT_LOGS, conditions=conditions, limit=1))
    if not page.rows:
        raise HTTPException(404, f"The Event Log with id: `{event_log_id}` not found")
    return EventLogResponse.model_validate(page.rows[0])


@operations.add("GET", "/eventLogs", operation_id="get_event_logs", need=_READ)
def get_event_logs(
    services: Given,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
    dag_id: str | None = None,
    task_id: str | None = None,
    run_id: str | None = None,
    map_index: int | None = None,
    try_number: int | None = None,
    owner: str | None = None,
    event: str | None = None,
    excluded_events: Annotated[list[str] | None, Parameter()] = None,
    included_events: Annotated[list[str] | None, Parameter()] = None,
    before: Moment | None = None,
    after: Moment | None = None,
    dag_id_pattern: str | None = None,
    task_id_pattern: str | None = None,
    run_id_pattern: str | None = None,
    owner_pattern: str | None = None,
    event_pattern: str | None = None,
    dag_id_prefix_pattern: str | None = None,
    task_id_prefix_pattern: str | None = None,
    run_id_prefix_pattern: str | None = None,
    owner_prefix_pattern: str | None = None,
    event_prefix_pattern: str | None = None,
) -> EventLogCollectionResponse:
    """All of them, or some."""
    conditions: list[Condition | None] = [
        is_("dag_id", dag_id),
        is_("task_id", task_id),
        is_("run_id", run_id),
        is_("map_index", map_index),
        is_("try_number", try_number),
        is_("owner", owner),
        is_("event", event),
        one_of("event", included_events),
        *(Condition("event", Test.IS_NOT, each) for each in excluded_events or ()),
        *within("when", lt=before, gt=after),
        matches("dag_id", dag_id_pattern),
        matches("task_id", task_id_pattern),
        matches("run_id", run_id_pattern),
        matches("owner", owner_pattern),
        matches("event", event_pattern),
        starts_with("dag_id", dag_id_prefix_pattern),
        starts_with("task_id", task_id_prefix_pattern),
        starts_with("run_id", run_id_prefix_pattern),
        starts_with("owner", owner_prefix_pattern),
        starts_with("event", event_prefix_pattern),
    ]

    def work(tx: Transaction) -> EventLogCollectionResponse:
        page = listed(tx, Listed.EVENT_LOGS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        entries = [EventLogResponse.model_validate(row) for row in page.rows]
        return EventLogCollectionResponse(event_logs=entries, total_entries=page.total)

    return services.store.read(work)
