"""Signs claims, and tells whether claims were signed here and for the same purpose."""

import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import jwt

from tradewind.errors import SettingsError

SHORTEST_SECRET: Final = 16
_ALGORITHM: Final = "HS512"


class TokenRefused(Exception):
    """The token is not ours, not for this, or too old. The text may be shown."""


class Signer:
    """Makes and reads tokens of one kind.

    Several secrets, with commas between them: the first signs, all are believed. To change the secret, put the new one
    first, and take the old one away when the tokens that it signed have expired.
    """

    def __init__(self, secret: str, purpose: bytes, audience: str) -> None:
        """`purpose` makes a key of its own from the secret: what is signed for another purpose counts nothing here.

        Raises:
            SettingsError: a secret is so short that it can be guessed.
        """
        parts = [part.strip() for part in secret.split(",") if part.strip()]
        if not parts or min(map(len, parts)) < SHORTEST_SECRET:
            raise SettingsError(f"[api_auth] jwt_secret (hidden) has to have {SHORTEST_SECRET} characters or more")
        self._keys = tuple(hmac.digest(part.encode(), purpose, "sha512") for part in parts)
        self._audience = audience

    def sign(self, claims: Mapping[str, Any], issued_at: datetime, expires_at: datetime) -> str:
        """A token that says so, for a time."""
        times = {"iat": int(issued_at.timestamp()), "exp": int(expires_at.timestamp())}
        return jwt.encode({**claims, **times, "aud": self._audience}, self._keys[0], algorithm=_ALGORITHM)

    def read(self, token: str, required: Sequence[str] = ()) -> dict[str, Any]:
        """What it says, whether it has expired or not.

        Raises:
            TokenRefused: it was not signed here, or not for this, or lacks what is required.
        """
        reason = ""
        for key in self._keys:
            try:
                # Times are compared with our own clock.
                return jwt.decode(
                    token,
                    key,
                    algorithms=[_ALGORITHM],
                    audience=self._audience,
                    options={"require": ["iat", "exp", *required], "verify_exp": False, "verify_iat": False},
                )
            except jwt.InvalidSignatureError as error:
                reason = str(error)  # another of the keys may have signed it
            except jwt.PyJWTError as error:
                raise TokenRefused(f"Invalid JWT token: {error}") from None
        raise TokenRefused(f"Invalid JWT token: {reason}")

    def times(self, claims: Mapping[str, Any], now: datetime) -> tuple[datetime, datetime]:
        """Since when and until when they count.

        Raises:
            TokenRefused: they do not say.
        """
        try:
            issued_at, expires_at = (datetime.fromtimestamp(claims[name], tz=now.tzinfo) for name in ("iat", "exp"))
        except (TypeError, ValueError, OverflowError, OSError):
            raise TokenRefused("Invalid JWT token: it has no time") from None
        return issued_at, expires_at
