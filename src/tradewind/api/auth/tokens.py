"""Signed tokens: who holds one is who it says, until it expires or is revoked."""

import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import jwt

from tradewind.errors import SettingsError

SHORTEST_SECRET: Final = 16
_ALGORITHM: Final = "HS512"
_AUDIENCE: Final = "tradewind.api"
# So that a key made of the same secret for another purpose signs nothing that counts here.
_PURPOSE: Final = b"tokens of people and programs"


class TokenRefused(Exception):
    """The token is not ours, not for this, or too old. The text may be shown."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a token says."""

    subject: str
    issued_at: datetime
    expires_at: datetime
    token_id: str
    generation: str = ""
    """Of whom exactly: which account of that name, and since which change of its password."""


@dataclass(slots=True)
class Tokens:
    """Makes and reads tokens.

    Several secrets, with commas between them: the first signs, all are believed. To change the secret, put the new one
    first, and take the old one away when the tokens that it signed have expired.

    Raises:
        SettingsError: a secret is so short that it can be guessed.
    """

    secret: str = field(repr=False)
    lifetime: timedelta = timedelta(days=1)
    _keys: tuple[bytes, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        parts = [part.strip() for part in self.secret.split(",") if part.strip()]
        if not parts or min(map(len, parts)) < SHORTEST_SECRET:
            raise SettingsError(f"[api_auth] jwt_secret (hidden) has to have {SHORTEST_SECRET} characters or more")
        self._keys = tuple(hmac.digest(part.encode(), _PURPOSE, "sha512") for part in parts)

    def make(self, subject: str, now: datetime, lifetime: timedelta | None = None, *, generation: str = "") -> str:
        """A token for somebody."""
        claims: dict[str, Any] = {
            "sub": subject,
            "aud": _AUDIENCE,
            "iat": int(now.timestamp()),
            "exp": int((now + (lifetime or self.lifetime)).timestamp()),
            "jti": secrets.token_hex(16),
            "gen": generation,
        }
        return jwt.encode(claims, self._keys[0], algorithm=_ALGORITHM)

    def read(self, token: str, now: datetime) -> Claim:
        """What it says.

        Raises:
            TokenRefused: it does not count, or no longer.
        """
        claims = self._verified(token)
        try:
            issued_at, expires_at = (datetime.fromtimestamp(claims[name], tz=now.tzinfo) for name in ("iat", "exp"))
        except (TypeError, ValueError, OverflowError, OSError):
            raise TokenRefused("Invalid JWT token: it has no time") from None
        if expires_at <= now:
            raise TokenRefused("Token Expired")
        return Claim(str(claims["sub"]), issued_at, expires_at, str(claims["jti"]), str(claims.get("gen", "")))

    def _verified(self, token: str) -> dict[str, Any]:
        reason = ""
        for key in self._keys:
            try:
                # Times are compared with our own clock.
                return jwt.decode(
                    token,
                    key,
                    algorithms=[_ALGORITHM],
                    audience=_AUDIENCE,
                    options={"require": ["sub", "iat", "exp", "jti"], "verify_exp": False, "verify_iat": False},
                )
            except jwt.InvalidSignatureError as error:
                reason = str(error)  # another of the keys may have signed it
            except jwt.PyJWTError as error:
                raise TokenRefused(f"Invalid JWT token: {error}") from None
        raise TokenRefused(f"Invalid JWT token: {reason}")
