"""A login that has begun: what only the browser that began it can know.

It is in a signed cookie of that browser, so that any process of the server can go on with it, and nothing is stored for
logins that nobody ends.
"""

import secrets
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Final

from tradewind.api.auth.signer import Signer, TokenRefused
from tradewind.api.oidc.refusal import SignInRefused

LIFETIME: Final = timedelta(minutes=10)
_PURPOSE: Final = b"logins that have begun"
_AUDIENCE: Final = "tradewind.oidc"
_FIELDS: Final = ("state", "nonce", "verifier", "path")
_TOO_LATE: Final = "This sign-in was not begun in this browser, or took too long. Try again."


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """What is to be compared when the browser comes back."""

    path: str
    """Where it wants to go then."""
    state: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48), repr=False)


class PendingLogins:
    """Writes and reads the cookie."""

    def __init__(self, secret: str) -> None:
        self._signer = Signer(secret, _PURPOSE, _AUDIENCE)

    def write(self, login: PendingLogin, now: datetime) -> str:
        """Signed, for a few minutes."""
        return self._signer.sign(asdict(login), now, now + LIFETIME)

    def read(self, cookie: str | None, state: str | None, now: datetime) -> PendingLogin:
        """The login of this browser.

        Raises:
            SignInRefused: it has begun none, not lately, or another than the answer is for.
        """
        if not cookie:
            raise SignInRefused(_TOO_LATE, "there is no cookie of a login", status=400)
        try:
            claims = self._signer.read(cookie, _FIELDS)
            _, expires_at = self._signer.times(claims, now)
        except TokenRefused as refused:
            raise SignInRefused(_TOO_LATE, str(refused), status=400) from None
        if expires_at <= now:
            raise SignInRefused(_TOO_LATE, "the login took too long", status=400)
        login = PendingLogin(**{name: str(claims[name]) for name in _FIELDS})
        if not secrets.compare_digest(login.state.encode(), (state or "").encode("utf-8", "replace")):
            raise SignInRefused(_TOO_LATE, "the state is that of another login", status=400)
        return login
