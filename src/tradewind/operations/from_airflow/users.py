"""Users of Airflow."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from tradewind.errors import InvalidRequest
from tradewind.model.account import BuiltInRole, Profile
from tradewind.operations.from_airflow.outcome import Choice, Fate, Outcome
from tradewind.operations.manage_roles import create_roles, list_roles
from tradewind.operations.manage_users import check_name, create_user, update_user
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.airflow_source import AirflowUser

_NOBODY: Final = "Public"
"""Airflow's role of those who have not logged in. Nobody may do anything without, here."""
_SIMPLE_ROLES: Final = {role.value.lower(): role.value for role in BuiltInRole}
_RESET: Final = "without a password: tradewind users reset-password gives them one"
_OWN_RIGHTS: Final = "it may do what access_control of DAGs grants it; its permissions are not copied"


def simple_users(text: str) -> list[AirflowUser]:
    """Those of `[core] simple_auth_manager_users`: `name:role`, with commas between.

    Raises:
        InvalidRequest: it is not written like that.
    """
    users = []
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, _, role = (part.strip() for part in entry.rpartition(":"))
        if not name or role.lower() not in _SIMPLE_ROLES:
            raise InvalidRequest(f"{entry!r} is no name:role, where the role is one of {', '.join(_SIMPLE_ROLES)}")
        users.append(AirflowUser(Profile(name, roles=frozenset({_SIMPLE_ROLES[role.lower()]}))))
    return users


def copy_users(
    tx: Transaction, found: Sequence[AirflowUser], choice: Choice, can_be_used: Callable[[str], bool]
) -> list[Outcome]:
    """Users, and the roles that they have. A password that is here already stays.

    `can_be_used` says whether a login can be checked by this hash of Airflow's.
    """
    found = [replace(user, profile=_without_nobody(user.profile)) for user in found]
    outcomes = _copy_roles(tx, found, choice)
    here = {account.profile.name: account.profile for account in tx.accounts.all()}
    holders = {profile.email: name for name, profile in here.items() if profile.email is not None}
    for user in found:
        profile, is_usable = user.profile, user.password_hash is not None and can_be_used(user.password_hash)
        refusal = _refusal(profile, holders)
        if refusal is not None:
            outcomes.append(Outcome(profile.name, Fate.IMPOSSIBLE, refusal))
            continue
        if profile.email is not None:
            holders[profile.email] = profile.name
        stored = here.get(profile.name)
        fate = choice.fate(is_here=stored is not None, is_same=stored == profile)
        if choice.writes and fate is Fate.COPY:
            create_user(tx, profile, user.password_hash if is_usable else None, choice.now)
        elif choice.writes and fate is Fate.REPLACE:
            update_user(tx, profile)
        outcomes.append(Outcome(profile.name, fate, _remark(profile, stored, is_usable)))
    return outcomes


def _without_nobody(profile: Profile) -> Profile:
    return replace(profile, roles=profile.roles - {_NOBODY})


def _copy_roles(tx: Transaction, users: Iterable[AirflowUser], choice: Choice) -> list[Outcome]:
    wanted = sorted({role for user in users for role in user.profile.roles}.difference(list_roles(tx)))
    if choice.writes:
        create_roles(tx, wanted)
    return [Outcome(f"role {role}", Fate.COPY, _OWN_RIGHTS, count=0) for role in wanted]


def _refusal(profile: Profile, holders: dict[str, str]) -> str | None:
    try:
        check_name(profile.name)
    except InvalidRequest as error:
        return str(error)
    holder = holders.get(profile.email or "")
    return None if holder in (None, profile.name) else f"user {holder!r} has the same address"


def _remark(profile: Profile, stored: Profile | None, is_usable: bool) -> str | None:
    if stored is None:
        return None if is_usable else _RESET
    names = ("email", "first_name", "last_name", "is_active", "roles")
    return ", ".join(name for name in names if getattr(profile, name) != getattr(stored, name)) or None
