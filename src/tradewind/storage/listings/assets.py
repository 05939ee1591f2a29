"""Assets, who names them, what aliases stand for, their updates, and what is kept about them."""

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.heard import first_at, heard
from tradewind.storage.listings.any_text import any_text
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import (
    asset,
    asset_alias,
    asset_alias_asset,
    asset_delivery,
    asset_event,
    asset_reference,
    asset_state,
    asset_watcher,
    dag,
    dag_run,
    delivery_is_pending,
    schedule_slot,
    watcher,
)

_newest = (
    sa.select(asset_event.c.event_key)
    .where(asset_event.c.asset_key == asset.c.asset_key)
    .order_by(asset_event.c.created_at.desc(), asset_event.c.event_key.desc())
    .limit(1)
    .scalar_subquery()
)
_newest_at = (
    sa.select(sa.func.max(asset_event.c.created_at))
    .where(asset_event.c.asset_key == asset.c.asset_key)
    .scalar_subquery()
)

ASSETS = Listing(
    asset,
    {
        "id": asset.c.asset_key,
        "name": any_text(asset.c.name),
        "uri": any_text(asset.c.uri),
        "group": any_text(asset.c.group),
        "extra": asset.c.extra,
        "created_at": asset.c.created_at,
        "updated_at": asset.c.updated_at,
        "last_event_id": _newest,
        "last_event_at": _newest_at,
    },
    key=("id",),
    order=(Order("id"),),
    hidden={"is_active": asset.c.is_active},
)

# The reference is as old as its DAG at most, and is written anew with each version of it.
ASSET_REFERENCES = Listing(
    asset_reference.join(dag, dag.c.dag_id == asset_reference.c.dag_id),
    {
        "asset_id": asset_reference.c.asset_key,
        "dag_id": asset_reference.c.dag_id,
        "role": asset_reference.c.role,
        "task_id": asset_reference.c.task_id,
        "created_at": dag.c.created_at,
        "updated_at": dag.c.updated_at,
    },
    key=("dag_id", "asset_id", "role", "task_id"),
    order=(Order("dag_id"),),
)

ASSET_ALIASES = Listing(
    asset_alias,
    {"id": asset_alias.c.alias_key, "name": any_text(asset_alias.c.name), "group": any_text(asset_alias.c.group)},
    key=("id",),
    order=(Order("id"),),
)

ALIASES_OF_ASSETS = Listing(
    asset_alias.join(asset_alias_asset, asset_alias_asset.c.alias == asset_alias.c.name),
    {**ASSET_ALIASES.shown, "asset_id": asset_alias_asset.c.asset_key},
    key=("id", "asset_id"),
    order=(Order("id"),),
)

# Each asset that a watcher speaks of, once for each DAG that says so.
WATCHERS = Listing(
    asset_watcher.join(watcher, watcher.c.watcher_key == asset_watcher.c.watcher_key).join(
        asset, asset.c.asset_key == asset_watcher.c.asset_key
    ),
    {
        "trigger_id": watcher.c.watcher_key,
        "name": asset_watcher.c.name,
        "asset_id": asset_watcher.c.asset_key,
        "asset": any_text(asset.c.name),
        "dag_id": asset_watcher.c.dag_id,
        "class_path": watcher.c.class_path,
        "triggerer_id": watcher.c.triggerer,
        "events": watcher.c.stored,
        "failures": watcher.c.failures,
        "failed_at": watcher.c.failed_at,
        "error": watcher.c.error,
        "blocked_count": watcher.c.blocks,
        "last_blocked": watcher.c.blocked_at,
        "last_blocked_stack": watcher.c.blocked_stack,
        "is_quarantined": watcher.c.is_quarantined,
        "created_date": watcher.c.created_at,
    },
    key=("trigger_id", "asset_id", "dag_id"),
    order=(Order("trigger_id"),),
)

ASSET_EVENTS = Listing(
    asset_event.join(asset, asset.c.asset_key == asset_event.c.asset_key),
    {
        "id": asset_event.c.event_key,
        "asset_id": asset_event.c.asset_key,
        "uri": any_text(asset.c.uri),
        "name": any_text(asset.c.name),
        "group": any_text(asset.c.group),
        "extra": asset_event.c.extra,
        "source_dag_id": asset_event.c.source_dag_id,
        "source_task_id": asset_event.c.source_task_id,
        "source_run_id": asset_event.c.source_run_id,
        "source_map_index": asset_event.c.source_map_index,
        "timestamp": asset_event.c.created_at,
        "partition_key": asset_event.c.partition_key,
    },
    key=("id",),
    order=(Order("timestamp"),),
    secret=frozenset({"extra"}),
)

RUNS_OF_EVENTS = Listing(
    heard.join(dag_run, dag_run.c.run_key == heard.c.run_key),
    {
        "event_id": heard.c.event_key,
        "run_id": dag_run.c.run_id,
        "dag_id": dag_run.c.dag_id,
        "logical_date": dag_run.c.logical_date,
        "queued_at": dag_run.c.queued_at,
        "start_date": dag_run.c.started_at,
        "end_date": dag_run.c.finished_at,
        "state": dag_run.c.state,
        "data_interval_start": dag_run.c.interval_start,
        "data_interval_end": dag_run.c.interval_end,
        "partition_key": dag_run.c.partition_key,
    },
    # Of one DAG there are several where its mapper fans out.
    key=("event_id", "dag_id", "run_id"),
    order=(Order("event_id"), Order("dag_id")),
)

_queued = (
    sa.select(
        asset_delivery.c.dag_id,
        asset_delivery.c.asset_key,
        sa.func.min(first_at).label("created_at"),
    )
    .where(delivery_is_pending)
    .group_by(asset_delivery.c.dag_id, asset_delivery.c.asset_key)
    .subquery("queued")
)

# What a DAG has not run for: of each asset the first update.
QUEUED_EVENTS = Listing(
    _queued.join(dag, dag.c.dag_id == _queued.c.dag_id),
    {
        "dag_id": _queued.c.dag_id,
        "asset_id": _queued.c.asset_key,
        "created_at": _queued.c.created_at,
        "dag_display_name": dag.c.display_name,
    },
    key=("dag_id", "asset_id"),
    order=(Order("dag_id"), Order("asset_id")),
)

SLOTS = Listing(
    schedule_slot.outerjoin(dag_run, dag_run.c.run_key == schedule_slot.c.run_key),
    {
        "id": schedule_slot.c.slot_key,
        "dag_id": schedule_slot.c.dag_id,
        "run_after": schedule_slot.c.run_after,
        "data_interval_start": schedule_slot.c.interval_start,
        "data_interval_end": schedule_slot.c.interval_end,
        "state": schedule_slot.c.state,
        "created_at": schedule_slot.c.created_at,
        "deadline_at": schedule_slot.c.deadline_at,
        "settled_at": schedule_slot.c.settled_at,
        "dag_run_id": dag_run.c.run_id,
        "reason": schedule_slot.c.reason,
    },
    key=("id",),
    order=(Order("run_after", is_descending=True),),
)

ASSET_STATES = Listing(
    asset_state,
    {
        "key": asset_state.c.key,
        "value": asset_state.c.value,
        "updated_at": asset_state.c.updated_at,
        "written_by": asset_state.c.written_by,
    },
    key=("asset_id", "key"),
    order=(Order("key"),),
    hidden={"asset_id": asset_state.c.asset_key},
)
