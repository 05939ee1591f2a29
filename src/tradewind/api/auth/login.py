"""Let people in by name and password."""

import json
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from urllib.parse import parse_qs

from fastapi import HTTPException, Request

from tradewind.api.auth.identities import generation_of
from tradewind.api.services import Services
from tradewind.errors import LoginRefused
from tradewind.model.account import Account
from tradewind.operations.log_in import Attempt, begin_login, change_password, end_login
from tradewind.secrets.passwords import hash_password, is_password, needs_new_hash
from tradewind.storage.interface.access_stores import no_entry

log = logging.getLogger(__name__)

_FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Credentials:
    """What somebody says to be let in."""

    username: str
    password: str = field(repr=False)
    address: str
    is_form: bool


async def read_credentials(request: Request) -> Credentials:
    """From a form or from JSON, as Airflow takes both.

    Raises:
        HTTPException: 422; it is neither.
    """
    body = await request.body()
    is_form = request.headers.get("content-type", "").partition(";")[0].strip().lower() == _FORM
    try:
        text = body.decode()
        given = {name: values[0] for name, values in parse_qs(text).items()} if is_form else json.loads(text)
        username, password = given["username"], given["password"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HTTPException(422, "username and password are needed, as JSON or as a form") from None
    if not isinstance(username, str) or not isinstance(password, str):
        raise HTTPException(422, "username and password have to be texts")
    return Credentials(username, password, address_of(request), is_form)


def log_in(services: Services, given: Credentials, lifetime_s: float) -> str:
    """A token for whoever it is.

    Raises:
        HTTPException: 401; it is nobody. 429: there were too many attempts.
        Busy: too many log in at this moment.
    """
    attempt, now = Attempt(given.username, given.address), services.clock.now()
    try:
        found = _known(services, attempt, given.password)
        stored = found.password_hash
        new_hash = hash_password(given.password) if stored is not None and needs_new_hash(stored) else None
        account = services.store.transact(lambda tx: end_login(tx, attempt, found, now, new_hash=new_hash))
    except LoginRefused as refused:
        raise _answer(refused, 401) from None
    return token_of(services, account, lifetime_s)


def change_own_password(services: Services, given: Credentials, new_password: str) -> Account:
    """Another password, for who knows the old one. It is asked for, and guesses are counted, so that a session that
    somebody has stolen does not become the whole account.

    Raises:
        HTTPException: 403; that is not the old one. 429: there were too many attempts.
        InvalidRequest: the new one is none.
        Busy: too many log in at this moment.
    """
    attempt = Attempt(given.username, given.address)
    try:
        with no_entry():
            found = _known(services, attempt, given.password)
        new_hash = hash_password(new_password)
        return services.store.transact(lambda tx: change_password(tx, attempt, found, new_hash))
    except LoginRefused as refused:
        raise _answer(refused, 403) from None


def token_of(services: Services, account: Account, lifetime_s: float) -> str:
    """A token for this account, until its password changes."""
    name, lifetime = account.profile.name, timedelta(seconds=lifetime_s)
    return services.tokens.make(name, services.clock.now(), lifetime, generation=generation_of(account))


def address_of(request: Request) -> str:
    """Where it comes from."""
    return request.client.host if request.client else ""


def _known(services: Services, attempt: Attempt, password: str) -> Account:
    """Whose name and password these are. Raises `LoginRefused`, `Busy`."""
    now = services.clock.now()
    account = services.store.transact(lambda tx: begin_login(tx, attempt, now))
    stored = account.password_hash if account is not None and account.profile.is_active else None
    if not is_password(password, stored) or account is None:
        log.warning("a login from %s failed", attempt.address)
        raise LoginRefused
    return account


def _answer(refused: LoginRefused, status: int) -> HTTPException:
    if refused.retry_after_s is None:
        return HTTPException(status, str(refused))
    return HTTPException(429, str(refused), headers={"Retry-After": str(int(refused.retry_after_s) + 1)})
