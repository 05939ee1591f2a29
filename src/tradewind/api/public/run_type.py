"""Why a run exists, as clients know it."""

from enum import StrEnum


class DagRunType(StrEnum):
    """In the order of Airflow's document."""

    BACKFILL = "backfill"
    SCHEDULED = "scheduled"
    MANUAL = "manual"
    OPERATOR_TRIGGERED = "operator_triggered"
    ASSET_TRIGGERED = "asset_triggered"
    ASSET_MATERIALIZATION = "asset_materialization"
