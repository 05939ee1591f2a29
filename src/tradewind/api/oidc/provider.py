"""A provider of OpenID Connect: where it is asked what, and with which keys it signs."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, NamedTuple, Self
from urllib.parse import quote, urlencode, urlsplit

import jwt

from tradewind.api.oidc import fetch
from tradewind.api.oidc.pending import PendingLogin
from tradewind.api.oidc.refusal import ProviderAway, SignInRefused
from tradewind.errors import SettingsError
from tradewind.runtime.clock import Clock
from tradewind.settings import OidcSettings

_DISCOVERY: Final = "/.well-known/openid-configuration"
_VALID_S: Final = 3600.0
"""How long it is believed what a provider said about itself."""
_USED_BEFORE: Final = "invalid_grant"
_BASIC: Final = "client_secret_basic"


@dataclass(frozen=True, slots=True)
class _Places:
    """What a provider says about itself."""

    authorization: str
    token: str
    keys: str
    takes_basic: bool
    """Whether it takes our secret in a header, which is what all have to, unless they say otherwise."""
    user_info: str | None
    end_session: str | None
    """Where it is asked for more about a person, and where people log out there; None: it does not offer that."""

    @classmethod
    def of(cls, said: Mapping[str, Any], issuer: str) -> Self:
        """Raises `ProviderAway`: it is another one, or says too little."""
        if said.get("issuer") != issuer:
            raise ProviderAway(f"[oidc] issuer is {issuer!r}, but who answers there is {said.get('issuer')!r}")
        methods = said.get("token_endpoint_auth_methods_supported")
        return cls(
            _place(said, "authorization_endpoint"),
            _place(said, "token_endpoint"),
            _place(said, "jwks_uri"),
            takes_basic=_BASIC in methods if isinstance(methods, list) else True,
            user_info=_place(said, "userinfo_endpoint") if said.get("userinfo_endpoint") else None,
            end_session=_place(said, "end_session_endpoint") if said.get("end_session_endpoint") else None,
        )


class Exchanged(NamedTuple):
    """What a code stands for."""

    id_token: str
    access_token: str | None
    """With which the provider lets us ask for more."""


class _Fetched(NamedTuple):
    """What was asked for, and when: monotonic."""

    places: _Places
    at: float


class Provider:
    """The one that the configuration names. Any number of threads may use it."""

    def __init__(self, settings: OidcSettings, clock: Clock) -> None:
        """Raises `SettingsError`."""
        if not fetch.is_trusted(settings.issuer):
            raise SettingsError(f"[oidc] issuer is {settings.issuer!r}; expected a URL that begins with https://")
        if not settings.client_id:
            raise SettingsError("[oidc] issuer is set, so [oidc] client_id has to be, too")
        if "openid" not in settings.scopes.split():
            raise SettingsError(f"[oidc] scopes is {settings.scopes!r}; openid has to be among them")
        self.settings = settings
        self._clock = clock
        self._lock = Lock()
        self._places: _Fetched | None = None
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._keys_at = -_VALID_S

    @property
    def name(self) -> str:
        """As people know it."""
        return self.settings.provider_name or urlsplit(self.settings.issuer).hostname or self.settings.issuer

    def authorization_url(self, login: PendingLogin, redirect_uri: str) -> str:
        """Where a browser is sent to. Raises `ProviderAway`."""
        digest = hashlib.sha256(login.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": redirect_uri,
            "scope": self.settings.scopes,
            "state": login.state,
            "nonce": login.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        url = self._where().authorization
        return f"{url}{'&' if '?' in url else '?'}{urlencode(asked)}"

    def exchange(self, code: str, login: PendingLogin, redirect_uri: str) -> Exchanged:
        """The tokens that the code stands for.

        Raises:
            ProviderAway: there is no answer, or one without a token.
            SignInRefused: the code counts nothing, or no longer.
        """
        places = self._where()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": login.verifier,
        }
        status, answer = fetch.post(places.token, form | self._own_form(places), self._own_headers(places))
        if status != 200:
            detail = f"{places.token} answers with status {status}, error {str(answer.get('error'))[:100]!r}"
            if answer.get("error") == _USED_BEFORE:
                raise SignInRefused("This sign-in was used before, or took too long. Try again.", detail, status=400)
            raise ProviderAway(detail)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise ProviderAway(f"{places.token} answers without an id token")
        access_token = answer.get("access_token")
        return Exchanged(token, access_token if isinstance(access_token, str) else None)

    def user_info(self, access_token: str) -> dict[str, Any]:
        """What else it says about who has logged in; nothing where it does not offer that. Raises `ProviderAway`."""
        url = self._where().user_info
        return {} if url is None else fetch.get(url, {"Authorization": f"Bearer {access_token}"})

    def logout_url(self, id_token: str, redirect_uri: str) -> str | None:
        """Where somebody logs out there and comes back; None: it does not offer that. Raises `ProviderAway`."""
        url = self._where().end_session
        if url is None:
            return None
        asked = {"client_id": self.settings.client_id, "post_logout_redirect_uri": redirect_uri}
        if id_token:
            asked["id_token_hint"] = id_token
        return f"{url}{'&' if '?' in url else '?'}{urlencode(asked)}"

    def key(self, key_id: str | None) -> jwt.PyJWK:
        """The key of that name; keys that are not known yet are asked for, since providers change them.

        Raises:
            ProviderAway: there is no answer.
            SignInRefused: there is no such key.
        """
        with self._lock:
            is_old = self._clock.monotonic() - self._keys_at >= _VALID_S
            known = None if is_old else self._keys.get(key_id)
        if known is not None:
            return known
        keys = _keys_of(fetch.get(self._where().keys))
        with self._lock:
            self._keys, self._keys_at = keys, self._clock.monotonic()
        if key_id not in keys:
            raise SignInRefused(
                "The answer of the service that you sign in with is not signed by it.",
                f"the provider has no key {str(key_id)[:100]!r} for signatures",
            )
        return keys[key_id]

    def _where(self) -> _Places:
        now = self._clock.monotonic()
        with self._lock:
            if self._places is not None and now - self._places.at < _VALID_S:
                return self._places.places
        issuer = self.settings.issuer
        places = _Places.of(fetch.get(issuer.rstrip("/") + _DISCOVERY), issuer)
        with self._lock:
            self._places = _Fetched(places, now)
        return places

    def _own_form(self, places: _Places) -> dict[str, str]:
        own = self.settings
        if own.client_secret and places.takes_basic:
            return {}
        return {"client_id": own.client_id} | ({"client_secret": own.client_secret} if own.client_secret else {})

    def _own_headers(self, places: _Places) -> dict[str, str]:
        own = self.settings
        if not own.client_secret or not places.takes_basic:
            return {}
        pair = f"{quote(own.client_id, safe='')}:{quote(own.client_secret, safe='')}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _place(said: Mapping[str, Any], name: str) -> str:
    url = said.get(name)
    if not isinstance(url, str) or not fetch.is_trusted(url):
        raise ProviderAway(f"the provider says that its {name} is {url!r}, which is no https:// URL")
    return url


def _keys_of(said: Mapping[str, Any]) -> dict[str | None, jwt.PyJWK]:
    """By name. The only one also has no name: who has one key need not say which it is. Keys of kinds that we do not
    know are for others."""
    try:
        found = jwt.PyJWKSet.from_dict(dict(said)).keys
    except (jwt.PyJWTError, TypeError, AttributeError, ValueError) as error:
        raise ProviderAway(f"the keys of the provider cannot be read: {type(error).__name__}") from error
    signing = [key for key in found if key.public_key_use in (None, "sig") and isinstance(key.key_id, str | None)]
    named: dict[str | None, jwt.PyJWK] = {key.key_id: key for key in signing}
    return {None: signing[0], **named} if len(signing) == 1 else named
