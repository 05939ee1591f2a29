"""Assets, who names them, what aliases stand for, their updates, and what is kept about them."""

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.any_text import any_text
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import (
    asset,
    asset_alias,
    asset_alias_asset,
    asset_event,
    asset_reference,
    asset_state,
    dag,
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
