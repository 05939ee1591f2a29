"""Tokens that people make for programs."""

from datetime import datetime, timedelta
from typing import Annotated, Final

from fastapi import HTTPException
from pydantic import BaseModel, ConfigDict, Field

from tradewind.api.auth.access import Action, Level, Need, Resource
from tradewind.api.auth.identities import hash_of, level_of, new_api_token
from tradewind.api.operation import Caller, Operations
from tradewind.api.services import Given
from tradewind.model.account import ApiToken
from tradewind.operations.manage_tokens import NewToken, delete_token, list_tokens, make_token
from tradewind.operations.manage_users import NAME_OF_ALL, find_user
from tradewind.storage.interface import Transaction

operations = Operations("API Token", prefix="/auth")

_READ: Final = Need(Resource.OWN_ACCOUNT, Action.READ)
_EDIT: Final = Need(Resource.OWN_ACCOUNT, Action.EDIT)


class ApiTokenBody(BaseModel):
    """A token to be."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(min_length=1, max_length=250)]
    expires_in_days: Annotated[float, Field(gt=0, le=36_500)] | None = 90
    """None: never."""
    role: Annotated[str, Field(min_length=1, max_length=250)] | None = None
    """The one role that it is for, of those of its user or below; None: all of them."""


class ApiTokenResponse(BaseModel):
    """A token, but for what is secret about it."""

    id: int
    name: str
    role: str | None
    created_at: datetime
    expires_at: datetime | None


class NewApiTokenResponse(ApiTokenResponse):
    """A token. It is shown this once."""

    access_token: str


class ApiTokenCollectionResponse(BaseModel):
    """All of one user."""

    api_tokens: list[ApiTokenResponse]
    total_entries: int


@operations.add("POST", "/api-tokens", operation_id="create_api_token", need=_EDIT, status=201)
def create_api_token(body: ApiTokenBody, caller: Caller, services: Given) -> NewApiTokenResponse:
    """Make one."""
    if caller.is_program or caller.name == NAME_OF_ALL:
        raise HTTPException(403, "Only somebody who logged in with a password can make tokens")
    now, token = services.clock.now(), new_api_token()
    expires_at = None if body.expires_in_days is None else now + timedelta(days=body.expires_in_days)

    def work(tx: Transaction) -> ApiToken:
        _check_role(body.role, find_user(tx, caller.name).profile.roles)
        return make_token(tx, caller.name, NewToken(body.name, hash_of(token), body.role, expires_at), now)

    made = services.store.transact(work)
    return NewApiTokenResponse(**_shown(made).model_dump(), access_token=token)


@operations.add("GET", "/api-tokens", operation_id="get_api_tokens", need=_READ)
def get_api_tokens(caller: Caller, services: Given) -> ApiTokenCollectionResponse:
    """One's own."""
    tokens = [] if caller.name == NAME_OF_ALL else services.store.read(lambda tx: list_tokens(tx, caller.name))
    return ApiTokenCollectionResponse(api_tokens=[_shown(each) for each in tokens], total_entries=len(tokens))


@operations.add("DELETE", "/api-tokens/{token_id}", operation_id="delete_api_token", need=_EDIT, status=204)
def delete_api_token(token_id: int, caller: Caller, services: Given) -> None:
    """Whoever has it, has it in vain from now on."""
    services.store.transact(lambda tx: delete_token(tx, caller.name, token_id))
    services.recent.forget()


def _check_role(role: str | None, roles: frozenset[str]) -> None:
    if role is None or role in roles or Level.NOBODY < level_of(frozenset({role})) < level_of(roles):
        return
    raise HTTPException(403, f"You have no role {role!r}, and none above it")


def _shown(token: ApiToken) -> ApiTokenResponse:
    return ApiTokenResponse(
        id=token.token_key,
        name=token.name,
        role=token.role,
        created_at=token.created_at,
        expires_at=token.expires_at,
    )
