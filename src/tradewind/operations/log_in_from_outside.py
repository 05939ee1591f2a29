"""Log in as somebody whom a provider outside knows: the account is made, or becomes what the provider says now."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from tradewind.errors import InvalidRequest
from tradewind.model.account import Account, ExternalIdentity, Profile
from tradewind.model.audit import AuditEntry
from tradewind.operations.manage_roles import list_roles
from tradewind.operations.manage_users import create_user, find_user, update_user
from tradewind.storage.interface import Transaction

_LONGEST_NAME: Final = 250
_MOST_TOLD: Final = 50


@dataclass(frozen=True, slots=True)
class OutsideRules:
    """Who is let in."""

    allows_new: bool
    """Whether who was never here gets an account."""
    links_by_name: bool
    """Whether the first login takes over an account of that name that was made here."""
    default_role: str | None
    """Of those who have no role otherwise; None: they are not let in."""


def log_in_from_outside(tx: Transaction, identity: ExternalIdentity, rules: OutsideRules, now: datetime) -> Account:
    """Who they are here. The account, the login and the entry in the audit log are one transaction.

    Raises:
        InvalidRequest: they are not let in. The text is for them.
    """
    account = tx.accounts.find_by_external_id(identity.external_id) or _account_to_link(tx, identity, rules)
    if account is not None and not account.profile.is_active:
        raise InvalidRequest("Your account is switched off.")
    if account is None and not rules.allows_new:
        raise InvalidRequest("You have no account here, and cannot make one yourself.")
    known = frozenset(list_roles(tx))
    profile = _profile(tx, identity, account, _roles(identity, account, rules, known))
    if account is None:
        create_user(tx, profile, None, now)
    elif profile != account.profile:
        update_user(tx, profile)
    tx.accounts.link(profile.name, identity.external_id)
    tx.accounts.logged_in(profile.name, now)
    found = {
        "provider": "oidc",
        "is_new": account is None,
        "roles": sorted(profile.roles),
        "unknown_roles": sorted(identity.profile.roles - known)[:_MOST_TOLD],
    }
    tx.audit_log.add(AuditEntry("login", profile.name, now, extra=json.dumps(found)))
    return find_user(tx, profile.name)


def _account_to_link(tx: Transaction, identity: ExternalIdentity, rules: OutsideRules) -> Account | None:
    """That of the same name, if it may be theirs."""
    found = tx.accounts.find(identity.profile.name)
    if found is None:
        return None
    if not rules.links_by_name or found.external_id is not None:
        raise InvalidRequest("There is an account of your name already, and it is not known to be yours.")
    return found


def _roles(
    identity: ExternalIdentity, account: Account | None, rules: OutsideRules, known: frozenset[str]
) -> frozenset[str]:
    if not identity.has_roles and account is not None:
        return account.profile.roles
    given = identity.profile.roles & known
    roles = given or frozenset({rules.default_role} if rules.default_role else ())
    if not roles:
        raise InvalidRequest("You have no role here.")
    return roles


def _profile(tx: Transaction, identity: ExternalIdentity, account: Account | None, roles: frozenset[str]) -> Profile:
    """As the provider says, but for the name, by which everybody here knows them, and an address of somebody else."""
    said, before = identity.profile, account.profile if account is not None else None
    name = said.name if before is None else before.name
    holder = tx.accounts.find_by_email(said.email) if said.email else None
    is_free = said.email is not None and (holder is None or holder.profile.name == name)
    email_before = None if before is None else before.email
    return replace(
        said,
        name=name,
        email=said.email if is_free else email_before,
        first_name=said.first_name[:_LONGEST_NAME],
        last_name=said.last_name[:_LONGEST_NAME],
        roles=roles,
    )
