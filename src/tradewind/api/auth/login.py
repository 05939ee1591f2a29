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
from tradewind.operations.log_in import Attempt, begin_login, end_login
from tradewind.secrets.passwords import hash_password, is_password, needs_new_hash

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
    return Credentials(username, password, request.client.host if request.client else "", is_form)


def log_in(services: Services, given: Credentials, lifetime_s: float) -> str:
    """A token for whoever it is.

    Raises:
        HTTPException: 401; it is nobody. 429: there were too many attempts.
        Busy: too many log in at this moment.
    """
    attempt, now = Attempt(given.username, given.address), services.clock.now()
    try:
        account = services.store.transact(lambda tx: begin_login(tx, attempt, now))
        stored = account.password_hash if account is not None and account.profile.is_active else None
        if not is_password(given.password, stored) or account is None:
            log.warning("a login from %s failed", given.address)
            raise LoginRefused
        found = account
        new_hash = hash_password(given.password) if stored is not None and needs_new_hash(stored) else None
        found = services.store.transact(lambda tx: end_login(tx, attempt, found, now, new_hash=new_hash))
    except LoginRefused as refused:
        raise _answer(refused) from None
    lifetime = timedelta(seconds=lifetime_s)
    return services.tokens.make(found.profile.name, now, lifetime, generation=generation_of(found))


def _answer(refused: LoginRefused) -> HTTPException:
    if refused.retry_after_s is None:
        return HTTPException(401, str(refused))
    return HTTPException(429, str(refused), headers={"Retry-After": str(int(refused.retry_after_s) + 1)})
