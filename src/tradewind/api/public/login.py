"""Log in and out with a browser, and tokens by name and password."""

from typing import Annotated

from fastapi import Depends, HTTPException, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel

from tradewind.api.auth.browser import HOME, LOGIN, SESSION_COOKIE, SESSION_PATH, next_path, query_of, with_session
from tradewind.api.auth.identities import ALL_ADMINS
from tradewind.api.auth.login import Credentials, log_in, read_credentials
from tradewind.api.auth.origin import is_from_other_pages, is_from_this_machine
from tradewind.api.auth.pages import login_page
from tradewind.api.auth.principal import COOKIE
from tradewind.api.auth.tokens import TokenRefused
from tradewind.api.operation import Operations
from tradewind.api.services import Given, Services
from tradewind.model.audit import AuditEntry
from tradewind.operations.manage_users import NAME_OF_ALL
from tradewind.storage.interface import Transaction

operations = Operations("Login")
own_operations = Operations("Login", prefix="/auth")

Said = Annotated[Credentials, Depends(read_credentials)]


class LoginResponse(BaseModel):
    """What lets a client in: `Authorization: Bearer <it>`."""

    access_token: str


@operations.add(
    "GET", "/auth/login", operation_id="login", need=None, responses={307: "Where to log in", 400: "Not one of ours"}
)
def login(request: Request, next: str | None = None) -> Response:  # noqa: A002 - its name for clients
    """Go to where people log in."""
    path = next_path(request, next)
    return RedirectResponse(LOGIN + query_of(path))


@operations.add("GET", "/auth/logout", operation_id="logout", need=None, responses={307: "Where to log in"})
def logout(request: Request, services: Given) -> Response:
    """Whoever has this token, has it in vain from now on."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    token = bearer.strip() if scheme.lower() == "bearer" else request.cookies.get(COOKIE)
    answer = RedirectResponse(LOGIN)
    # A page of somebody else must not be able to log people out.
    if not is_from_other_pages(request):
        if token:
            _revoke(services, token)
        elsewhere = _logout_elsewhere(request, services)
        answer = RedirectResponse(elsewhere or LOGIN)
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
        answer.delete_cookie(SESSION_COOKIE, path=SESSION_PATH, httponly=True, samesite="lax")
    return answer


@own_operations.add("POST", "/token", operation_id="create_token", need=None, status=201)
def create_token(given: Said, services: Given) -> LoginResponse:
    """A token, for a name and a password."""
    return LoginResponse(access_token=log_in(services, given, services.settings.api_auth.jwt_expiration_time))


@own_operations.add("POST", "/token/cli", operation_id="create_token_cli", need=None, status=201)
def create_token_cli(given: Said, services: Given) -> LoginResponse:
    """The same, for less time."""
    return LoginResponse(access_token=log_in(services, given, services.settings.api_auth.jwt_cli_expiration_time))


@own_operations.add("GET", "/token", operation_id="create_token_all_admins", need=None, status=201)
def create_token_all_admins(request: Request, services: Given) -> LoginResponse:
    """A token for whoever asks from this machine, where the configuration wants that."""
    return LoginResponse(access_token=_token_of_all(request, services))


@own_operations.add("GET", "/token/login", operation_id="login_all_admins", need=None, status=307)
def login_all_admins(request: Request, services: Given, next: str | None = None) -> Response:  # noqa: A002 - as above
    """The same for a browser."""
    path = next_path(request, next)
    return with_session(request, services, RedirectResponse(path or HOME), _token_of_all(request, services))


@own_operations.add("GET", "/login", operation_id="show_login_page", need=None)
def show_login_page(request: Request, services: Given, next: str | None = None) -> Response:  # noqa: A002 - as above
    """Where people type their names. Nobody needs to where everybody on this machine is an administrator."""
    path = next_path(request, next)
    if services.settings.core.simple_auth_manager_all_admins and is_from_this_machine(request):
        answer = RedirectResponse(path or HOME)
        return with_session(request, services, answer, _token_of_all(request, services))
    return _page(services, path)


@own_operations.add("POST", "/login", operation_id="log_in_with_cookie", need=None)
def log_inwith_session(
    request: Request,
    given: Said,
    services: Given,
    next: str | None = None,  # noqa: A002 - as above
) -> Response:
    """A token as a cookie, which no script can read."""
    path = next_path(request, next)
    if is_from_other_pages(request):
        # It would have people work in the name of whoever wrote that page.
        raise HTTPException(403, "Only pages of this server can log somebody in")
    try:
        token = log_in(services, given, services.settings.api_auth.jwt_expiration_time)
    except HTTPException as refused:
        if not given.is_form:
            raise
        return _page(services, path, str(refused.detail), refused.status_code, dict(refused.headers or {}))
    answer = RedirectResponse(path or HOME, 303) if given.is_form else Response(status_code=204)
    return with_session(request, services, answer, token)


def _token_of_all(request: Request, services: Services) -> str:
    if not services.settings.core.simple_auth_manager_all_admins:
        raise HTTPException(403, "Only with [core] simple_auth_manager_all_admins: log in with a name and a password")
    if not is_from_this_machine(request) or is_from_other_pages(request):
        raise HTTPException(403, "Only from the machine of the server: log in with a name and a password")
    return services.tokens.make(NAME_OF_ALL, services.clock.now(), generation=ALL_ADMINS)


def _revoke(services: Services, token: str) -> None:
    now = services.clock.now()
    try:
        claim = services.tokens.read(token, now)
    except TokenRefused:
        return

    def work(tx: Transaction) -> None:
        tx.api_tokens.revoke(claim.token_id, claim.expires_at, now)
        tx.audit_log.add(AuditEntry("logout", claim.subject, now))

    services.store.transact(work)
    services.recent.forget()


def _logout_elsewhere(request: Request, services: Services) -> str | None:
    """Where who came by a provider logs out there as well."""
    hint = request.cookies.get(SESSION_COOKIE)
    if hint is None or services.sign_in is None:
        return None
    back = (services.settings.api.base_url or str(request.base_url)).rstrip("/") + LOGIN
    return services.sign_in.logout_url("" if hint == "-" else hint, back)


def _page(
    services: Services, path: str | None, problem: str = "", status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    provider = services.sign_in.provider_name if services.sign_in is not None else None
    return login_page(query_of(path), provider=provider, problem=problem, status=status, headers=headers)
