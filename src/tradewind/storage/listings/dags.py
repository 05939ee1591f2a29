"""DAGs."""

from typing import Any, Final

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing, Related
from tradewind.storage.schema import (
    asset,
    asset_reference,
    dag,
    dag_bundle,
    dag_favorite,
    dag_file,
    dag_run,
    dag_tag,
)
from tradewind.storage.types import AssetText

_DAG: Final = dag.c
_RUN: Final = dag_run.c


def _of_last_run(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Of the run that is the last one in the order of runs: the end of an index, for each DAG. Which of several that
    have the same instant is left open; to sort them would take twice as long."""
    last = sa.select(column).where(_RUN.dag_id == _DAG.dag_id).order_by(_RUN.ordering_at.desc())
    return last.limit(1).correlate(dag).scalar_subquery()


_LAST_STATE: Final = _of_last_run(_RUN.state)
_LAST_START: Final = _of_last_run(_RUN.started_at)

DAGS = Listing(
    dag,
    {
        "dag_id": _DAG.dag_id,
        "dag_display_name": _DAG.display_name,
        "is_paused": _DAG.is_paused,
        "is_stale": _DAG.is_stale,
        "last_parsed_time": dag_file.c.parsed_at,
        "parse_duration_ms": dag_file.c.duration_ms,
        "has_import_errors": dag_file.c.error_at.is_not(None),
        "bundle_name": _DAG.bundle_name,
        "bundle_version": dag_bundle.c.version,
        "relative_fileloc": _DAG.path,
        "description": _DAG.description,
        "timetable_type": _DAG.timetable_type,
        "timetable_summary": _DAG.timetable_summary,
        "timetable_description": _DAG.timetable_description,
        "timetable_partitioned": _DAG.timetable_partitioned,
        "timetable_periodic": _DAG.timetable_periodic,
        "has_asset_schedule": _DAG.has_asset_schedule,
        "max_active_tasks": _DAG.max_active_tasks,
        "max_active_runs": _DAG.max_active_runs,
        "max_consecutive_failed_dag_runs": _DAG.max_consecutive_failed_runs,
        "has_task_concurrency_limits": _DAG.has_task_limits,
        "next_dagrun_data_interval_start": _DAG.next_interval_start,
        "next_dagrun_data_interval_end": _DAG.next_interval_end,
        "next_dagrun_run_after": _DAG.next_run_after,
        "allowed_run_types": _DAG.allowed_run_types,
        "owners": _DAG.owners,
        "version_key": _DAG.version_key,
        "tags": _DAG.tags,
    },
    key=("dag_id",),
    order=(Order("dag_id"),),
    hidden={
        "next_dagrun": _DAG.next_interval_start,
        "state": _LAST_STATE,
        "last_run_state": _LAST_STATE,
        "start_date": _LAST_START,
        "last_run_start_date": _LAST_START,
        "last_run_end_date": _of_last_run(_RUN.finished_at),
    },
    joined=(
        (dag_file, sa.and_(dag_file.c.bundle_name == _DAG.bundle_name, dag_file.c.path == _DAG.path)),
        (dag_bundle, dag_bundle.c.name == _DAG.bundle_name),
    ),
    related={
        "tag": Related(dag_tag.c.name, dag_tag, dag_tag.c.dag_id == _DAG.dag_id),
        "favorite_of": Related(dag_favorite.c.user_name, dag_favorite, dag_favorite.c.dag_id == _DAG.dag_id),
        "awaited_asset": Related(
            sa.type_coerce(asset.c.name + "\n" + asset.c.uri, AssetText()),
            asset_reference.join(asset, asset.c.asset_key == asset_reference.c.asset_key),
            sa.and_(asset_reference.c.dag_id == _DAG.dag_id, asset_reference.c.role == "schedule"),
        ),
    },
)
