"""What clients say about lists: how many, from where, in which order, of what kind."""

import base64
import binascii
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from fastapi import HTTPException
from fastapi import Query as Parameter

from tradewind.errors import InvalidRequest
from tradewind.model.listing import Condition, Listed, Order, Page, Query, Test
from tradewind.storage.interface import Transaction

MOST_AT_ONCE: Final = 100
"""Unless `[api] maximum_page_limit` says otherwise; and of what is no page."""
USUAL: Final = 50
"""If a client does not say, unless `[api] fallback_page_limit` says otherwise."""
MOST_COUNTED: Final = 1000
"""With a cursor, clients are told at most that there are so many: to count more would cost more than the page."""
_BOUNDS: Final = {"gte": Test.AT_LEAST, "gt": Test.ABOVE, "lte": Test.AT_MOST, "lt": Test.BELOW}


@dataclass(slots=True)
class Sizes:
    """How long pages may be in this process. Written once, when the server is made (`page_sizes.py`)."""

    most: int = MOST_AT_ONCE

    def limited(self, limit: int) -> int:
        """So many, or as many as are allowed."""
        return min(limit, self.most)


SIZES: Final = Sizes()

Limit = Annotated[int, Parameter(ge=0)]
Offset = Annotated[int, Parameter(ge=0)]


def no_values() -> list[Any]:
    """An empty list. Not `list`: with each request it would be asked for its signature, which takes half a
    millisecond."""
    return []


Texts = Annotated[list[str], Parameter(default_factory=no_values)]
Numbers = Annotated[list[int], Parameter(default_factory=no_values)]


def listed(
    tx: Transaction,
    what: Listed,
    *,
    conditions: Iterable[Condition | None] = (),
    order_by: Iterable[str] = (),
    limit: int = USUAL,
    offset: int = 0,
) -> Page:
    """A page of a list. Conditions that nobody asked for are None."""
    query = Query(
        tuple(each for each in conditions if each is not None),
        tuple(order_of(name) for name in order_by),
        SIZES.limited(limit),
        offset,
    )
    return tx.listings.page(what, query)


def order_of(name: str) -> Order:
    """`-start_date`: the latest first."""
    return Order(name.removeprefix("-"), name.startswith("-"))


def is_(field: str, value: object) -> Condition | None:
    """Equal; no condition if nobody asked."""
    return None if value is None else Condition(field, Test.IS, value)


def one_of(field: str, values: Iterable[object] | None) -> Condition | None:
    """Equal to one of them; no condition if there are none."""
    chosen = tuple(values or ())
    return Condition(field, Test.ONE_OF, chosen) if chosen else None


def matches(field: str, pattern: str | None) -> Condition | None:
    """As `*_pattern` says."""
    return None if not pattern or pattern == "~" else Condition(field, Test.MATCHES, pattern)


def starts_with(field: str, prefix: str | None) -> Condition | None:
    """As `*_prefix_pattern` says."""
    return None if not prefix or prefix == "~" else Condition(field, Test.STARTS_WITH, prefix)


def within(field: str, **bounds: datetime | float | None) -> list[Condition]:
    """`within("start_date", gte=..., lt=...)`: those bounds that are given.

    Raises:
        InvalidRequest: a bound that is no number.
    """
    for value in bounds.values():
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidRequest(f"{field} cannot be compared with {value}")
    return [Condition(field, _BOUNDS[name], value) for name, value in bounds.items() if value is not None]


Cursor = Annotated[str | None, Parameter()]
"""Where a page begins: empty for the first one, else what the page before it said. None: pages by offset."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Which of the pages was asked for, and what its answer says about the others."""

    limit: int
    offset: int
    cursor: str | None

    def query(self, conditions: Iterable[Condition | None], order_by: Iterable[str]) -> Query:
        """What to ask of the list.

        Raises:
            HTTPException: 400; the cursor is not one of ours.
        """
        asked = tuple(each for each in conditions if each is not None)
        order = tuple(order_of(name) for name in order_by)
        limit = SIZES.limited(self.limit)
        if self.cursor is None:
            return Query(asked, order, limit, self.offset)
        is_backward, edge = _read_cursor(self.cursor) if self.cursor else (False, None)
        return Query(
            asked,
            order,
            limit,
            after=None if is_backward else edge,
            before=edge if is_backward else None,
            most_counted=MOST_COUNTED,
        )

    def answer(self, page: Page) -> dict[str, Any]:
        """The fields of the answer that tell of other pages."""
        has_cursor = self.cursor is not None
        return {
            "total_entries": page.total,
            "total_entries_limit": MOST_COUNTED if has_cursor else None,
            "next_cursor": _cursor(page.last, is_backward=False) if has_cursor else None,
            "previous_cursor": _cursor(page.first, is_backward=True) if has_cursor else None,
        }


def _cursor(edge: tuple[object, ...] | None, *, is_backward: bool) -> str | None:
    """A place in a list as a text that only we understand."""
    if edge is None:
        return None
    return base64.urlsafe_b64encode(msgspec.msgpack.encode((is_backward, *edge))).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[bool, tuple[Any, ...]]:
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        is_backward, *edge = msgspec.msgpack.decode(data, type=list[Any])
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise HTTPException(400, "Invalid cursor token") from None
    if not isinstance(is_backward, bool):
        raise HTTPException(400, "Invalid cursor token")
    return is_backward, tuple(edge)
