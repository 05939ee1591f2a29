"""Create, change and delete pools."""

from collections.abc import Sequence

from tradewind.errors import InvalidRequest, PoolExists, UnknownPool
from tradewind.model.pool import DEFAULT_POOL, UNLIMITED_SLOTS, Pool
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import PoolChanged


def create_pool(tx: Transaction, pool: Pool) -> None:
    """Raises `PoolExists` and `InvalidRequest` (a number of slots that makes no sense)."""
    check_pool(pool)
    if tx.pools.find(pool.name) is not None:
        raise PoolExists(pool.name)
    tx.pools.create(pool)
    tx.emit(PoolChanged(pool.name))


def update_pool(tx: Transaction, pool: Pool) -> None:
    """Give a pool other slots. Tasks that hold slots keep them, also where there are now fewer.

    Raises `UnknownPool` and `InvalidRequest`.
    """
    check_pool(pool)
    if not tx.pools.update(pool):
        raise UnknownPool(pool.name)
    tx.emit(PoolChanged(pool.name))


def set_pools(tx: Transaction, pools: Sequence[Pool]) -> None:
    """Create those that do not exist, and change the others. Raises `InvalidRequest`."""
    for pool in pools:
        if tx.pools.find(pool.name) is None:
            create_pool(tx, pool)
        else:
            update_pool(tx, pool)


def delete_pool(tx: Transaction, name: str) -> None:
    """Tasks that name the pool wait until there is one of that name again. Raises `UnknownPool`, `InvalidRequest`."""
    if name == DEFAULT_POOL:
        raise InvalidRequest(f"the pool {DEFAULT_POOL!r} cannot be deleted")
    if not tx.pools.delete(name):
        raise UnknownPool(name)
    tx.emit(PoolChanged(name, is_deleted=True))


def check_pool(pool: Pool) -> None:
    """Raises `InvalidRequest` for one that makes no sense."""
    if not pool.name:
        raise InvalidRequest("a pool needs a name")
    if pool.slots < UNLIMITED_SLOTS:
        raise InvalidRequest(f"pool {pool.name!r}: slots must be 0 or more, or -1 for no limit, not {pool.slots}")
