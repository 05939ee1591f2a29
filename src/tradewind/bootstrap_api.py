"""The composition root of the web server: which database, which keys, whom it knows."""

import secrets
import socket
from collections.abc import Callable

from tradewind.api.app import make_app
from tradewind.api.auth.access import Level, Principal
from tradewind.api.auth.tokens import Claim, Tokens
from tradewind.api.server import ServerOptions, listen, serve
from tradewind.api.services import Services
from tradewind.bootstrap import Wiring, wired
from tradewind.secrets.encryption import Encryption
from tradewind.settings import Settings

__all__ = ["ServerOptions", "listen", "serve_api"]

_MOST_THREADS = 40


def serve_api(settings: Settings, listener: socket.socket, options: ServerOptions, ready: Callable[[], None]) -> None:
    """Serve the REST API on a socket until told to stop."""
    threads = threads_of(settings)
    with wired(settings, pool_size=threads) as wiring:
        serve(make_app(make_services(wiring)), listener, options, threads=threads, ready=ready)


def threads_of(settings: Settings) -> int:
    """How many requests are worked on at once: each with a connection of its own."""
    database = settings.database
    if database.sql_alchemy_max_overflow < 0:
        return _MOST_THREADS
    return min(_MOST_THREADS, database.sql_alchemy_pool_size + database.sql_alchemy_max_overflow)


def make_services(wiring: Wiring) -> Services:
    """What routes work with."""
    return Services(
        settings=wiring.settings,
        store=wiring.database,
        clock=wiring.clock,
        tokens=Tokens(secrets.token_hex(64)),
        cipher=Encryption.from_setting(wiring.settings.core.fernet_key),
        find_principal=_principal,
    )


def _principal(claim: Claim) -> Principal | None:
    return Principal(claim.subject, Level.ADMIN) if claim.subject == "admin" else None
