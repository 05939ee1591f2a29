"""What clients say about lists: how many, from where, in which order, of what kind."""

import base64
import binascii
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from fastapi import HTTPException
from fastapi import Query as Parameter

from tradewind.model.listing import Condition, Listed, Order, Page, Query, Test
from tradewind.storage.interface import Transaction

MOST_AT_ONCE: Final = 100
USUAL: Final = 50
_BOUNDS: Final = {"gte": Test.AT_LEAST, "gt": Test.ABOVE, "lte": Test.AT_MOST, "lt": Test.BELOW}

Limit = Annotated[int, Parameter(ge=0)]
Offset = Annotated[int, Parameter(ge=0)]


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
        min(limit, MOST_AT_ONCE),
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
    """`within("start_date", gte=..., lt=...)`: those bounds that are given."""
    return [Condition(field, _BOUNDS[name], value) for name, value in bounds.items() if value is not None]


def cursor_of(last: tuple[object, ...] | None) -> str | None:
    """Where the next page begins, as a text that only we understand."""
    return None if last is None else base64.urlsafe_b64encode(msgspec.msgpack.encode(last)).decode().rstrip("=")


def after_cursor(cursor: str) -> tuple[Any, ...]:
    """What `cursor_of` was given.

    Raises:
        HTTPException: 400; it is not one of ours.
    """
    try:
        data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        return tuple(msgspec.msgpack.decode(data, type=list[Any]))
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise HTTPException(400, "Invalid cursor token") from None
