"""Log in with a provider of OpenID Connect."""

import logging
from typing import Final

from fastapi import HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from tradewind.api.auth.browser import HOME, SESSION_COOKIE, SESSION_PATH, next_path, with_session
from tradewind.api.auth.login import token_of
from tradewind.api.auth.origin import is_secure
from tradewind.api.auth.pages import refusal_page
from tradewind.api.oidc.pending import LIFETIME
from tradewind.api.oidc.refusal import SignInRefused
from tradewind.api.oidc.sign_in import SignIn
from tradewind.api.operation import Operations
from tradewind.api.services import Given, Services

log = logging.getLogger(__name__)

operations = Operations("Login", prefix="/auth/oidc")

_COOKIE: Final = "_login"
_PATH: Final = "/auth/oidc"
_CALLBACK: Final = f"{_PATH}/callback"
_LONGEST_HINT: Final = 3_500


@operations.add("GET", "/login", operation_id="begin_oidc_login", need=None, status=307)
def begin_oidc_login(request: Request, services: Given, next: str | None = None) -> Response:  # noqa: A002 - its name for clients
    """Go to the provider, and come back."""
    sign_in = _sign_in(services)
    path = next_path(request, next) or HOME
    try:
        url, cookie = sign_in.begin(path, _redirect_uri(request, services))
    except SignInRefused as refused:
        return _refusal(refused)
    answer = RedirectResponse(url)
    answer.set_cookie(
        _COOKIE,
        cookie,
        max_age=int(LIFETIME.total_seconds()),
        path=_PATH,
        secure=is_secure(request, services.settings.api.base_url),
        httponly=True,
        samesite="lax",  # it is the provider that sends the browser back
    )
    return answer


@operations.add("GET", "/callback", operation_id="end_oidc_login", need=None, status=303)
def end_oidc_login(request: Request, services: Given) -> Response:
    """Where the provider sends people to. Each answer counts once: the cookie goes, however it ends."""
    sign_in = _sign_in(services)
    cookie = request.cookies.get(_COOKIE)
    try:
        signed_in = sign_in.end(request.query_params, cookie, _redirect_uri(request, services))
    except SignInRefused as refused:
        answer = _refusal(refused)
    else:
        lifetime_s = services.settings.api_auth.jwt_expiration_time
        token = token_of(services, signed_in.account, lifetime_s)
        answer = with_session(request, services, RedirectResponse(signed_in.path, 303), token)
        answer.set_cookie(
            SESSION_COOKIE,
            # What is too long for a cookie is only a hint: without it, the provider asks.
            signed_in.id_token if len(signed_in.id_token) <= _LONGEST_HINT else "-",
            max_age=int(lifetime_s),
            path=SESSION_PATH,
            secure=is_secure(request, services.settings.api.base_url),
            httponly=True,
            samesite="lax",
        )
    answer.delete_cookie(_COOKIE, path=_PATH, httponly=True, samesite="lax")
    return answer


def _sign_in(services: Services) -> SignIn:
    if services.sign_in is None:
        raise HTTPException(404, "There is no [oidc] issuer: log in with a name and a password")
    return services.sign_in


def _redirect_uri(request: Request, services: Services) -> str:
    """As people outside reach us, which has to be what the provider was told."""
    return (services.settings.api.base_url or str(request.base_url)).rstrip("/") + _CALLBACK


def _refusal(refused: SignInRefused) -> Response:
    log.warning("a login with the provider failed: %s %s", refused, refused.detail)
    return refusal_page(str(refused), refused.status)
