"""Who sent a request."""

from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPBearer, OAuth2PasswordBearer

from tradewind.api.auth.access import Principal
from tradewind.api.auth.tokens import TokenRefused
from tradewind.api.services import Given

COOKIE: Final = "_token"
_bearer: Final = HTTPBearer(auto_error=False)
_password: Final = OAuth2PasswordBearer(tokenUrl="/auth/token", auto_error=False)


def principal_of(
    request: Request,
    services: Given,
    bearer: Annotated[Any, Depends(_bearer)],
    _form: Annotated[Any, Depends(_password)],
) -> Principal:
    """By the token of the request.

    Raises:
        HTTPException: 401; there is none, or it does not count.
    """
    token = bearer.credentials if bearer is not None else request.cookies.get(COOKIE)
    if not token:
        raise HTTPException(401, "Not authenticated", headers={"WWW-Authenticate": "Bearer"})
    try:
        claim = services.tokens.read(token, services.clock.now())
    except TokenRefused as refused:
        raise HTTPException(401, str(refused), headers={"WWW-Authenticate": "Bearer"}) from None
    principal = services.find_principal(claim)
    if principal is None:
        raise HTTPException(401, "Invalid JWT token: nobody of that name", headers={"WWW-Authenticate": "Bearer"})
    return principal
