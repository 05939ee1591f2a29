"""Who somebody is here, by the claims of the provider."""

import hashlib
from collections.abc import Mapping
from typing import Any

from tradewind.api.oidc.refusal import SignInRefused
from tradewind.model.account import ExternalIdentity, Profile
from tradewind.settings import OidcSettings


def identity_of(claims: Mapping[str, Any], settings: OidcSettings) -> ExternalIdentity:
    """Raises `SignInRefused`: the claims do not say what the person is called."""
    name = _claim(claims, settings.username_claim)
    if not isinstance(name, str) or not name:
        detail = f"the id token has no claim {settings.username_claim!r} ([oidc] username_claim)"
        raise SignInRefused("The service that you sign in with does not say what you are called.", detail)
    profile = Profile(
        name,
        _email(claims),
        _text(claims, "given_name"),
        _text(claims, "family_name"),
        roles=_roles(claims, settings),
    )
    return ExternalIdentity(_external_id(claims), profile, has_roles=bool(settings.roles_claim))


def says_enough(claims: Mapping[str, Any], settings: OidcSettings) -> bool:
    """Whether they say what the person is called, and which roles they have if that is the provider's to say."""
    wanted = [settings.username_claim, *([settings.roles_claim] if settings.roles_claim else [])]
    return all(_claim(claims, path) is not None for path in wanted)


def _external_id(claims: Mapping[str, Any]) -> str:
    """Of the two that never change. A hash, since they may be longer than a key of a database."""
    return hashlib.sha256(f"{claims['iss']}\n{claims['sub']}".encode("utf-8", "surrogatepass")).hexdigest()


def _roles(claims: Mapping[str, Any], settings: OidcSettings) -> frozenset[str]:
    said = _claim(claims, settings.roles_claim) if settings.roles_claim else None
    words = said.split() if isinstance(said, str) else said if isinstance(said, list) else []
    names = {word for word in words if isinstance(word, str)}
    if not settings.role_mapping:
        return frozenset(names)
    meant = settings.roles_by_claim
    return frozenset().union(*(meant.get(name, frozenset()) for name in names))


def _email(claims: Mapping[str, Any]) -> str | None:
    """None also if the provider says that it may be somebody else's."""
    return _text(claims, "email") or None if claims.get("email_verified") is not False else None


def _text(claims: Mapping[str, Any], name: str) -> str:
    """What can be seen of it."""
    value = claims.get(name)
    return "".join(filter(str.isprintable, value)) if isinstance(value, str) else ""


def _claim(claims: Mapping[str, Any], path: str) -> Any:
    """By its name, or else by its way through objects."""
    if path in claims:
        return claims[path]
    found: Any = claims
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
