"""The composition root of the web server: which database, which keys, whom it knows."""

import socket
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from time import perf_counter

from tradewind.api.app import make_app
from tradewind.api.auth.identities import Identities
from tradewind.api.auth.signing_secret import signing_secret
from tradewind.api.auth.tokens import Tokens
from tradewind.api.metrics_page import DeploymentFigures
from tradewind.api.oidc.provider import Provider
from tradewind.api.oidc.sign_in import SignIn
from tradewind.api.public.monitor import health_of_all
from tradewind.api.server import serve
from tradewind.api.services import Services
from tradewind.api.ui.live_changes import LiveChanges
from tradewind.api.ui.live_reader import Source
from tradewind.bootstrap import Wiring, executor_words, make_live_wakeup, make_log_reader, make_secrets_chain, wired
from tradewind.bootstrap_telemetry import measured
from tradewind.model.task_answers import ConnectionResult
from tradewind.runtime.one_core import one_core
from tradewind.secrets.encryption import Encryption
from tradewind.settings import Settings, environment_without_secrets
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import ConnectionTested
from tradewind.telemetry.siblings import Siblings
from tradewind.worker.connection_tests import try_connection

_MOST_THREADS = 40
_CACHE_MB = 4
"""Of each of many connections. Sixteen times as much makes a look at a whole large table a fifth quicker, and takes
700 MB once each connection has had one."""


def serve_api(
    settings: Settings, listener: socket.socket, ready: Callable[[], None], siblings: Path | None = None
) -> None:
    """Serve the REST API on a socket until told to stop. `siblings`: a folder in which processes that share the socket
    find one another."""
    threads = threads_of(settings)
    hub = Hub()
    with (
        measured(settings, hub, "api-server") as page,
        wired(settings, hub=hub, pool_size=threads, cache_mb=_CACHE_MB) as wiring,
        ExitStack() as stack,
    ):
        services = make_services(wiring)
        if page is not None:
            services.metrics_page = replace(page, deployment=_figures(services))
            if siblings is not None:
                others = stack.enter_context(closing(Siblings(siblings, page.registry)))
                services.metrics_page = replace(services.metrics_page, siblings=others.others)
        live = services.live = make_live_changes(wiring)
        serve(
            make_app(services),
            listener,
            settings.api,
            threads=threads,
            ready=ready,
            stopping=live.close,
            each_second=_staying_together(),
        )


def _staying_together() -> Callable[[], None]:
    core = one_core()
    return (lambda: None) if core is None else core.settle


def _figures(services: Services) -> DeploymentFigures:
    def tell() -> None:
        services.hub.emit(services.structures.measured("api_server"))

    return DeploymentFigures(services.store, services.clock, services.settings.metrics.prometheus_prefix, tell)


def _try(settings: Settings, hub: Hub, environ: Mapping[str, str], connection: ConnectionResult) -> tuple[bool, str]:
    began_at = perf_counter()
    works, message = try_connection(connection, environ, patience_s=settings.connection_test.timeout)
    hub.emit(ConnectionTested(works, perf_counter() - began_at))
    return works, message


def threads_of(settings: Settings) -> int:
    """How many requests are worked on at once: each with a connection of its own."""
    database = settings.database
    if database.sql_alchemy_max_overflow < 0:
        return _MOST_THREADS
    return min(_MOST_THREADS, database.sql_alchemy_pool_size + database.sql_alchemy_max_overflow)


def make_live_changes(wiring: Wiring) -> LiveChanges:
    """What changes, for those who watch."""
    # No signal of MySQL comes from another machine. Elsewhere, the look without a signal is only the net below.
    poll_s = 0.2 if wiring.database.dialect_name == "mysql" else 1.0
    health = partial(health_of_all, wiring.settings, wiring.clock)
    return LiveChanges(Source(wiring.database, wiring.clock, partial(make_live_wakeup, wiring), health, poll_s))


def make_services(wiring: Wiring) -> Services:
    """What routes work with.

    Raises:
        SettingsError: the secret that signs tokens is too short, or others can read it; or [oidc] is not complete.
    """
    settings = wiring.settings
    secret = signing_secret(settings.api_auth.jwt_secret, settings.home)
    all_are_admins = settings.core.simple_auth_manager_all_admins
    identities = Identities(wiring.database, wiring.clock, all_are_admins=all_are_admins)
    sign_in = None
    if settings.oidc.issuer:
        sign_in = SignIn(Provider(settings.oidc, wiring.clock), secret, wiring.database, wiring.clock)
    environ = environment_without_secrets()
    return Services(
        settings=settings,
        store=wiring.database,
        clock=wiring.clock,
        tokens=Tokens(secret, timedelta(seconds=settings.api_auth.jwt_expiration_time)),
        cipher=Encryption.from_setting(settings.core.fernet_key),
        logs=make_log_reader(wiring),
        find_principal=identities.of_claim,
        find_token_holder=identities.of_api_token,
        sign_in=sign_in,
        executors=executor_words(settings),
        try_connection=partial(_try, settings, wiring.hub, environ),
        hub=wiring.hub,
        secrets=make_secrets_chain(settings, environ, for_worker=False),
    )
