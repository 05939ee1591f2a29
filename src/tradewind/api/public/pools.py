"""Pools: how many tasks of a kind may run at once."""

from typing import Annotated, Any, Final

from fastapi import Query as Parameter
from pydantic import BaseModel, ConfigDict, Field

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, listed, matches, starts_with
from tradewind.api.public.bulk import BulkBody, BulkResponse, Named, bulk_response
from tradewind.api.public.update_mask import changed_fields
from tradewind.api.services import Given
from tradewind.errors import InvalidRequest, UnknownPool
from tradewind.model.listing import Listed, Row
from tradewind.model.pool import UNLIMITED_SLOTS, Pool
from tradewind.model.states import OCCUPYING_STATES, TaskState
from tradewind.operations.manage_pools import create_pool, delete_pool, update_pool
from tradewind.storage.interface import Transaction

operations = Operations("Pool")

_READ: Final = Need(Resource.POOL, Action.READ)
_EDIT: Final = Need(Resource.POOL, Action.EDIT)
_DELETE: Final = Need(Resource.POOL, Action.DELETE)

Slots = Annotated[int, Field(ge=-1)]
Team = Annotated[str, Field(max_length=50)]
SlotsByState = dict[tuple[str, TaskState], int]


class PoolResponse(BaseModel):
    """A pool, and who holds its slots."""

    name: str
    slots: Slots
    description: str | None = None
    include_deferred: bool
    occupied_slots: int
    running_slots: int
    queued_slots: int
    scheduled_slots: int
    open_slots: int
    deferred_slots: int
    team_name: str | None


class PoolCollectionResponse(BaseModel):
    """A page of pools."""

    pools: list[PoolResponse]
    total_entries: int


class PoolBody(BaseModel):
    """A pool to be."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(max_length=256)]
    slots: Slots
    description: str | None = None
    include_deferred: bool = False
    team_name: Team | None = None


class PoolPatchBody(BaseModel):
    """What is to change about a pool."""

    model_config = ConfigDict(extra="forbid")
    pool: str | None = None
    slots: Slots | None = None
    description: str | None = None
    include_deferred: bool | None = None
    team_name: Team | None = None


@operations.add("GET", "/pools", operation_id="get_pools", need=_READ)
def get_pools(
    services: Given,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
    pool_name_pattern: str | None = None,
    pool_name_prefix_pattern: str | None = None,
) -> PoolCollectionResponse:
    """All pools."""
    conditions = [matches("name", pool_name_pattern), starts_with("name", pool_name_prefix_pattern)]

    def work(tx: Transaction) -> PoolCollectionResponse:
        page = listed(tx, Listed.POOLS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        used = tx.queue.slots_by_state()
        return PoolCollectionResponse(pools=[_response(row, used) for row in page.rows], total_entries=page.total)

    return services.store.read(work)


@operations.add("GET", "/pools/{pool_name}", operation_id="get_pool", need=_READ)
def get_pool(pool_name: str, services: Given) -> PoolResponse:
    """One of them."""
    return services.store.read(lambda tx: _shown(tx, pool_name))


@operations.add("POST", "/pools", operation_id="post_pool", need=_EDIT, status=201)
def post_pool(body: PoolBody, services: Given) -> PoolResponse:
    """Make one."""

    def work(tx: Transaction) -> PoolResponse:
        create_pool(tx, _pool(body))
        return _shown(tx, body.name)

    return services.store.transact(work)


@operations.add("PATCH", "/pools/{pool_name}", operation_id="patch_pool", need=_EDIT)
def patch_pool(
    pool_name: str,
    body: PoolPatchBody,
    services: Given,
    update_mask: Annotated[list[str] | None, Parameter()] = None,
) -> PoolResponse:
    """Change one."""
    changes = changed_fields(body, update_mask)
    if changes.pop("pool", pool_name) != pool_name:
        raise InvalidRequest("Invalid body, pool name from request body doesn't match uri parameter")

    def work(tx: Transaction) -> PoolResponse:
        update_pool(tx, _changed(_found(tx, pool_name), changes))
        return _shown(tx, pool_name)

    return services.store.transact(work)


@operations.add("DELETE", "/pools/{pool_name}", operation_id="delete_pool", need=_DELETE, status=204)
def remove_pool(pool_name: str, services: Given) -> None:
    """Delete one."""
    services.store.transact(lambda tx: delete_pool(tx, pool_name))


@operations.add("PATCH", "/pools", operation_id="bulk_pools", need=_EDIT)
def bulk_pools(body: BulkBody[PoolBody], services: Given) -> BulkResponse:
    """Make, change and delete many."""

    def work(tx: Transaction) -> BulkResponse:
        named: Named[PoolBody] = Named(
            word="pools",
            name_of=lambda each: each.name,
            there=lambda names: [name for name in names if tx.pools.find(name) is not None],
            create=lambda each: _put(tx, _pool(each)),
            update=lambda each, mask: update_pool(tx, _changed(_found(tx, each.name), changed_fields(each, mask))),
            delete=lambda name: delete_pool(tx, name),
        )
        return bulk_response(named, body)

    return services.store.transact(work)


def _put(tx: Transaction, pool: Pool) -> None:
    if tx.pools.find(pool.name) is None:
        create_pool(tx, pool)
    else:
        update_pool(tx, pool)


def _pool(body: PoolBody) -> Pool:
    return Pool(body.name, body.slots, body.include_deferred, body.description)


def _changed(pool: Pool, changes: dict[str, Any]) -> Pool:
    return Pool(
        pool.name,
        pool.slots if changes.get("slots") is None else changes["slots"],
        pool.include_deferred if changes.get("include_deferred") is None else changes["include_deferred"],
        changes.get("description", pool.description),
    )


def _found(tx: Transaction, name: str) -> Pool:
    pool = tx.pools.find(name)
    if pool is None:
        raise UnknownPool(name)
    return pool


def _shown(tx: Transaction, name: str) -> PoolResponse:
    pool = _found(tx, name)
    row = {
        "name": pool.name,
        "slots": pool.slots,
        "description": pool.description,
        "include_deferred": pool.include_deferred,
    }
    return _response(row, tx.queue.slots_by_state())


def _response(row: Row, used: SlotsByState) -> PoolResponse:
    slots = {state: used.get((str(row["name"]), state), 0) for state in TaskState}
    deferred = slots[TaskState.DEFERRED]
    occupied = sum(slots[state] for state in OCCUPYING_STATES) + (deferred if row["include_deferred"] else 0)
    size = row["slots"]
    assert isinstance(size, int)
    return PoolResponse.model_validate(
        {
            **row,
            "occupied_slots": occupied,
            "running_slots": slots[TaskState.RUNNING],
            "queued_slots": slots[TaskState.QUEUED],
            "scheduled_slots": slots[TaskState.SCHEDULED],
            "open_slots": UNLIMITED_SLOTS if size == UNLIMITED_SLOTS else size - occupied,
            "deferred_slots": deferred,
            "team_name": None,
        }
    )
