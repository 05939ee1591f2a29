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
    Missing("DELETE", "/connections/{connection_id}", "delete_connection", "Connection"),
    Missing("GET", "/connections/{connection_id}", "get_connection", "Connection"),
    Missing("PATCH", "/connections/{connection_id}", "patch_connection", "Connection"),
    Missing("GET", "/connections/enqueue-test", "get_connection_test", "Connection"),
    Missing("POST", "/connections/enqueue-test", "enqueue_connection_test", "Connection"),
    Missing("GET", "/connections", "get_connections", "Connection"),
    Missing("POST", "/connections", "post_connection", "Connection"),
    Missing("PATCH", "/connections", "bulk_connections", "Connection"),
    Missing("POST", "/connections/test", "test_connection", "Connection"),
    Missing("POST", "/connections/defaults", "create_default_connections", "Connection"),
    Missing("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}", "get_dag_run", "DagRun"),
    Missing("DELETE", "/dags/{dag_id}/dagRuns/{dag_run_id}", "delete_dag_run", "DagRun"),
    Missing("PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}", "patch_dag_run", "DagRun"),
    Missing("PATCH", "/dags/{dag_id}/dagRuns", "bulk_dag_runs", "DagRun"),
    Missing("GET", "/dags/{dag_id}/dagRuns", "get_dag_runs", "DagRun"),
    Missing("POST", "/dags/{dag_id}/dagRuns", "trigger_dag_run", "DagRun"),
    Missing("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/upstreamAssetEvents", "get_upstream_asset_events", "DagRun"),
    Missing("POST", "/dags/{dag_id}/dagRuns/{dag_run_id}/clear", "clear_dag_run", "DagRun"),
    Missing("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/wait", "wait_dag_run_until_finished", "DagRun"),
    Missing("POST", "/dags/{dag_id}/dagRuns/list", "get_list_dag_runs_batch", "DagRun"),
    Missing("POST", "/dags/{dag_id}/clearDagRuns", "clear_dag_runs", "DagRun"),
    Missing("POST", "/dags/{dag_id}/clearPartitions", "clear_dag_run_partitions", "DagRun"),
    Missing("GET", "/dagSources/{dag_id}", "get_dag_source", "DagSource"),
    Missing("GET", "/dagStats", "get_dag_stats", "DagStats"),
    Missing("GET", "/config", "get_config", "Config"),
    Missing("GET", "/config/section/{section}/option/{option}", "get_config_value", "Config"),
    Missing("GET", "/dagWarnings", "list_dag_warnings", "DagWarning"),
    Missing("GET", "/dags", "get_dags", "DAG"),
    Missing("PATCH", "/dags", "patch_dags", "DAG"),
    Missing("GET", "/dags/{dag_id}", "get_dag", "DAG"),
    Missing("PATCH", "/dags/{dag_id}", "patch_dag", "DAG"),
    Missing("DELETE", "/dags/{dag_id}", "delete_dag", "DAG"),
    Missing("GET", "/dags/{dag_id}/details", "get_dag_details", "DAG"),
    Missing("POST", "/dags/{dag_id}/favorite", "favorite_dag", "DAG"),
    Missing("POST", "/dags/{dag_id}/unfavorite", "unfavorite_dag", "DAG"),
    Missing("GET", "/eventLogs/{event_log_id}", "get_event_log", "Event Log"),
    Missing("GET", "/eventLogs", "get_event_logs", "Event Log"),
    Missing(
        "GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/links", "get_extra_links", "Extra Links"
    ),
    Missing("GET", "/importErrors/{import_error_id}", "get_import_error", "Import Error"),
    Missing("GET", "/importErrors", "get_import_errors", "Import Error"),
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
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store",
        "list_task_state_store",
        "Task State Store",
    ),
    Missing(
        "DELETE",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store",
        "clear_task_state_store",
        "Task State Store",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store/{key}",
        "get_task_state_store",
        "Task State Store",
    ),
    Missing(
        "PUT",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store/{key}",
        "set_task_state_store",
        "Task State Store",
    ),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store/{key}",
        "patch_task_state_store",
        "Task State Store",
    ),
    Missing(
        "DELETE",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store/{key}",
        "delete_task_state_store",
        "Task State Store",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries/{xcom_key}",
        "get_xcom_entry",
        "XCom",
    ),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries/{xcom_key}",
        "update_xcom_entry",
        "XCom",
    ),
    Missing(
        "DELETE",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries/{xcom_key}",
        "delete_xcom_entry",
        "XCom",
    ),
    Missing(
        "GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries", "get_xcom_entries", "XCom"
    ),
    Missing(
        "POST", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries", "create_xcom_entry", "XCom"
    ),
    Missing("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}", "get_task_instance", "Task Instance"),
    Missing(
        "PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}", "patch_task_instance", "Task Instance"
    ),
    Missing(
        "DELETE", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}", "delete_task_instance", "Task Instance"
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/listMapped",
        "get_mapped_task_instances",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/dependencies",
        "get_task_instance_dependencies_by_map_index",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/dependencies",
        "get_task_instance_dependencies",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/tries",
        "get_task_instance_tries",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/tries",
        "get_mapped_task_instance_tries",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}",
        "get_mapped_task_instance",
        "Task Instance",
    ),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}",
        "patch_task_instance_by_map_index",
        "Task Instance",
    ),
    Missing("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", "get_task_instances", "Task Instance"),
    Missing("PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", "bulk_task_instances", "Task Instance"),
    Missing(
        "POST", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/list", "get_task_instances_batch", "Task Instance"
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/tries/{task_try_number}",
        "get_task_instance_try_details",
        "Task Instance",
    ),
    Missing(
        "GET",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/tries/{task_try_number}",
        "get_mapped_task_instance_try_details",
        "Task Instance",
    ),
    Missing("POST", "/dags/{dag_id}/clearTaskInstances", "post_clear_task_instances", "Task Instance"),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}",
        "patch_task_group_instances",
        "Task Instance",
    ),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}/dry_run",
        "patch_task_group_instances_dry_run",
        "Task Instance",
    ),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/dry_run",
        "patch_task_instance_dry_run_by_map_index",
        "Task Instance",
    ),
    Missing(
        "PATCH",
        "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/dry_run",
        "patch_task_instance_dry_run",
        "Task Instance",
    ),
    Missing("GET", "/dags/{dag_id}/tasks", "get_tasks", "Task"),
    Missing("GET", "/dags/{dag_id}/tasks/{task_id}", "get_task", "Task"),
    Missing("DELETE", "/variables/{variable_key}", "delete_variable", "Variable"),
    Missing("GET", "/variables/{variable_key}", "get_variable", "Variable"),
    Missing("PATCH", "/variables/{variable_key}", "patch_variable", "Variable"),
    Missing("GET", "/variables", "get_variables", "Variable"),
    Missing("POST", "/variables", "post_variable", "Variable"),
    Missing("PATCH", "/variables", "bulk_variables", "Variable"),
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
    Missing("PUT", "/parseDagFile/{file_token}", "reparse_dag_file", "DAG Parsing"),
    Missing("GET", "/dagTags", "get_dag_tags", "DAG"),
    Missing("GET", "/dags/{dag_id}/dagVersions/{version_number}", "get_dag_version", "DagVersion"),
    Missing("GET", "/dags/{dag_id}/dagVersions", "get_dag_versions", "DagVersion"),
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
    Missing("GET", "/auth/login", "login", "Login"),
    Missing("GET", "/auth/logout", "logout", "Login"),
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
