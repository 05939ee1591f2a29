"""Whom tokens belong to, and what those may do."""

import hashlib
import secrets
from typing import Final

from tradewind.api.auth.access import Action, Level, Principal
from tradewind.api.auth.tokens import Claim
from tradewind.model.account import Account, BuiltInRole, DagGrants, TokenHolder
from tradewind.operations.manage_users import NAME_OF_ALL
from tradewind.runtime.clock import Clock
from tradewind.storage.interface import ReadingStore

API_TOKEN_PREFIX: Final = "tw_"
ALL_ADMINS: Final = "all admins"
"""The generation of tokens that were given without a password."""

_LEVELS: Final = {
    BuiltInRole.VIEWER: Level.VIEWER,
    BuiltInRole.USER: Level.USER,
    BuiltInRole.OP: Level.OP,
    BuiltInRole.ADMIN: Level.ADMIN,
}


class Identities:
    """Finds principals. One statement each."""

    def __init__(self, store: ReadingStore, clock: Clock, *, all_are_admins: bool = False) -> None:
        """`all_are_admins`: whether tokens count that were given without a password."""
        self._store = store
        self._clock = clock
        self._all_are_admins = all_are_admins

    def of_claim(self, claim: Claim) -> Principal | None:
        """Who holds a signed token; None: it does not count any more."""
        if claim.generation == ALL_ADMINS:
            return Principal(NAME_OF_ALL, Level.ADMIN) if self._all_are_admins else None
        holder = self._store.read(lambda tx: tx.accounts.holder_of(claim.subject, claim.token_id))
        if holder is None or not holder.is_active or holder.is_revoked:
            return None
        if claim.generation != _generation(holder.account_key, holder.generation):
            return None
        return Principal(holder.name, level_of(holder.roles), _granted(*holder.grants.values()))

    def of_api_token(self, token: str) -> Principal | None:
        """The program that holds a token that somebody made; None: it does not count any more."""
        hashed = hash_of(token)
        holder = self._store.read(lambda tx: tx.accounts.holder_of_api_token(hashed))
        if holder is None or not holder.is_active:
            return None
        if holder.expires_at is not None and holder.expires_at <= self._clock.now():
            return None
        return _narrowed(holder)


def generation_of(account: Account) -> str:
    """What tokens of this account say, until its password changes."""
    return _generation(account.account_key, account.generation)


def _generation(account_key: int, number: int) -> str:
    return f"{account_key}.{number}"


def level_of(roles: frozenset[str]) -> Level:
    """That of the highest role."""
    return max((level for role, level in _LEVELS.items() if role in roles), default=Level.NOBODY)


def new_api_token() -> str:
    """One that nobody can guess, and that scanners for lost secrets can know by its beginning."""
    return API_TOKEN_PREFIX + secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """What is stored of a token. It is random and long: a hash that takes long to compute would add nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _narrowed(holder: TokenHolder) -> Principal | None:
    """With the rights of the one role that the token is for, if its user still has these rights themselves."""
    level, role = level_of(holder.roles), holder.narrowed_to
    if role is None:
        return Principal(holder.name, level, _granted(*holder.grants.values()), is_program=True)
    if role in holder.roles:
        return Principal(holder.name, level_of(frozenset({role})), _granted(holder.grants[role]), is_program=True)
    lower = level_of(frozenset({role}))
    # A role that is built in, and less than one of theirs. What DAGs grant to it is not asked for: it may be more.
    return Principal(holder.name, lower, is_program=True) if Level.NOBODY < lower < level else None


def _granted(*grants: DagGrants) -> dict[str, frozenset[Action]]:
    found: dict[str, frozenset[Action]] = {}
    for of_role in grants:
        for dag_id, rights in of_role.items():
            found[dag_id] = found.get(dag_id, frozenset()) | {Action(right.value) for right in rights}
    return found
