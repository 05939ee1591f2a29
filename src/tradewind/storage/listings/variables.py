"""Variables, as they are stored."""

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import variable

VARIABLES = Listing(
    variable,
    {
        "key": variable.c.key,
        "value": variable.c.value,
        "is_encrypted": variable.c.is_encrypted,
        "description": variable.c.description,
    },
    key=("key",),
    order=(Order("key"),),
    # What clients of the REST API may sort by, besides: encrypted values have no order, teams there are none.
    hidden={"id": variable.c.key, "_val": variable.c.key, "team_name": variable.c.key},
    secret=frozenset({"value"}),
)
