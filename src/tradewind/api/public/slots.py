"""Ticks that wait, or have waited, for assets. Airflow has nothing like it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, listed
from tradewind.api.public.shown_dag_runs import of_dag, refuse_unknown_dag
from tradewind.api.services import Given, Services
from tradewind.decide.assets import condition_words
from tradewind.model.asset import AssetExpression
from tradewind.model.listing import Condition, Listed, Row, Test
from tradewind.model.slot import SlotKey
from tradewind.model.slot_policy import SlotState
from tradewind.operations.missing_assets import missing_for_slots, names_in
from tradewind.storage.interface import Transaction

operations = Operations("DagRun")

_READ: Final = Need(Resource.DAG, Action.READ)


class SlotResponse(BaseModel):
    """A tick of a timetable that needs assets as well."""

    id: int
    dag_id: str
    state: SlotState
    logical_date: datetime | None
    run_after: datetime
    """The tick itself."""
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    created_at: datetime
    deadline_at: datetime | None
    """When something is done about it, if it still waits then."""
    settled_at: datetime | None
    dag_run_id: str | None
    """The run that it got."""
    reason: str | None
    """Why it became what it is, where that is not as usual."""
    missing: str | None
    """What it waits for, such as `orders & (stock | prices)`."""
    missing_assets: list[str]


class SlotCollectionResponse(BaseModel):
    """A page of them."""

    slots: list[SlotResponse]
    total_entries: int


@operations.add("GET", "/dags/{dag_id}/slots", operation_id="get_slots", need=_READ)
def get_slots(
    dag_id: str,
    services: Given,
    caller: Caller,
    state: Annotated[list[SlotState] | None, Parameter()] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["-run_after"],  # noqa: B006 - never changed
) -> SlotCollectionResponse:
    """Those of a DAG; `~` stands for all DAGs. Those that wait come with what is missing."""
    states = Condition("state", Test.ONE_OF, tuple(each.value for each in state)) if state else None
    conditions = [of_dag(dag_id, caller, _READ), states]

    def work(tx: Transaction) -> SlotCollectionResponse:
        page = listed(tx, Listed.SLOTS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        if not page.rows:
            refuse_unknown_dag(tx, dag_id)
        return SlotCollectionResponse(slots=_shown(tx, page.rows, services), total_entries=page.total)

    return services.store.read(work)


def _shown(tx: Transaction, rows: Sequence[Row], services: Services) -> list[SlotResponse]:
    waiting = {str(row["dag_id"]) for row in rows if row["state"] == SlotState.WAITING}
    shown = {row["id"] for row in rows}
    slots = [slot for slot in tx.slots.waiting(waiting) if slot.key in shown] if waiting else []
    left = missing_for_slots(tx, slots, services.structures)
    return [_response(row, left.get(SlotKey(int(str(row["id"]))))) for row in rows]


def _response(row: Row, left: AssetExpression | None) -> SlotResponse:
    return SlotResponse.model_validate(
        {
            **row,
            "logical_date": row["data_interval_start"],
            "missing": None if left is None else condition_words(left),
            "missing_assets": names_in(left),
        }
    )
