"""Create and delete roles. Those that are built in stay; others have no rights but what DAGs grant them."""

from collections.abc import Iterable, Mapping
from typing import Final

from tradewind.errors import InvalidRequest, RoleExists, UnknownRole
from tradewind.model.account import BuiltInRole, DagGrants
from tradewind.storage.interface import Transaction

_BUILT_IN: Final = tuple(role.value for role in BuiltInRole)
_LONGEST: Final = 250


def list_roles(tx: Transaction) -> list[str]:
    """All, those that are built in first."""
    return [*_BUILT_IN, *tx.accounts.custom_roles()]


def list_grants(tx: Transaction) -> Mapping[str, DagGrants]:
    """By role, by DAG: what DAGs let roles do."""
    return tx.grants.by_role()


def check_roles(tx: Transaction, roles: Iterable[str]) -> None:
    """Raises `UnknownRole`."""
    custom = [role for role in roles if role not in _BUILT_IN]
    unknown = sorted(set(custom).difference(tx.accounts.custom_roles())) if custom else []
    if unknown:
        raise UnknownRole(unknown[0])


def create_roles(tx: Transaction, names: Iterable[str]) -> None:
    """Raises `RoleExists`, `InvalidRequest`."""
    existing = set(list_roles(tx))
    for name in dict.fromkeys(names):
        if not 0 < len(name) <= _LONGEST or not name.isprintable() or name != name.strip():
            raise InvalidRequest(f"{name[:50]!r} is no name of a role: it has 1 to {_LONGEST} characters")
        if name in existing:
            raise RoleExists(name)
        tx.accounts.create_role(name)


def create_missing_roles(tx: Transaction, names: Iterable[str]) -> list[str]:
    """Those that there are not yet, which are returned. Raises `InvalidRequest`."""
    existing = set(list_roles(tx))
    missing = [name for name in dict.fromkeys(names) if name not in existing]
    create_roles(tx, missing)
    return missing


def delete_roles(tx: Transaction, names: Iterable[str]) -> None:
    """Also take them from all who have them. Raises `UnknownRole`, `InvalidRequest`."""
    for name in dict.fromkeys(names):
        if name in _BUILT_IN:
            raise InvalidRequest(f"the role {name!r} is built in and cannot be deleted")
        if not tx.accounts.delete_role(name):
            raise UnknownRole(name)
