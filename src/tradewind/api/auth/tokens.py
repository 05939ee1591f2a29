"""Signed tokens: who holds one is who it says, until it expires or is revoked."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from tradewind.api.auth.signer import Signer, TokenRefused

__all__ = ["Claim", "TokenRefused", "Tokens"]

_AUDIENCE: Final = "tradewind.api"
# So that a key made of the same secret for another purpose signs nothing that counts here.
_PURPOSE: Final = b"tokens of people and programs"


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
    """Makes and reads tokens. For several secrets see `Signer`.

    Raises:
        SettingsError: a secret is so short that it can be guessed.
    """

    secret: str = field(repr=False)
    lifetime: timedelta = timedelta(days=1)
    _signer: Signer = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._signer = Signer(self.secret, _PURPOSE, _AUDIENCE)

    def make(self, subject: str, now: datetime, lifetime: timedelta | None = None, *, generation: str = "") -> str:
        """A token for somebody."""
        claims = {"sub": subject, "jti": secrets.token_hex(16), "gen": generation}
        return self._signer.sign(claims, now, now + (lifetime or self.lifetime))

    def read(self, token: str, now: datetime) -> Claim:
        """What it says.

        Raises:
            TokenRefused: it does not count, or no longer.
        """
        claims = self._signer.read(token, ("sub", "jti"))
        issued_at, expires_at = self._signer.times(claims, now)
        if expires_at <= now:
            raise TokenRefused("Token Expired")
        return Claim(str(claims["sub"]), issued_at, expires_at, str(claims["jti"]), str(claims.get("gen", "")))
