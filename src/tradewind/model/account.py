"""Users, their roles, and what DAGs let roles do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class BuiltInRole(StrEnum):
    """Roles that there always are, each with the rights of those before it. Other roles have only what DAGs grant."""

    VIEWER = "Viewer"
    USER = "User"
    OP = "Op"
    ADMIN = "Admin"


class DagRight(StrEnum):
    """What a role may be allowed to do with a DAG."""

    READ = "read"
    EDIT = "edit"
    DELETE = "delete"


DagGrants = Mapping[str, frozenset[DagRight]]
"""By DAG, or by role: what is allowed."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What is told about a user."""

    name: str
    email: str | None = None
    first_name: str = ""
    last_name: str = ""
    is_active: bool = True
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Account:
    """A user, as stored."""

    account_key: int
    profile: Profile
    password_hash: str | None = field(repr=False)
    """None: they cannot log in with a password."""
    generation: int
    """Grows with each change of the password: tokens of another generation no longer count."""
    created_at: datetime
    last_login_at: datetime | None = None
    external_id: str | None = None
    """Who they are to the provider that lets them in; None: they never came from there."""


@dataclass(frozen=True, slots=True)
class ExternalIdentity:
    """Who somebody is, as a provider outside says."""

    external_id: str
    profile: Profile
    """With the roles that the provider speaks of. They may be none of ours."""
    has_roles: bool
    """Whether it speaks of roles at all; else they are given here."""


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Whose token it is, and what they may do."""

    account_key: int
    name: str
    is_active: bool
    generation: int
    roles: frozenset[str]
    grants: Mapping[str, DagGrants]
    """By role of theirs, by DAG."""
    is_revoked: bool = False
    narrowed_to: str | None = None
    """The one role that the token is for, if it has less rights than its user."""
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token that a user made for a program, without what is secret about it."""

    token_key: int
    name: str
    role: str | None
    created_at: datetime
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class LoginFailures:
    """How often a login failed lately."""

    count: int
    last_at: datetime
