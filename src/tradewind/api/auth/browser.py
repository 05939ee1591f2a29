"""What logins have in common that end with a cookie."""

from typing import Final
from urllib.parse import quote

from fastapi import HTTPException, Request, Response

from tradewind.api.auth.origin import is_secure, safe_path
from tradewind.api.auth.principal import COOKIE
from tradewind.api.services import Services

LOGIN: Final = "/auth/login"
HOME: Final = "/"
SESSION_COOKIE: Final = "_provider"
SESSION_PATH: Final = "/api/v2/auth/logout"
"""Who came by a provider of OpenID Connect has this cookie, which is sent where they log out, and nowhere else."""
_TOO_FAR: Final = "Invalid or unsafe next URL"


def next_path(request: Request, target: str | None) -> str | None:
    """Where somebody wants to go who logs in.

    Raises:
        HTTPException: 400; that is no place of ours.
    """
    path = safe_path(target, request) if target else None
    if target and path is None:
        raise HTTPException(400, _TOO_FAR)
    return path


def query_of(path: str | None) -> str:
    """How a link says so."""
    return f"?next={quote(path, safe='/')}" if path else ""


def with_session(request: Request, services: Services, answer: Response, token: str) -> Response:
    """The answer, with a token in a cookie that no script can read."""
    answer.set_cookie(
        COOKIE,
        token,
        max_age=int(services.settings.api_auth.jwt_expiration_time),
        path="/",
        secure=is_secure(request, services.settings.api.base_url),
        httponly=True,
        # Not strict: links in mails and chats have to work for those who are logged in.
        samesite="lax",
    )
    return answer
