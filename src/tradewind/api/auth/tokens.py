"""Signed tokens: who holds one is who it says, until it expires."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import jwt

_ALGORITHM: Final = "HS512"
_AUDIENCE: Final = "tradewind.api"


class TokenRefused(Exception):
    """The token is not ours, not for this, or too old. The text may be shown."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a token says."""

    subject: str
    issued_at: datetime
    expires_at: datetime
    token_id: str


@dataclass(slots=True)
class Tokens:
    """Makes and reads tokens."""

    secret: str = field(repr=False)
    lifetime: timedelta = timedelta(days=1)

    def make(self, subject: str, now: datetime, lifetime: timedelta | None = None) -> str:
        """A token for somebody."""
        claims: dict[str, Any] = {
            "sub": subject,
            "aud": _AUDIENCE,
            "iat": int(now.timestamp()),
            "exp": int((now + (lifetime or self.lifetime)).timestamp()),
            "jti": secrets.token_hex(16),
        }
        return jwt.encode(claims, self.secret, algorithm=_ALGORITHM)

    def read(self, token: str, now: datetime) -> Claim:
        """What it says.

        Raises:
            TokenRefused: it does not count, or no longer.
        """
        try:
            # Times are compared with our own clock, below.
            claims = jwt.decode(
                token,
                self.secret,
                algorithms=[_ALGORITHM],
                audience=_AUDIENCE,
                options={"require": ["sub", "iat", "exp", "jti"], "verify_exp": False, "verify_iat": False},
            )
        except jwt.PyJWTError as error:
            raise TokenRefused(f"Invalid JWT token: {error}") from None
        issued_at, expires_at = (datetime.fromtimestamp(claims[name], tz=now.tzinfo) for name in ("iat", "exp"))
        if expires_at <= now:
            raise TokenRefused("Token Expired")
        return Claim(str(claims["sub"]), issued_at, expires_at, str(claims["jti"]))
