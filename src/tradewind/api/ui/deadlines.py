"""What the pages show of deadlines: those of runs, and those that a DAG declares."""

from datetime import datetime
from typing import Annotated, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.encoded import encoded
from tradewind.api.moment import Moment
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed, within
from tradewind.api.public.shown_dag_runs import ANY, of_dag, refuse_unknown_dag
from tradewind.api.services import Given
from tradewind.errors import UnknownDag, UnknownRun
from tradewind.model.deadline import DeadlineRule, rules_of
from tradewind.model.listing import Condition, Listed, Page, Row, Test
from tradewind.storage.interface import Transaction

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)


class DeadlineResponse(BaseModel):
    """Until when a run has to be over, or had to be."""

    id: str
    deadline_time: datetime | None
    """None: the author's code has not said it yet."""
    missed: bool
    missed_at: datetime | None
    state: str
    """`asked`, `ahead`, `pending` (its callback is to be called), `queued` (an executor has it), `running`, `success`
    or `failed`."""
    message: str | None
    """Why its callback failed."""
    output: str | None
    """What its callback logged and printed, the last 10,000 characters of it."""
    created_at: datetime
    dag_id: str
    dag_display_name: str
    dag_run_id: str
    dag_run_state: str
    """How far the run has come."""
    alert_id: str
    alert_name: str | None


class DeadlineCollectionResponse(BaseModel):
    """A page of them. Those of a run come in the order in which the DAG declares them."""

    deadlines: list[DeadlineResponse]
    total_entries: int


class DeadlineAlertResponse(BaseModel):
    """What a DAG says about when its runs have to be over."""

    id: str
    name: str | None
    reference_type: str
    interval: float | None
    """In seconds. None: it stands in a variable."""
    callback: str


class DeadlineAlertCollectionResponse(BaseModel):
    """All of a DAG."""

    deadline_alerts: list[DeadlineAlertResponse]
    total_entries: int


@operations.add("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/deadlines", operation_id="get_deadlines", need=_READ)
def get_deadlines(
    dag_id: str,
    dag_run_id: str,
    services: Given,
    caller: Caller,
    missed: Annotated[bool | None, Parameter(description="Only those that were missed, or only the others.")] = None,
    deadline_time_gte: Moment | None = None,
    deadline_time_lte: Moment | None = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
) -> DeadlineCollectionResponse:
    """Until when a run has to be over, and whether it was; `~` stands for all runs, and for all DAGs."""
    conditions = [
        of_dag(dag_id, caller, _READ),
        None if dag_run_id == ANY else is_("dag_run_id", dag_run_id),
        None if missed is None else Condition("missed_at", Test.IS_NOT if missed else Test.IS, None),
        *within("deadline_time", gte=deadline_time_gte, lte=deadline_time_lte),
    ]

    def work(tx: Transaction) -> Page:
        page = listed(tx, Listed.DEADLINES, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        if not page.rows:
            refuse_unknown_dag(tx, dag_id)
            if ANY not in (dag_id, dag_run_id) and tx.runs.find(dag_id, dag_run_id) is None:
                raise UnknownRun(dag_id, dag_run_id)
        return page

    page = services.store.read(work)
    return encoded(
        DeadlineCollectionResponse, {"deadlines": [_shown(row) for row in page.rows], "total_entries": page.total}
    )


@operations.add("GET", "/dags/{dag_id}/deadlineAlerts", operation_id="get_dag_deadline_alerts", need=_READ)
def get_dag_deadline_alerts(dag_id: str, services: Given) -> DeadlineAlertCollectionResponse:
    """Which deadlines a DAG declares for its runs."""

    def rules(tx: Transaction) -> tuple[DeadlineRule, ...]:
        record = tx.dags.find(dag_id)
        if record is None or record.version_key is None:
            raise UnknownDag(dag_id)
        return rules_of(services.structures.get(tx, record.version_key).dag)

    rows = [
        {
            "id": str(rule.number),
            "name": rule.name,
            "reference_type": rule.reference_type,
            "interval": None if rule.interval is None else rule.interval.total_seconds(),
            "callback": rule.path,
        }
        for rule in services.store.read(rules)
    ]
    return encoded(DeadlineAlertCollectionResponse, {"deadline_alerts": rows, "total_entries": len(rows)})


def _shown(row: Row) -> dict[str, object]:
    texts = {"id": str(row["id"]), "alert_id": str(row["alert_id"])}
    name = row["dag_display_name"] or row["dag_id"]
    return {**row, **texts, "dag_display_name": name, "missed": row["missed_at"] is not None}
