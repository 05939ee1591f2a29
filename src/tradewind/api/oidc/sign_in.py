"""From a browser that wants to log in to an account of ours."""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from tradewind.api.oidc.id_token import read_id_token
from tradewind.api.oidc.identity import identity_of, says_enough
from tradewind.api.oidc.pending import PendingLogin, PendingLogins
from tradewind.api.oidc.provider import Exchanged, Provider
from tradewind.api.oidc.refusal import SignInRefused
from tradewind.errors import Conflict, InvalidRequest, NotFound
from tradewind.model.account import Account, ExternalIdentity
from tradewind.operations.log_in_from_outside import OutsideRules, log_in_from_outside
from tradewind.runtime.clock import Clock
from tradewind.storage.interface import ReadingStore

log = logging.getLogger(__name__)

_WORDS_OF_PROVIDERS: Final = {
    "access_denied": "You did not let the service that you sign in with tell who you are.",
    "login_required": "The service that you sign in with wants you to log in there first.",
}


class SignedIn(NamedTuple):
    """Somebody whom the provider knows."""

    account: Account
    path: str
    """Where they want to go."""
    id_token: str
    """By which the provider knows which of its sessions shall end when they log out."""


class SignIn:
    """Logins with one provider."""

    def __init__(self, provider: Provider, secret: str, store: ReadingStore, clock: Clock) -> None:
        self._provider = provider
        self._pending = PendingLogins(secret)
        self._store = store
        self._clock = clock

    @property
    def provider_name(self) -> str:
        """As people know it."""
        return self._provider.name

    def begin(self, path: str, redirect_uri: str) -> tuple[str, str]:
        """Where to send the browser, and the cookie that it comes back with. Raises `ProviderAway`."""
        login = PendingLogin(path)
        url = self._provider.authorization_url(login, redirect_uri)
        return url, self._pending.write(login, self._clock.now())

    def end(self, asked: Mapping[str, str], cookie: str | None, redirect_uri: str) -> "SignedIn":
        """Who it is, and where they want to go. `asked`: what the provider let the browser say.

        Raises:
            SignInRefused: they are not let in.
        """
        now = self._clock.now()
        login = self._pending.read(cookie, asked.get("state"), now)
        issuer = self._provider.settings.issuer
        if asked.get("iss", issuer) != issuer:
            raise SignInRefused("The answer comes from another service.", f"iss is {asked['iss'][:200]!r}", status=400)
        if "error" in asked or not asked.get("code"):
            error = asked.get("error", "no code")[:100]
            text = _WORDS_OF_PROVIDERS.get(error, "The service that you sign in with has refused.")
            raise SignInRefused(text, f"the provider says {error!r}")
        exchanged = self._provider.exchange(asked["code"], login, redirect_uri)
        claims = self._completed(read_id_token(exchanged.id_token, self._provider, login.nonce, now), exchanged)
        account = self._enter(identity_of(claims, self._provider.settings), now)
        return SignedIn(account, login.path, exchanged.id_token)

    def logout_url(self, id_token: str, redirect_uri: str) -> str | None:
        """Where to send the browser of somebody who has logged out here; None: nowhere else."""
        if not self._provider.settings.logout_at_provider:
            return None
        try:
            return self._provider.logout_url(id_token, redirect_uri)
        except SignInRefused as away:
            log.warning("nobody can log out at the provider: %s %s", away, away.detail)
            return None

    def _completed(self, claims: Mapping[str, Any], exchanged: Exchanged) -> Mapping[str, Any]:
        """With what the id token leaves to be asked for. What it says, it has signed, so that counts more."""
        if says_enough(claims, self._provider.settings) or exchanged.access_token is None:
            return claims
        more = self._provider.user_info(exchanged.access_token)
        if more and more.get("sub") != claims["sub"]:
            raise SignInRefused(
                "The answer of the service that you sign in with is about somebody else.",
                f"the sub of its user info is {str(more.get('sub'))[:100]!r}",
            )
        return {**more, **claims}

    def _enter(self, identity: ExternalIdentity, now: datetime) -> Account:
        own = self._provider.settings
        rules = OutsideRules(own.allow_sign_up, own.link_by_name, own.default_role or None)
        try:
            return self._store.transact(lambda tx: log_in_from_outside(tx, identity, rules, now))
        except (Conflict, InvalidRequest, NotFound) as refused:
            raise SignInRefused(str(refused)) from refused
