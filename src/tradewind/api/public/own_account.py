"""One's own account: who one is, and one's password. Tokens for programs are in `api_tokens.py`."""

from typing import Annotated, Final, cast

from fastapi import HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from tradewind.api.auth.access import Action, Need, Principal, Resource, may
from tradewind.api.auth.browser import with_session
from tradewind.api.auth.login import Credentials, address_of, change_own_password, token_of
from tradewind.api.operation import Caller, Operations
from tradewind.api.public.config import is_concealed
from tradewind.api.public.login import LoginResponse
from tradewind.api.public.users import Password
from tradewind.api.services import Given, Services
from tradewind.operations.manage_users import NAME_OF_ALL, find_user

operations = Operations("Own Account", prefix="/auth/me")

_READ: Final = Need(Resource.OWN_ACCOUNT, Action.READ)
_EDIT: Final = Need(Resource.OWN_ACCOUNT, Action.EDIT)


class MeResponse(BaseModel):
    """Whoever asks."""

    username: str
    email: str | None = None
    first_name: str = ""
    last_name: str = ""
    roles: list[str]
    level: str
    """The highest of the roles that are built in; `Nobody`: only what DAGs grant."""
    has_password: bool = False
    is_program: bool = False
    """Whether it has a token that somebody made for it, which may have fewer rights than they have."""
    rights: dict[Resource, list[Action]]
    """What they may do to which things, everywhere."""
    granted: dict[str, list[Action]]
    """By DAG: what it lets them do, besides that."""


class PasswordBody(BaseModel):
    """From the old one to the new one."""

    model_config = ConfigDict(extra="forbid")
    old_password: Annotated[Password, Field(repr=False)]
    new_password: Annotated[Password, Field(repr=False)]


@operations.add("GET", "", operation_id="get_own_account", need=_READ)
def get_own_account(caller: Caller, services: Given) -> MeResponse:
    """Who one is, and what one may."""
    level = caller.level.name.title()
    if caller.name == NAME_OF_ALL:
        return MeResponse(
            username=caller.name, roles=[level], level=level, rights=_rights(caller, services), granted={}
        )
    account = services.store.read(lambda tx: find_user(tx, caller.name))
    profile = account.profile
    return MeResponse(
        username=profile.name,
        email=profile.email,
        first_name=profile.first_name,
        last_name=profile.last_name,
        roles=sorted(profile.roles),
        level=level,
        has_password=account.password_hash is not None,
        is_program=caller.is_program,
        rights=_rights(caller, services),
        granted={dag_id: sorted(actions, key=lambda each: each.value) for dag_id, actions in caller.granted.items()},
    )


def _rights(caller: Principal, services: Services) -> dict[Resource, list[Action]]:
    rights = {resource: [each for each in Action if may(caller, Need(resource, each))] for resource in Resource}
    return {**rights, Resource.CONFIG: []} if is_concealed(services) else rights


@operations.add("POST", "/password", operation_id="change_own_password", need=_EDIT)
def post_password(request: Request, body: PasswordBody, caller: Caller, services: Given) -> LoginResponse:
    """All sessions end; the one that asks goes on with the token of the answer, or with its cookie."""
    if caller.is_program or caller.name == NAME_OF_ALL:
        raise HTTPException(403, "Only somebody who logged in can change their password")
    given = Credentials(caller.name, body.old_password, address_of(request), is_form=False)
    account = change_own_password(services, given, body.new_password)
    services.recent.forget()
    token = token_of(services, account, services.settings.api_auth.jwt_expiration_time)
    if "authorization" in request.headers:
        return LoginResponse(access_token=token)
    return cast("LoginResponse", with_session(request, services, JSONResponse({"access_token": token}), token))
