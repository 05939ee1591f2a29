"""A client of the web server for each role."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.component.world import World
from tradewind.api.app import make_app
from tradewind.api.auth.access import Action, Level, Principal
from tradewind.api.auth.tokens import Claim, Tokens
from tradewind.api.services import Services
from tradewind.secrets.encryption import Encryption
from tradewind.settings import DatabaseSettings, Settings
from tradewind.task_logs.reader import LogReader

SECRET = "a secret of the tests, which is long enough for the algorithm that signs the tokens of the web server"
GUEST = "guest"
"""Has no role, but what the DAG `granted` lets them do: to read."""


def _principal(claim: Claim) -> Principal | None:
    if claim.subject == GUEST:
        return Principal(GUEST, Level.NOBODY, {"granted": frozenset({Action.READ})})
    return Principal(claim.subject, Level[claim.subject.upper()])


Connect = Callable[..., TestClient]


@pytest.fixture
def services(any_world: World, tmp_path: Path) -> Services:
    """On each kind of database."""
    url = any_world.database.engine.url.render_as_string(hide_password=False)
    return Services(
        settings=Settings(home=tmp_path, database=DatabaseSettings(sql_alchemy_conn=url)),
        store=any_world.database,
        clock=any_world.clock,
        tokens=Tokens(SECRET),
        cipher=Encryption([Fernet.generate_key().decode()]),
        logs=LogReader(tmp_path / "logs"),
        find_principal=_principal,
    )


@cache
def shared_app() -> FastAPI:
    """One for all tests of a worker: to work out what each route takes is most of what a short test costs."""
    return make_app(None)  # type: ignore[arg-type]


@pytest.fixture
def connect(services: Services) -> Iterator[Connect]:
    """`connect("viewer")`: a client with a token of that role; `connect(None)`: one without."""
    app = shared_app()
    app.state.services = services
    with ExitStack() as stack:

        def make(role: str | None = "admin") -> TestClient:
            client = stack.enter_context(TestClient(app, raise_server_exceptions=True))
            if role is not None:
                token = services.tokens.make(role, services.clock.now())
                client.headers["Authorization"] = f"Bearer {token}"
            return client

        yield make


@pytest.fixture
def client(connect: Connect) -> TestClient:
    """An administrator."""
    return connect("admin")
