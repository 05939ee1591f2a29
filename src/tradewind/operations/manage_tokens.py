"""Tokens that users make for programs, and tokens that no longer count."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tradewind.errors import Conflict, InvalidRequest, NotFound
from tradewind.model.account import ApiToken
from tradewind.operations.manage_users import find_user
from tradewind.storage.interface import Transaction

MOST_OF_ONE_USER: Final = 100


@dataclass(frozen=True, slots=True)
class NewToken:
    """What is wanted."""

    name: str
    token_hash: str
    role: str | None
    """The one role that it is for; None: all of its user's."""
    expires_at: datetime | None


def make_token(tx: Transaction, user: str, new: NewToken, now: datetime) -> ApiToken:
    """Raises `UnknownUser`, `Conflict`, `InvalidRequest`."""
    account = find_user(tx, user)
    tokens = tx.api_tokens.of_account(account.account_key)
    if any(token.name == new.name for token in tokens):
        raise Conflict(f"you have a token {new.name!r} already")
    if len(tokens) >= MOST_OF_ONE_USER:
        raise InvalidRequest(f"you have {MOST_OF_ONE_USER} tokens already: delete one")
    if new.expires_at is not None and new.expires_at <= now:
        raise InvalidRequest("the token would have expired already")
    return tx.api_tokens.add(
        account.account_key, new.name, new.token_hash, role=new.role, expires_at=new.expires_at, now=now
    )


def list_tokens(tx: Transaction, user: str) -> list[ApiToken]:
    """By name. Raises `UnknownUser`."""
    return tx.api_tokens.of_account(find_user(tx, user).account_key)


def delete_token(tx: Transaction, user: str, token_key: int) -> None:
    """Raises `UnknownUser`, `NotFound`."""
    if not tx.api_tokens.delete(find_user(tx, user).account_key, token_key):
        raise NotFound(f"you have no token {token_key}")
