"""Operations of Airflow's REST API that are still to be built. They say so, with status 501."""

from collections.abc import Callable
from typing import Final, NamedTuple

from fastapi import APIRouter

from tradewind.api.errors import NotBuilt


class Missing(NamedTuple):
    """An operation that is not there yet."""

    method: str
    path: str
    operation_id: str
    why: str


_ASKING_PEOPLE: Final = "tasks that ask people come later"

MISSING: Final = (
    Missing("POST", "/dags/{dag_id}/clearPartitions", "clear_dag_run_partitions", "DagRun"),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails",
        "update_hitl_detail",
        _ASKING_PEOPLE,
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails",
        "get_hitl_detail",
        _ASKING_PEOPLE,
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails/tries/{try_number}",
        "get_hitl_detail_try_detail",
        _ASKING_PEOPLE,
    ),
    Missing("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", "get_hitl_details", _ASKING_PEOPLE),
)


def make_router() -> APIRouter:
    """A route for each of them."""
    router = APIRouter(prefix="/api/v2", include_in_schema=False)
    for missing in MISSING:
        router.add_api_route(missing.path, _refusing(missing), methods=[missing.method])
    return router


def _refusing(missing: Missing) -> Callable[[], None]:
    def refuse() -> None:
        raise NotBuilt(f"{missing.operation_id} is not built yet: {missing.why}")

    return refuse
