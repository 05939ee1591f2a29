"""Pools."""

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import pool

POOLS = Listing(
    pool,
    {
        "name": pool.c.name,
        "slots": pool.c.slots,
        "description": pool.c.description,
        "include_deferred": pool.c.include_deferred,
    },
    key=("name",),
    order=(Order("name"),),
    # What clients of the REST API may sort by, besides.
    hidden={"id": pool.c.name, "pool": pool.c.name},
)
