"""Runs."""

from typing import Final

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.any_text import any_text
from tradewind.storage.listings.duration import SecondsBetween
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import asset, asset_delivery, dag, dag_run, dag_version

_RUN: Final = dag_run.c
_VERSION: Final = dag_version.c

# All assets that it was made for, as one text to search in.
_consumed_names = (
    sa.select(any_text(sa.func.aggregate_strings(asset.c.name + "\n" + asset.c.uri, "\n")))
    .where(
        asset.c.asset_key.in_(
            sa.select(asset_delivery.c.asset_key).where(asset_delivery.c.run_key == _RUN.run_key).correlate(dag_run)
        )
    )
    .correlate(dag_run)
    .scalar_subquery()
)

DAG_RUNS = Listing(
    dag_run,
    {
        "dag_run_id": _RUN.run_id,
        "dag_id": _RUN.dag_id,
        "logical_date": _RUN.logical_date,
        "queued_at": _RUN.queued_at,
        "start_date": _RUN.started_at,
        "end_date": _RUN.finished_at,
        "data_interval_start": _RUN.interval_start,
        "data_interval_end": _RUN.interval_end,
        "run_after": _RUN.run_after,
        "last_scheduling_decision": _RUN.decided_at,
        "run_type": _RUN.run_type,
        "state": _RUN.state,
        "triggered_by": _RUN.triggered_by,
        "triggering_user_name": _RUN.triggering_user_name,
        "conf": _RUN.conf,
        "note": _RUN.note,
        "bundle_version": _RUN.bundle_version,
        "partition_key": _RUN.partition_key,
        "partition_date": _RUN.partition_date,
        "dag_display_name": dag.c.display_name,
        "version_key": _RUN.version_key,
        "version_number": _VERSION.version_number,
        "version_created_at": _VERSION.created_at,
        "version_bundle_name": _VERSION.bundle_name,
        "version_bundle_version": _VERSION.bundle_version,
    },
    key=("id",),
    order=(Order("id"),),
    joined=((dag_version, _VERSION.version_key == _RUN.version_key), (dag, dag.c.dag_id == _RUN.dag_id)),
    hidden={
        # What clients of the REST API may sort by and ask for, besides.
        "id": _RUN.run_key,
        "run_id": _RUN.run_id,
        "updated_at": _RUN.updated_at,
        "duration": SecondsBetween(_RUN.started_at, _RUN.finished_at),
        "consuming_asset": _consumed_names,
    },
)
