"""The words of `access_control` and of role definitions."""

from typing import Final

ACTION_CAN_CREATE: Final = "can_create"
ACTION_CAN_READ: Final = "can_read"
ACTION_CAN_EDIT: Final = "can_edit"
ACTION_CAN_DELETE: Final = "can_delete"
ACTION_CAN_ACCESS_MENU: Final = "menu_access"
DEPRECATED_ACTION_CAN_DAG_READ: Final = "can_dag_read"
DEPRECATED_ACTION_CAN_DAG_EDIT: Final = "can_dag_edit"
DAG_ACTIONS: Final = {ACTION_CAN_READ, ACTION_CAN_EDIT, ACTION_CAN_DELETE}

RESOURCE_ACTION: Final = "Permissions"
RESOURCE_ADMIN_MENU: Final = "Admin"
RESOURCE_ASSET: Final = "Assets"
RESOURCE_ASSET_ALIAS: Final = "Asset Aliases"
RESOURCE_AUDIT_LOG: Final = "Audit Logs"
RESOURCE_BACKFILL: Final = "Backfills"
RESOURCE_BROWSE_MENU: Final = "Browse"
RESOURCE_CLUSTER_ACTIVITY: Final = "Cluster Activity"
RESOURCE_CONFIG: Final = "Configurations"
RESOURCE_CONNECTION: Final = "Connections"
RESOURCE_DAG: Final = "DAGs"
RESOURCE_DAG_CODE: Final = "DAG Code"
RESOURCE_DAG_DEPENDENCIES: Final = "DAG Dependencies"
RESOURCE_DAG_PREFIX: Final = "DAG:"
RESOURCE_DAG_RUN: Final = "DAG Runs"
RESOURCE_DAG_RUN_PREFIX: Final = "DAG Run:"
RESOURCE_DAG_VERSION: Final = "DAG Versions"
RESOURCE_DAG_WARNING: Final = "DAG Warnings"
RESOURCE_DOCS: Final = "Documentation"
RESOURCE_DOCS_MENU: Final = "Docs"
RESOURCE_HITL_DETAIL: Final = "HITL Detail"
RESOURCE_IMPORT_ERROR: Final = "ImportError"
RESOURCE_JOB: Final = "Jobs"
RESOURCE_MY_PASSWORD: Final = "My Password"
RESOURCE_MY_PROFILE: Final = "My Profile"
RESOURCE_PASSWORD: Final = "Passwords"
RESOURCE_PERMISSION: Final = "Permission Views"
RESOURCE_PLUGIN: Final = "Plugins"
RESOURCE_POOL: Final = "Pools"
RESOURCE_PROVIDER: Final = "Providers"
RESOURCE_RESOURCE: Final = "View Menus"
RESOURCE_ROLE: Final = "Roles"
RESOURCE_SLA_MISS: Final = "SLA Misses"
RESOURCE_TASK_INSTANCE: Final = "Task Instances"
RESOURCE_TASK_LOG: Final = "Task Logs"
RESOURCE_TASK_RESCHEDULE: Final = "Task Reschedules"
RESOURCE_TRIGGER: Final = "Triggers"
RESOURCE_USER: Final = "Users"
RESOURCE_USER_STATS_CHART: Final = "User Stats Chart"
RESOURCE_VARIABLE: Final = "Variables"
RESOURCE_WEBSITE: Final = "Website"
RESOURCE_XCOM: Final = "XComs"

PREFIX_LIST: Final = [RESOURCE_DAG_PREFIX, RESOURCE_DAG_RUN_PREFIX]
PREFIX_RESOURCES_MAP: Final = {RESOURCE_DAG_PREFIX: RESOURCE_DAG, RESOURCE_DAG_RUN_PREFIX: RESOURCE_DAG_RUN}
RESOURCE_DETAILS_MAP: Final = {
    RESOURCE_DAG: {"prefix": RESOURCE_DAG_PREFIX, "actions": DAG_ACTIONS},
    RESOURCE_DAG_RUN: {
        "prefix": RESOURCE_DAG_RUN_PREFIX,
        "actions": {ACTION_CAN_READ, ACTION_CAN_CREATE, ACTION_CAN_DELETE, ACTION_CAN_ACCESS_MENU},
    },
}


def resource_name(root_dag_id: str, resource: str) -> str:
    """The name of a resource of one DAG, such as `DAG:etl`."""
    if root_dag_id in PREFIX_RESOURCES_MAP.values():
        return root_dag_id
    prefix = str(RESOURCE_DETAILS_MAP[resource]["prefix"])
    return root_dag_id if root_dag_id.startswith(prefix) else f"{prefix}{root_dag_id}"


def resource_name_for_dag(root_dag_id: str) -> str:
    """The name of the resource of a DAG, such as `DAG:etl`."""
    return resource_name(root_dag_id, RESOURCE_DAG)
