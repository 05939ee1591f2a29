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


MISSING: Final = (
    Missing("GET", "/assets", "get_assets", "Asset"),
    Missing("GET", "/assets/aliases", "get_asset_aliases", "Asset"),
    Missing("GET", "/assets/aliases/{asset_alias_id}", "get_asset_alias", "Asset"),
    Missing("GET", "/assets/events", "get_asset_events", "Asset"),
    Missing("POST", "/assets/events", "create_asset_event", "Asset"),
    Missing("POST", "/assets/{asset_id}/materialize", "materialize_asset", "Asset"),
    Missing("GET", "/assets/{asset_id}/queuedEvents", "get_asset_queued_events", "Asset"),
    Missing("DELETE", "/assets/{asset_id}/queuedEvents", "delete_asset_queued_events", "Asset"),
    Missing("GET", "/assets/{asset_id}", "get_asset", "Asset"),
    Missing("GET", "/dags/{dag_id}/assets/queuedEvents", "get_dag_asset_queued_events", "Asset"),
    Missing("DELETE", "/dags/{dag_id}/assets/queuedEvents", "delete_dag_asset_queued_events", "Asset"),
    Missing("GET", "/dags/{dag_id}/assets/{asset_id}/queuedEvents", "get_dag_asset_queued_event", "Asset"),
    Missing("DELETE", "/dags/{dag_id}/assets/{asset_id}/queuedEvents", "delete_dag_asset_queued_event", "Asset"),
    Missing("GET", "/backfills", "list_backfills", "Backfill"),
    Missing("POST", "/backfills", "create_backfill", "Backfill"),
    Missing("GET", "/backfills/{backfill_id}", "get_backfill", "Backfill"),
    Missing("PUT", "/backfills/{backfill_id}/pause", "pause_backfill", "Backfill"),
    Missing("PUT", "/backfills/{backfill_id}/unpause", "unpause_backfill", "Backfill"),
    Missing("PUT", "/backfills/{backfill_id}/cancel", "cancel_backfill", "Backfill"),
    Missing("POST", "/backfills/dry_run", "create_backfill_dry_run", "Backfill"),
    Missing("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/upstreamAssetEvents", "get_upstream_asset_events", "DagRun"),
    Missing("POST", "/dags/{dag_id}/clearPartitions", "clear_dag_run_partitions", "DagRun"),
    Missing("GET", "/config", "get_config", "Config"),
    Missing("GET", "/config/section/{section}/option/{option}", "get_config_value", "Config"),
    Missing("GET", "/jobs", "get_jobs", "Job"),
    Missing("GET", "/plugins", "get_plugins", "Plugin"),
    Missing("GET", "/plugins/importErrors", "import_errors", "Plugin"),
    Missing("GET", "/providers", "get_providers", "Provider"),
    Missing("GET", "/assets/{asset_id}/state-store", "list_asset_state_store", "Asset State Store"),
    Missing("DELETE", "/assets/{asset_id}/state-store", "clear_asset_state_store", "Asset State Store"),
    Missing("GET", "/assets/{asset_id}/state-store/{key}", "get_asset_state_store", "Asset State Store"),
    Missing("PUT", "/assets/{asset_id}/state-store/{key}", "set_asset_state_store", "Asset State Store"),
    Missing("DELETE", "/assets/{asset_id}/state-store/{key}", "delete_asset_state_store", "Asset State Store"),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/logs/{try_number}",
        "get_log",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/externalLogUrl/{try_number}",
        "get_external_log_url",
        "Task Instance",
    ),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails",
        "update_hitl_detail",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails",
        "get_hitl_detail",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails/tries/{try_number}",
        "get_hitl_detail_try_detail",
        "Task Instance",
    ),
    Missing("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", "get_hitl_details", "Task Instance"),
    Missing("GET", "/monitor/health", "get_health", "Monitor"),
    Missing("GET", "/version", "get_version", "Version"),
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
