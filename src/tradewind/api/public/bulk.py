"""Bodies that create, update and delete many things at once, and their answers."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tradewind.api.errors import status_of
from tradewind.errors import Conflict, NotFound, TradewindError

Entity = TypeVar("Entity")


class BulkActionOnExistence(StrEnum):
    """What becomes of those that are there already."""

    FAIL = "fail"
    SKIP = "skip"
    OVERWRITE = "overwrite"


class BulkActionNotOnExistence(StrEnum):
    """What becomes of those that are not there."""

    FAIL = "fail"
    SKIP = "skip"


class BulkCreateAction(BaseModel, Generic[Entity]):
    """Create them."""

    model_config = ConfigDict(extra="forbid")
    action: Literal["create"]
    entities: list[Entity]
    action_on_existence: BulkActionOnExistence = BulkActionOnExistence.FAIL


class BulkUpdateAction(BaseModel, Generic[Entity]):
    """Change them."""

    model_config = ConfigDict(extra="forbid")
    action: Literal["update"]
    entities: list[Entity]
    update_mask: list[str] | None = None
    action_on_non_existence: BulkActionNotOnExistence = BulkActionNotOnExistence.FAIL


class BulkDeleteAction(BaseModel, Generic[Entity]):
    """Delete them: by name, or as they are."""

    model_config = ConfigDict(extra="forbid")
    action: Literal["delete"]
    entities: list[str | Entity]
    action_on_non_existence: BulkActionNotOnExistence = BulkActionNotOnExistence.FAIL


class BulkBody(BaseModel, Generic[Entity]):
    """What is to be done, in this order."""

    model_config = ConfigDict(extra="forbid")
    actions: list[
        Annotated[
            BulkCreateAction[Entity] | BulkUpdateAction[Entity] | BulkDeleteAction[Entity],
            Field(discriminator="action"),
        ]
    ]


class BulkActionResponse(BaseModel):
    """What came of one kind of action."""

    success: list[str] = []
    errors: list[dict[str, Any]] = []


class BulkResponse(BaseModel):
    """What came of it."""

    create: BulkActionResponse | None = None
    update: BulkActionResponse | None = None
    delete: BulkActionResponse | None = None


def bulk_action(
    names: Sequence[str], one: Callable[[int], object], *, skips_existing: bool = False, skips_missing: bool = False
) -> BulkActionResponse:
    """Do it to each, and note what came of it. `one` is given the position."""
    response = BulkActionResponse()
    for position, name in enumerate(names):
        try:
            one(position)
        except TradewindError as error:
            is_fine = (skips_existing and isinstance(error, Conflict)) or (
                skips_missing and isinstance(error, NotFound)
            )
            if not is_fine:
                response.errors.append({"error": str(error), "status_code": status_of(error)})
        else:
            response.success.append(name)
    return response
