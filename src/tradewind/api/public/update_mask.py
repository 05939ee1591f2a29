"""`update_mask`: which fields of a body count."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from tradewind.errors import InvalidRequest


def changed_fields(body: BaseModel, update_mask: Sequence[str] | None) -> dict[str, Any]:
    """What is to change: the fields that the mask names; without one, those that the body has.

    Raises:
        InvalidRequest: the mask names a field that there is not.
    """
    if not update_mask:
        return body.model_dump(exclude_unset=True)
    unknown = sorted(set(update_mask) - set(type(body).model_fields))
    if unknown:
        raise InvalidRequest(f"'{', '.join(unknown)}' in `update_mask` is unknown")
    return body.model_dump(include=set(update_mask))
