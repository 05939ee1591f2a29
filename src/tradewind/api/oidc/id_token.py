"""Whether an id token counts: who signed it, for whom, for which login, and when."""

import secrets
from datetime import datetime
from typing import Any, Final

import jwt

from tradewind.api.oidc.provider import Provider
from tradewind.api.oidc.refusal import SignInRefused

# With two keys, one of which the provider keeps to itself: what everybody can check, and nobody else can make.
_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_LEEWAY_S: Final = 60.0
"""How far clocks may be apart."""
_NOT_VALID: Final = "The answer of the service that you sign in with is not valid."


def read_id_token(token: str, provider: Provider, nonce: str, now: datetime) -> dict[str, Any]:
    """Its claims.

    Raises:
        SignInRefused: it does not count, or not for this login.
        ProviderAway: its key has to be asked for, and nobody answers.
    """
    claims = _signed_claims(token, provider)
    _check_times(claims, now.timestamp())
    said = claims.get("nonce")
    if not isinstance(said, str) or not secrets.compare_digest(said.encode("utf-8", "replace"), nonce.encode()):
        raise SignInRefused(_NOT_VALID, "the id token is for another login: the nonce is different")
    client_id = provider.settings.client_id
    if claims.get("azp", client_id) != client_id or ("azp" not in claims and _has_several_audiences(claims)):
        raise SignInRefused(_NOT_VALID, "the id token was made for another client")
    return claims


def _signed_claims(token: str, provider: Provider) -> dict[str, Any]:
    try:
        key = provider.key(jwt.get_unverified_header(token).get("kid"))
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=_ALGORITHMS,
            audience=provider.settings.client_id,
            issuer=provider.settings.issuer,
            # Times are compared with our own clock.
            options={
                "require": ["iss", "sub", "aud", "exp", "iat"],
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except jwt.PyJWTError as error:
        raise SignInRefused(_NOT_VALID, f"the id token is refused: {error}") from None
    return claims


def _check_times(claims: dict[str, Any], now: float) -> None:
    try:
        expires_at, issued_at = float(claims["exp"]), float(claims["iat"])
        not_before = float(claims.get("nbf", issued_at))
    except (TypeError, ValueError):
        raise SignInRefused(_NOT_VALID, "the id token has no times") from None
    if not now - _LEEWAY_S < expires_at:
        raise SignInRefused(_NOT_VALID, "the id token has expired")
    if not max(issued_at, not_before) <= now + _LEEWAY_S:
        raise SignInRefused(_NOT_VALID, "the id token comes from the future: the clocks are apart")


def _has_several_audiences(claims: dict[str, Any]) -> bool:
    return isinstance(claims["aud"], list) and len(claims["aud"]) > 1
