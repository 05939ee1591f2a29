"""Lists for clients."""

from typing import Protocol

from tradewind.model.listing import Listed, Page, Query


class ListingStore(Protocol):
    """Reads lists."""

    def page(self, what: Listed, query: Query) -> Page:
        """The rows that were asked for.

        Raises:
            InvalidRequest: a field that the list does not have.
        """
