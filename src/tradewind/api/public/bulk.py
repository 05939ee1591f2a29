"""Bodies that create, update and delete many things at once, and their answers."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Named(Generic[Entity]):
    """Things that have a name of their own, and what can be done to one of them."""

    word: str
    """For several of them."""
    name_of: Callable[[Entity], str]
    there: Callable[[Collection[str]], Collection[str]]
    """Which of these names there are."""
    create: Callable[[Entity], object]
    """Also in place of one that is there."""
    update: Callable[[Entity, Sequence[str] | None], object]
    delete: Callable[[str], object]

    def act(
        self, action: BulkCreateAction[Entity] | BulkUpdateAction[Entity] | BulkDeleteAction[Entity]
    ) -> BulkActionResponse:
        """Do it. Where those that are there, or are not, are a failure, nothing is done to any, as in Airflow."""
        entities = {each if isinstance(each, str) else self.name_of(each): each for each in action.entities}
        there = set(self.there(list(entities)))
        if isinstance(action, BulkCreateAction):
            wrong, is_failure = there, action.action_on_existence is BulkActionOnExistence.FAIL
            is_skipped = action.action_on_existence is BulkActionOnExistence.SKIP
            problem, status = "exist already", 409
        else:
            wrong, is_failure = set(entities) - there, action.action_on_non_existence is BulkActionNotOnExistence.FAIL
            is_skipped, problem, status = True, "do not exist", 404
        if wrong and is_failure:
            error = f"these {self.word} {problem}: {', '.join(sorted(wrong))}"
            return BulkActionResponse(errors=[{"error": error, "status_code": status}])
        names = [name for name in entities if not (is_skipped and name in wrong)]
        return bulk_action(names, lambda position: self._one(action, names[position], entities[names[position]]))

    def _one(
        self,
        action: BulkCreateAction[Entity] | BulkUpdateAction[Entity] | BulkDeleteAction[Entity],
        name: str,
        entity: str | Entity,
    ) -> None:
        if isinstance(action, BulkDeleteAction):
            self.delete(name)
        elif not isinstance(entity, str):
            if isinstance(action, BulkUpdateAction):
                self.update(entity, action.update_mask)
            else:
                self.create(entity)


def bulk_response(named: Named[Entity], body: BulkBody[Entity]) -> BulkResponse:
    """Do all of it, in the order of the body."""
    response = BulkResponse()
    for action in body.actions:
        setattr(response, action.action, named.act(action))
    return response
