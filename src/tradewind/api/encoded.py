"""Long answers, encoded without a look at each field."""

from typing import Any, TypeVar, cast

import msgspec
from fastapi import Response

T = TypeVar("T")


def encoded(kind: type[T], values: dict[str, Any]) -> T:  # noqa: ARG001 - for the types
    """The answer of this kind that has these values: for lists of thousands, of which checking every field would take
    longer than reading them. The names must be those that clients know, and the values of their types.

    What comes back is the finished response, which is sent as it is (see `operation`), in the place of the kind that
    the route declares.
    """
    return cast("T", Response(msgspec.json.encode(values), media_type="application/json"))
