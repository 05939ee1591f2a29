"""Variables: named values that DAG files and tasks ask for. What is secret goes in, and does not come out."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Final

from fastapi import Query as Parameter
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, listed, matches, starts_with
from tradewind.api.public.bulk import BulkBody, BulkResponse, Named, bulk_response
from tradewind.api.public.teams import Team
from tradewind.api.public.update_mask import changed_fields
from tradewind.api.services import Given, Services
from tradewind.errors import InvalidRequest, UndecipherableSecret, UnknownVariable
from tradewind.model.listing import Listed, Row
from tradewind.operations.cipher import opened_variable
from tradewind.operations.manage_variables import (
    Variable,
    VariableChanges,
    create_variable,
    delete_variable,
    set_variables,
    update_variable,
)
from tradewind.operations.shown_secrets import shown_variable
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import VariableRecord

operations = Operations("Variable")

_READ: Final = Need(Resource.VARIABLE, Action.READ)
_EDIT: Final = Need(Resource.VARIABLE, Action.EDIT)
_DELETE: Final = Need(Resource.VARIABLE, Action.DELETE)
_INDENT: Final = 2


def _not_empty(key: str) -> str:
    if not key:
        raise ValueError("a variable needs a key")
    return key


Mask = Annotated[list[str] | None, Parameter()]


class VariableResponse(BaseModel):
    """A variable, as far as it may be shown."""

    key: str
    value: str | None = None
    """None: it was encrypted with a key that is not here."""
    description: str | None
    is_encrypted: bool
    team_name: str | None


class VariableCollectionResponse(BaseModel):
    """A page of variables."""

    variables: list[VariableResponse]
    total_entries: int


class VariableBody(BaseModel):
    """A variable to be."""

    model_config = ConfigDict(extra="forbid")
    key: Annotated[str, Field(max_length=250), AfterValidator(_not_empty)]
    value: JsonValue
    description: str | None = None
    team_name: Team | None = None

    @property
    def text(self) -> str:
        """What is stored: texts as they are, everything else as JSON."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, indent=_INDENT)


@operations.add("GET", "/variables", operation_id="get_variables", need=_READ)
def get_variables(
    services: Given,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
    variable_key_pattern: str | None = None,
    variable_key_prefix_pattern: str | None = None,
) -> VariableCollectionResponse:
    """All variables."""
    conditions = [matches("key", variable_key_pattern), starts_with("key", variable_key_prefix_pattern)]

    def work(tx: Transaction) -> VariableCollectionResponse:
        page = listed(tx, Listed.VARIABLES, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        shown = [_shown(services, _record(row)) for row in page.rows]
        return VariableCollectionResponse(variables=shown, total_entries=page.total)

    return services.store.read(work)


@operations.add("POST", "/variables", operation_id="post_variable", need=_EDIT, status=201)
def post_variable(body: VariableBody, services: Given) -> VariableResponse:
    """Make one."""

    def work(tx: Transaction) -> VariableResponse:
        create_variable(tx, _variable(body), cipher=services.cipher, now=services.clock.now())
        return _found(tx, services, body.key)

    return services.store.transact(work)


@operations.add("PATCH", "/variables", operation_id="bulk_variables", need=_EDIT)
def bulk_variables(body: BulkBody[VariableBody], services: Given) -> BulkResponse:
    """Make, change and delete many."""

    def work(tx: Transaction) -> BulkResponse:
        now = services.clock.now()
        named: Named[VariableBody] = Named(
            word="variables",
            name_of=lambda each: each.key,
            there=tx.variables.existing,
            create=lambda each: set_variables(tx, [_variable(each)], cipher=services.cipher, now=now),
            update=lambda each, mask: _update(tx, services, each.key, each, mask),
            delete=lambda key: delete_variable(tx, key),
        )
        return bulk_response(named, body)

    return services.store.transact(work)


@operations.add("GET", "/variables/{variable_key:path}", operation_id="get_variable", need=_READ)
def get_variable(variable_key: str, services: Given) -> VariableResponse:
    """One of them."""
    return services.store.read(lambda tx: _found(tx, services, variable_key))


@operations.add("PATCH", "/variables/{variable_key:path}", operation_id="patch_variable", need=_EDIT)
def patch_variable(
    variable_key: str, body: VariableBody, services: Given, update_mask: Mask = None
) -> VariableResponse:
    """Change one."""
    if body.key != variable_key:
        raise InvalidRequest("the key of the variable in the body is not that of the path")

    def work(tx: Transaction) -> VariableResponse:
        _update(tx, services, variable_key, body, update_mask)
        return _found(tx, services, variable_key)

    return services.store.transact(work)


@operations.add("DELETE", "/variables/{variable_key:path}", operation_id="delete_variable", need=_DELETE, status=204)
def remove_variable(variable_key: str, services: Given) -> None:
    """Delete one."""
    services.store.transact(lambda tx: delete_variable(tx, variable_key))


def _variable(body: VariableBody) -> Variable:
    return Variable(body.key, body.text, body.description)


def _update(tx: Transaction, services: Services, key: str, body: VariableBody, mask: Sequence[str] | None) -> None:
    given = changed_fields(body, mask)
    changes = VariableChanges()
    if "value" in given:
        changes["value"] = body.text
    if "description" in given:
        changes["description"] = body.description
    update_variable(tx, key, changes, cipher=services.cipher, rules=services.masking, now=services.clock.now())


def _found(tx: Transaction, services: Services, key: str) -> VariableResponse:
    record = tx.variables.find(key)
    if record is None:
        raise UnknownVariable(key)
    return _shown(services, record)


def _record(row: Row) -> VariableRecord:
    fields: dict[str, Any] = dict(row)
    return VariableRecord(**fields)


def _shown(services: Services, record: VariableRecord) -> VariableResponse:
    try:
        value = shown_variable(record.key, opened_variable(record, services.cipher), services.masking)
    except UndecipherableSecret:
        value = None
    return VariableResponse(
        key=record.key,
        value=value,
        description=record.description,
        is_encrypted=record.is_encrypted,
        team_name=None,
    )
