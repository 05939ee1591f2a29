"""Tokens that people make for programs (D6)."""

import dataclasses
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.component.api.conftest import shared_app
from tests.component.world import World
from tradewind.api.auth.identities import Identities
from tradewind.api.services import Services
from tradewind.model.account import Account, DagRight, Profile
from tradewind.model.dag import Dag, RoleGrant, Task
from tradewind.operations.manage_roles import create_roles
from tradewind.operations.manage_users import create_user, find_user, remove_role
from tradewind.storage.schema import api_token

TOKENS = "/auth/api-tokens"
POOLS = "/api/v2/pools"


@pytest.fixture
def any_world(world: World) -> World:
    """One kind of database will do: `test_whole_story.py` goes through all of it on each, and `conformance` knows
    every statement."""
    return world


@pytest.fixture
def own(services: Services, any_world: World) -> Services:
    """With users in the database: anna is an Op of the night shift, which a DAG lets in."""
    identities = Identities(any_world.database, any_world.clock)
    any_world.publish(Dag("open", (Task("load"),), access=(RoleGrant("night shift", (DagRight.READ,)),)))
    any_world.publish(Dag("closed", (Task("load"),)))
    with any_world.database.begin() as tx:
        create_roles(tx, ["night shift", "day shift"])
        for name, roles in (("anna", {"Op", "night shift"}), ("bert", {"Viewer"})):
            create_user(tx, Profile(name, roles=frozenset(roles)), None, any_world.clock.now())
    return dataclasses.replace(services, find_principal=identities.of_claim, find_token_holder=identities.of_api_token)


def app_of(own: Services) -> FastAPI:
    app = shared_app()
    app.state.services = own
    return app


def session(own: Services, name: str = "anna") -> TestClient:
    """Somebody who logged in."""
    account: Account = own.store.read(lambda tx: find_user(tx, name))
    generation = f"{account.account_key}.{account.generation}"
    token = own.tokens.make(name, own.clock.now(), generation=generation)
    return TestClient(app_of(own), headers={"Authorization": f"Bearer {token}"})


def program(own: Services, token: str) -> TestClient:
    return TestClient(app_of(own), headers={"Authorization": f"Bearer {token}"})


def make(client: TestClient, name: str = "nightly", **more: Any) -> str:
    answer = client.post(TOKENS, json={"name": name, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["access_token"])


def test_a_token_is_made_used_listed_and_deleted(own: Services, any_world: World) -> None:
    client = session(own)

    token = make(client)

    assert token.startswith("tw_")
    assert program(own, token).post(POOLS, json={"name": "one", "slots": 1}).status_code == 201
    (shown,) = client.get(TOKENS).json()["api_tokens"]
    assert (shown["name"], shown["role"], shown["expires_at"]) == ("nightly", None, "2026-04-01T00:00:00Z")
    assert token not in str(shown)
    with any_world.database.engine.begin() as connection:
        assert token not in str(connection.execute(sa.select(api_token)).all())

    assert client.delete(f"{TOKENS}/{shown['id']}").status_code == 204
    assert program(own, token).get(POOLS).status_code == 401
    assert client.delete(f"{TOKENS}/{shown['id']}").status_code == 404


def test_a_token_ends_when_it_was_said_to(own: Services, any_world: World) -> None:
    client = session(own)
    short, forever = make(client, "short", expires_in_days=0.5), make(client, "forever", expires_in_days=None)

    any_world.clock.advance(43_201)

    assert program(own, short).get(POOLS).status_code == 401
    assert program(own, forever).get(POOLS).status_code == 200


def test_a_token_may_have_fewer_rights_than_its_user(own: Services, any_world: World) -> None:
    client = session(own)
    viewer = program(own, make(client, "viewer", role="Viewer"))
    guest = program(own, make(client, "guest", role="night shift"))

    assert viewer.get("/api/v2/dags/closed").status_code == 200
    assert viewer.post(POOLS, json={"name": "one", "slots": 1}).status_code == 403
    assert guest.get("/api/v2/dags/open").status_code == 200
    assert guest.get("/api/v2/dags/closed").status_code == 403
    assert guest.get(POOLS).status_code == 403

    with any_world.database.begin() as tx:
        remove_role(tx, "anna", "night shift")
        remove_role(tx, "anna", "Op")
    any_world.clock.advance(1)
    assert (viewer.get(POOLS).status_code, guest.get(POOLS).status_code) == (401, 401)


@pytest.mark.parametrize("role", ["Admin", "day shift", "no such role"])
def test_a_token_has_no_more_rights_than_its_user(own: Services, role: str) -> None:
    assert session(own).post(TOKENS, json={"name": "x", "role": role}).status_code == 403


def test_a_program_makes_no_tokens_of_its_own(own: Services) -> None:
    token = make(session(own))

    assert program(own, token).post(TOKENS, json={"name": "other"}).status_code == 403


def test_tokens_are_ones_own(own: Services) -> None:
    make(session(own))
    (shown,) = session(own).get(TOKENS).json()["api_tokens"]
    other = session(own, "bert")

    assert other.get(TOKENS).json() == {"api_tokens": [], "total_entries": 0}
    assert other.delete(f"{TOKENS}/{shown['id']}").status_code == 404
    assert make(other)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "nightly"}, 409),
        ({"name": ""}, 422),
        ({}, 422),
        ({"name": "x", "expires_in_days": 0}, 422),
        ({"name": "x", "more": 1}, 422),
        ({"name": "x" * 251}, 422),
    ],
)
def test_what_makes_no_sense_is_refused(own: Services, body: dict[str, Any], status: int) -> None:
    client = session(own)
    make(client)

    assert client.post(TOKENS, json=body).status_code == status


def test_who_is_not_known_has_none(own: Services) -> None:
    client = TestClient(app_of(own))

    assert client.get(TOKENS).status_code == 401
    assert client.post(TOKENS, json={"name": "x"}).status_code == 401
