"""Lists for clients: of what, which fields, what they may be asked for.

One module for each kind of thing; `listing.py` makes the statements. May import what `storage` may.
"""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa

from tradewind.model.listing import Listed, Page, Query
from tradewind.storage.listings.listing import Listing
from tradewind.storage.listings.pools import POOLS

_LISTINGS: Final[Mapping[Listed, Listing]] = {
    Listed.POOLS: POOLS,
}


class Listings:
    """Implements `interface.ListingStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def page(self, what: Listed, query: Query) -> Page:
        return _LISTINGS[what].page(self._connection, query)
