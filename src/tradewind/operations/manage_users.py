"""Create, change and delete users."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from tradewind.errors import Conflict, InvalidRequest, UnknownUser, UserExists
from tradewind.model.account import Account, Profile
from tradewind.operations.manage_roles import check_roles
from tradewind.storage.interface import Transaction

NAME_OF_ALL: Final = "Anonymous"
"""Who everybody is where nobody needs to log in."""
# Names stand in tokens, logs and tables: nothing that cannot be seen there, or that looks like the end of something.
_NAME: Final = re.compile(r"[\w.@+ -]{1,250}")


def create_user(tx: Transaction, profile: Profile, password_hash: str | None, now: datetime) -> None:
    """Raises `UserExists`, `UnknownRole`, `InvalidRequest`."""
    check_name(profile.name)
    if tx.accounts.find(profile.name) is not None:
        raise UserExists(profile.name)
    _check(tx, profile)
    tx.accounts.create(profile, password_hash, now)


def check_name(name: str) -> None:
    """Raises `InvalidRequest` for what cannot be the name of a user."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise InvalidRequest(f"{name[:50]!r} is no name: it has 1 to 250 letters, digits and ._@+-")
    if name == NAME_OF_ALL:
        raise InvalidRequest(f"{NAME_OF_ALL!r} is who everybody is where nobody needs to log in: take another name")


def update_user(tx: Transaction, profile: Profile) -> None:
    """Raises `UnknownUser`, `UserExists`, `UnknownRole`, `InvalidRequest`."""
    find_user(tx, profile.name)
    _check(tx, profile)
    tx.accounts.update(profile.name, profile)


def find_user(tx: Transaction, name: str | None = None, email: str | None = None) -> Account:
    """By name or by address. Raises `UnknownUser`."""
    found = tx.accounts.find(name) if name is not None else tx.accounts.find_by_email(email or "")
    if found is None:
        raise UnknownUser(name if name is not None else email or "")
    return found


def delete_user(tx: Transaction, name: str) -> None:
    """With all their tokens. Raises `UnknownUser`."""
    if not tx.accounts.delete(name):
        raise UnknownUser(name)


def set_password(tx: Transaction, name: str, password_hash: str) -> None:
    """Another password. Whoever logged in with the old one has to log in again. Raises `UnknownUser`."""
    find_user(tx, name)
    tx.accounts.set_password(name, password_hash)


def add_role(tx: Transaction, name: str, role: str) -> None:
    """Raises `UnknownUser`, `UnknownRole`, `Conflict`: they have it already."""
    profile = find_user(tx, name).profile
    check_roles(tx, [role])
    if role in profile.roles:
        raise Conflict(f"user {name!r} has the role {role!r} already")
    tx.accounts.update(name, replace(profile, roles=profile.roles | {role}))


def remove_role(tx: Transaction, name: str, role: str) -> None:
    """Raises `UnknownUser`, `UnknownRole`, `Conflict`: they do not have it."""
    profile = find_user(tx, name).profile
    if role not in profile.roles:
        check_roles(tx, [role])
        raise Conflict(f"user {name!r} does not have the role {role!r}")
    tx.accounts.update(name, replace(profile, roles=profile.roles - {role}))


def put_users(tx: Transaction, profiles: Iterable[tuple[Profile, str]], now: datetime) -> tuple[list[str], list[str]]:
    """Create those that there are not, with the given password, and change the others: all, or none where one is
    refused. Returns the names of those created, and of those changed."""
    created: list[str] = []
    changed: list[str] = []
    for profile, password_hash in profiles:
        found = tx.accounts.find(profile.name)
        if found is None:
            create_user(tx, profile, password_hash, now)
            created.append(profile.name)
        else:
            update_user(tx, replace(profile, is_active=found.profile.is_active))
            changed.append(profile.name)
    return created, changed


def _check(tx: Transaction, profile: Profile) -> None:
    check_roles(tx, profile.roles)
    email = profile.email
    if email is None:
        return
    if not 0 < len(email) <= 250 or not email.isprintable():
        raise InvalidRequest("an address has 1 to 250 characters")
    holder = tx.accounts.find_by_email(email)
    if holder is not None and holder.profile.name != profile.name:
        raise UserExists(email)
