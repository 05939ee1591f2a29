"""How many runs DAGs have in each state."""

from typing import Any, Final

from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource, dags_within_reach
from tradewind.api.encoded import encoded
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import Texts
from tradewind.api.services import Given
from tradewind.model.states import RunState
from tradewind.storage.interface.catalog_store import RunCounts

operations = Operations("DagStats")

_READ: Final = Need(Resource.DAG, Action.READ)


class DagStatsStateResponse(BaseModel):
    """One state."""

    state: RunState
    count: int


class DagStatsResponse(BaseModel):
    """One DAG."""

    dag_id: str
    dag_display_name: str
    stats: list[DagStatsStateResponse]


class DagStatsCollectionResponse(BaseModel):
    """All of them."""

    dags: list[DagStatsResponse]
    total_entries: int


@operations.add("GET", "/dagStats", operation_id="get_dag_stats", need=_READ)
def get_dag_stats(services: Given, caller: Caller, dag_ids: Texts) -> DagStatsCollectionResponse:
    """Of these DAGs, or of all; of those that have runs and that the caller may see."""
    reach = dags_within_reach(caller, _READ)
    chosen = set(dag_ids) or None
    if reach is not None:
        chosen = set(reach) if chosen is None else chosen & reach
    counts = services.store.read(lambda tx: tx.catalog.run_counts(chosen))
    return encoded(
        DagStatsCollectionResponse, {"dags": [_values(each) for each in counts], "total_entries": len(counts)}
    )


def _values(counts: RunCounts) -> dict[str, Any]:
    stats = [{"state": state, "count": counts.by_state.get(state, 0)} for state in RunState]
    return {"dag_id": counts.dag_id, "dag_display_name": counts.display_name, "stats": stats}
