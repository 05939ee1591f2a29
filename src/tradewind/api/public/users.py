"""Users, for those who look after them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import SIZES, USUAL, Limit, Offset
from tradewind.api.services import Given
from tradewind.errors import Conflict, InvalidRequest, UnknownRole
from tradewind.model.account import Account, BuiltInRole, Profile
from tradewind.operations.manage_users import create_user, delete_user, find_user, set_password, update_user
from tradewind.secrets.passwords import LONGEST, hash_password
from tradewind.storage.interface import Transaction

operations = Operations("User", prefix="/auth")

_READ: Final = Need(Resource.USER, Action.READ)
_EDIT: Final = Need(Resource.USER, Action.EDIT)
_DELETE: Final = Need(Resource.USER, Action.DELETE)
_PROFILE: Final = frozenset({"email", "first_name", "last_name", "is_active"})

Name = Annotated[str, Field(min_length=1, max_length=250)]
ShortText = Annotated[str, Field(max_length=250)]
Password = Annotated[str, Field(min_length=1, max_length=LONGEST)]
Roles = Annotated[list[Name], Field(max_length=100)]


class UserResponse(BaseModel):
    """A user, but for what is secret about them."""

    username: str
    email: str | None
    first_name: str
    last_name: str
    is_active: bool
    roles: list[str]
    has_password: bool
    """Else they come from the provider of `[oidc]`, or not at all."""
    created_at: datetime
    last_login_at: datetime | None


class UserCollectionResponse(BaseModel):
    """A page of users, by name."""

    users: list[UserResponse]
    total_entries: int


class UserBody(BaseModel):
    """A user to be."""

    model_config = ConfigDict(extra="forbid")
    username: Name
    password: Annotated[Password | None, Field(repr=False)] = None
    """None: they cannot log in with one."""
    email: Name | None = None
    first_name: ShortText = ""
    last_name: ShortText = ""
    is_active: bool = True
    roles: Roles = []


class UserPatchBody(BaseModel):
    """What is to be different."""

    model_config = ConfigDict(extra="forbid")
    password: Annotated[Password | None, Field(repr=False)] = None
    """Whoever logged in with the old one has to log in again."""
    email: Name | None = None
    first_name: ShortText | None = None
    last_name: ShortText | None = None
    is_active: bool | None = None
    roles: Roles | None = None


@operations.add("GET", "/users", operation_id="get_users", need=_READ)
def get_users(services: Given, limit: Limit = USUAL, offset: Offset = 0) -> UserCollectionResponse:
    """By name."""
    accounts = services.store.read(lambda tx: tx.accounts.all())
    page = accounts[offset : offset + SIZES.limited(limit)]
    return UserCollectionResponse(users=[shown_user(each) for each in page], total_entries=len(accounts))


@operations.add("POST", "/users", operation_id="create_user", need=_EDIT, status=201)
def post_user(body: UserBody, services: Given) -> UserResponse:
    """Who has no password logs in with the provider of `[oidc]`, if `link_by_name` lets them."""
    fields = body.model_dump(exclude={"username", "password", "roles"})
    profile = Profile(body.username, **fields, roles=frozenset(body.roles))
    hashed = None if body.password is None else hash_password(body.password)
    now = services.clock.now()

    def work(tx: Transaction) -> Account:
        _with_known_roles(lambda: create_user(tx, profile, hashed, now))
        return find_user(tx, body.username)

    return shown_user(services.store.transact(work))


@operations.add("GET", "/users/{username}", operation_id="get_user", need=_READ)
def get_user(username: str, services: Given) -> UserResponse:
    """One of them."""
    return shown_user(services.store.read(lambda tx: find_user(tx, username)))


@operations.add("PATCH", "/users/{username}", operation_id="update_user", need=_EDIT)
def patch_user(username: str, body: UserPatchBody, caller: Caller, services: Given) -> UserResponse:
    """What the body names becomes different."""
    given = body.model_dump(exclude_unset=True)
    hashed = hash_password(body.password) if body.password is not None else None

    def work(tx: Transaction) -> Account:
        before = find_user(tx, username).profile
        profile = _changed(before, given)
        if username == caller.name and not _is_admin(profile) and _is_admin(before):
            raise Conflict("you cannot take your own rights away: ask another administrator")
        if profile != before:
            _with_known_roles(lambda: update_user(tx, profile))
        if hashed is not None:
            set_password(tx, username, hashed)
        return find_user(tx, username)

    account = services.store.transact(work)
    services.recent.forget()
    return shown_user(account)


@operations.add("DELETE", "/users/{username}", operation_id="delete_user", need=_DELETE, status=204)
def remove_user(username: str, caller: Caller, services: Given) -> None:
    """With all their tokens."""
    if username == caller.name:
        raise Conflict("you cannot delete yourself: ask another administrator")
    services.store.transact(lambda tx: delete_user(tx, username))
    services.recent.forget()


def shown_user(account: Account) -> UserResponse:
    """Without what is secret."""
    profile = account.profile
    return UserResponse(
        username=profile.name,
        email=profile.email,
        first_name=profile.first_name,
        last_name=profile.last_name,
        is_active=profile.is_active,
        roles=sorted(profile.roles),
        has_password=account.password_hash is not None,
        created_at=account.created_at,
        last_login_at=account.last_login_at,
    )


def _changed(before: Profile, given: dict[str, Any]) -> Profile:
    """Only an address can be nothing: all else that is given as nothing stays as it is."""
    fields = {name: given[name] for name in _PROFILE & given.keys() if name == "email" or given[name] is not None}
    roles = given.get("roles")
    return replace(before, **fields, roles=before.roles if roles is None else frozenset(roles))


def _is_admin(profile: Profile) -> bool:
    return profile.is_active and BuiltInRole.ADMIN in profile.roles


def _with_known_roles(work: Callable[[], None]) -> None:
    """It is not the user that is not found."""
    try:
        work()
    except UnknownRole as unknown:
        raise InvalidRequest(str(unknown)) from None
