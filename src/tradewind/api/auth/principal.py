"""Who sent a request."""

from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPBearer, OAuth2PasswordBearer

from tradewind.api.auth.access import Principal
from tradewind.api.auth.identities import API_TOKEN_PREFIX
from tradewind.api.auth.origin import changes_something, is_from_own_pages
from tradewind.api.auth.tokens import TokenRefused
from tradewind.api.services import Given, Services

COOKIE: Final = "_token"
_bearer: Final = HTTPBearer(auto_error=False)
_password: Final = OAuth2PasswordBearer(tokenUrl="/auth/token", auto_error=False)
_ASK: Final = {"WWW-Authenticate": "Bearer"}


async def principal_of(
    request: Request,
    services: Given,
    bearer: Annotated[Any, Depends(_bearer)],
    _form: Annotated[Any, Depends(_password)],
) -> Principal:
    """By the token of the request.

    Raises:
        HTTPException: 401; there is none, or it does not count. 403: a page of somebody else has sent it.
    """
    token = bearer.credentials if bearer is not None else request.cookies.get(COOKIE)
    if not token:
        raise HTTPException(401, "Not authenticated", headers=_ASK)
    if bearer is None and changes_something(request) and not is_from_own_pages(request):
        raise HTTPException(403, "A cookie lets only pages of this server change something: send a bearer token")
    # Looked up here, by the event loop: to hand it to a thread takes longer than all the rest.
    principal = services.recent.get(token, services.clock.monotonic())
    if principal is None:
        principal = await run_in_threadpool(_identify, services, token)
        services.recent.put(token, principal, services.clock.monotonic())
    request.state.principal = principal
    return principal


def _identify(services: Services, token: str) -> Principal:
    if token.startswith(API_TOKEN_PREFIX):
        principal = services.find_token_holder(token)
        if principal is None:
            raise HTTPException(401, "Invalid token", headers=_ASK)
        return principal
    try:
        claim = services.tokens.read(token, services.clock.now())
    except TokenRefused as refused:
        raise HTTPException(401, str(refused), headers=_ASK) from None
    principal = services.find_principal(claim)
    if principal is None:
        raise HTTPException(401, "Invalid JWT token: revoked, or nobody of that name", headers=_ASK)
    return principal
