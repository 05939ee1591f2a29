"""DAGs as their page lists them: by more than the list of Airflow's clients may be asked for."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from fastapi import Depends
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.encoded import encoded
from tradewind.api.moment import Moment
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, listed
from tradewind.api.public.dag_filters import DagFilter, within_reach
from tradewind.api.public.dag_schemas import DAGCollectionResponse
from tradewind.api.public.shown_dags import ShownDags
from tradewind.api.services import Given
from tradewind.model.listing import Condition, Listed, Query, Test
from tradewind.model.states import RunState, TaskState
from tradewind.storage.interface import Transaction

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)
_PENDING: Final = Query(
    (
        Condition("responded_at", Test.IS, None),
        Condition("stored_state", Test.ONE_OF, (TaskState.AWAITING_INPUT.value, TaskState.DEFERRED.value)),
    ),
    is_counted=False,
)
"""What tasks ask, and nobody has answered."""


@dataclass(kw_only=True)
class PageFilter(DagFilter):
    """What the page may ask for besides."""

    any_dag_run_state: Literal["queued", "running", "failed"] | None = None
    any_dag_run_end_date_gte: Moment | None = None
    has_pending_actions: bool | None = None

    def among(self, tx: Transaction) -> list[Condition | None]:
        """What is looked up first: that is quicker than to ask each DAG for all its runs."""
        return [self._of_runs(tx), *self._that_ask(tx)]

    def _of_runs(self, tx: Transaction) -> Condition | None:
        """A failed run counts since the given instant, or always."""
        if self.any_dag_run_state is None:
            return None
        if self.any_dag_run_state == "failed":
            since = self.any_dag_run_end_date_gte or _LONG_AGO
            return Condition("dag_id", Test.ONE_OF, tuple(each.dag_id for each in tx.overview.failed_since(since)))
        return Condition("dag_id", Test.ONE_OF, tuple(tx.overview.active_dags(RunState(self.any_dag_run_state))))

    def _that_ask(self, tx: Transaction) -> list[Condition]:
        if self.has_pending_actions is None:
            return []
        asking = {str(row["dag_id"]) for row in tx.listings.page(Listed.INQUIRIES, _PENDING).rows}
        if self.has_pending_actions:
            return [Condition("dag_id", Test.ONE_OF, tuple(sorted(asking)))]
        return [Condition("dag_id", Test.IS_NOT, dag_id) for dag_id in sorted(asking)]


@operations.add("GET", "/dags", operation_id="get_dags_of_page", need=_READ)
def get_dags_of_page(
    services: Given,
    caller: Caller,
    asked: Annotated[PageFilter, Depends()],
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["dag_id"],  # noqa: B006 - never changed
) -> DAGCollectionResponse:
    """DAGs that the caller may see."""
    conditions = [within_reach(caller, _READ), *asked.of(caller)]
    shown = ShownDags(services.folders)

    def work(tx: Transaction) -> DAGCollectionResponse:
        wanted = [*conditions, *asked.among(tx)]
        page = listed(tx, Listed.DAGS, conditions=wanted, order_by=order_by, limit=limit, offset=offset)
        values = {"dags": [shown.values(row) for row in page.rows], "total_entries": page.total}
        return encoded(DAGCollectionResponse, values)

    return services.store.read(work)
