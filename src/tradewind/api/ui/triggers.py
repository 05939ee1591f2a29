"""Triggers: what waiting tasks wait for, who runs it, and which of them hold up others."""

from datetime import datetime
from typing import Annotated, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed
from tradewind.api.public.dag_filters import within_reach
from tradewind.api.services import Given
from tradewind.model.listing import Condition, Listed, Test

operations = Operations("Triggers", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)


class RunningTriggerResponse(BaseModel):
    """A trigger. What it was given is nobody's business."""

    id: int
    classpath: str
    dag_id: str
    dag_run_id: str
    task_id: str
    map_index: int
    queue: str | None
    created_date: datetime
    triggerer_id: int | None
    """Null: nobody runs it yet."""
    triggerer_hostname: str | None
    triggerer_pid: int | None
    running_since: datetime | None
    is_called_off: bool
    blocked_count: int
    """How often it held up all others."""
    last_blocked: datetime | None
    last_blocked_stack: str | None
    """Where it was then."""
    is_quarantined: bool
    """Whether it is kept apart from the others."""


class TriggerCollectionResponse(BaseModel):
    """A page of triggers."""

    triggers: list[RunningTriggerResponse]
    total_entries: int


@operations.add("GET", "/triggers", operation_id="list_triggers", need=_READ)
def list_triggers(
    services: Given,
    caller: Caller,
    dag_id: str | None = None,
    dag_run_id: str | None = None,
    task_id: str | None = None,
    triggerer_id: int | None = None,
    is_quarantined: bool | None = None,
    has_blocked: bool | None = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
) -> TriggerCollectionResponse:
    """What tasks of the DAGs that the caller may see wait for: who runs it since when, and what it did to others."""
    conditions = [
        within_reach(caller, _READ),
        is_("dag_id", dag_id),
        is_("dag_run_id", dag_run_id),
        is_("task_id", task_id),
        is_("triggerer_id", triggerer_id),
        is_("is_quarantined", is_quarantined),
        None if has_blocked is None else Condition("blocked_count", Test.ABOVE if has_blocked else Test.AT_MOST, 0),
    ]
    page = services.store.read(
        lambda tx: listed(tx, Listed.TRIGGERS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
    )
    rows = [RunningTriggerResponse.model_validate(row) for row in page.rows]
    return TriggerCollectionResponse(triggers=rows, total_entries=page.total)
