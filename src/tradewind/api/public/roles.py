"""Roles, for those who look after users. What a role may is said by DAGs, but for those that are built in."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.services import Given
from tradewind.model.account import BuiltInRole
from tradewind.operations.manage_roles import create_roles, delete_roles, list_roles

operations = Operations("Role", prefix="/auth")

_READ: Final = Need(Resource.USER, Action.READ)
_EDIT: Final = Need(Resource.USER, Action.EDIT)
_DELETE: Final = Need(Resource.USER, Action.DELETE)


class RoleBody(BaseModel):
    """A role to be."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(min_length=1, max_length=250)]


class RoleResponse(BaseModel):
    """A role."""

    name: str
    is_built_in: bool


class RoleCollectionResponse(BaseModel):
    """All of them, those that are built in first."""

    roles: list[RoleResponse]
    total_entries: int


@operations.add("GET", "/roles", operation_id="get_roles", need=_READ)
def get_roles(services: Given) -> RoleCollectionResponse:
    """All of them."""
    built_in = set(BuiltInRole)
    roles = [RoleResponse(name=name, is_built_in=name in built_in) for name in services.store.read(list_roles)]
    return RoleCollectionResponse(roles=roles, total_entries=len(roles))


@operations.add("POST", "/roles", operation_id="create_role", need=_EDIT, status=201)
def create_role(body: RoleBody, services: Given) -> RoleResponse:
    """It has no rights but what DAGs grant it."""
    services.store.transact(lambda tx: create_roles(tx, [body.name]))
    return RoleResponse(name=body.name, is_built_in=False)


@operations.add("DELETE", "/roles/{role_name:path}", operation_id="delete_role", need=_DELETE, status=204)
def delete_role(role_name: str, services: Given) -> None:
    """Also taken from all who have it."""
    services.store.transact(lambda tx: delete_roles(tx, [role_name]))
    services.recent.forget()
