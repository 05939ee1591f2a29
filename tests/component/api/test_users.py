"""Users, roles and one's own account over the REST API (D6)."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from tests.component.api.conftest import shared_app
from tests.component.world import World
from tradewind.api.auth.identities import Identities, generation_of
from tradewind.api.services import Services
from tradewind.model.account import DagRight, Profile
from tradewind.model.dag import Dag, RoleGrant, Task
from tradewind.operations.manage_users import create_user, find_user
from tradewind.secrets.passwords import hash_password
from tradewind.storage.schema import audit_log

USERS, ME, PASSWORD_PATH, ROLES, POOLS = "/auth/users", "/auth/me", "/auth/me/password", "/auth/roles", "/api/v2/pools"
PASSWORD = "a secret of all"
HASH = hash_password(PASSWORD)
OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}

As = Callable[[str], TestClient]


@pytest.fixture
def any_world(world: World) -> World:
    """One kind of database will do: `conformance` knows every statement."""
    return world


@pytest.fixture
def own(services: Services, any_world: World) -> Services:
    """With users in the database: the boss is an administrator, anna may look."""
    identities = Identities(any_world.database, any_world.clock)
    with any_world.database.begin() as tx:
        for name, role in (("boss", "Admin"), ("anna", "Viewer")):
            create_user(tx, Profile(name, roles=frozenset({role})), HASH, any_world.clock.now())
    return dataclasses.replace(services, find_principal=identities.of_claim, find_token_holder=identities.of_api_token)


@pytest.fixture
def as_(own: Services) -> As:
    """A client of somebody who has logged in."""
    app = shared_app()
    app.state.services = own

    def make(name: str) -> TestClient:
        account = own.store.read(lambda tx: find_user(tx, name))
        token = own.tokens.make(name, own.clock.now(), generation=generation_of(account))
        return TestClient(app, headers={"Authorization": f"Bearer {token}"}, follow_redirects=False)

    return make


@pytest.fixture
def boss(as_: As) -> TestClient:
    """An administrator."""
    return as_("boss")


def log_in(client: TestClient, name: str, password: str) -> int:
    return int(client.post("/auth/token", json={"username": name, "password": password}).status_code)


def log_of(world: World) -> list[tuple[str, str, Any]]:
    with world.database.engine.begin() as connection:
        rows = connection.execute(sa.select(audit_log).order_by(audit_log.c.entry_key)).all()
    return [(row.event, row.owner, json.loads(row.extra) if row.extra else None) for row in rows]


def test_users_are_made_shown_changed_and_deleted(boss: TestClient, any_world: World) -> None:
    body = {"username": "bert", "password": "hunter22", "email": "b@x.org", "first_name": "Bert", "roles": ["Op"]}

    made = boss.post(USERS, json=body)

    assert made.status_code == 201
    assert made.json() == {
        "username": "bert",
        "email": "b@x.org",
        "first_name": "Bert",
        "last_name": "",
        "is_active": True,
        "roles": ["Op"],
        "has_password": True,
        "created_at": "2026-01-01T00:00:00Z",
        "last_login_at": None,
    }
    assert boss.get(f"{USERS}/bert").json() == made.json()
    listed = boss.get(USERS, params={"limit": 1, "offset": 1}).json()
    assert ([user["username"] for user in listed["users"]], listed["total_entries"]) == (["bert"], 3)
    assert log_in(boss, "bert", "hunter22") == 201

    changed = boss.patch(f"{USERS}/bert", json={"email": None, "roles": ["Viewer"], "first_name": None}).json()
    assert (changed["email"], changed["roles"], changed["first_name"]) == (None, ["Viewer"], "Bert")

    assert boss.delete(f"{USERS}/bert").status_code == 204
    assert boss.get(f"{USERS}/bert").status_code == 404
    assert [event for event, owner, _ in log_of(any_world) if owner == "boss"] == [
        "create_user",
        "update_user",
        "delete_user",
    ]
    assert "hunter22" not in str(log_of(any_world))


def test_another_password_ends_the_sessions_of_a_user(boss: TestClient, as_: As) -> None:
    anna = as_("anna")
    assert anna.get(POOLS).status_code == 200

    assert boss.patch(f"{USERS}/anna", json={"password": "another one"}).status_code == 200

    assert anna.get(POOLS).status_code == 401
    assert (log_in(boss, "anna", PASSWORD), log_in(boss, "anna", "another one")) == (401, 201)


def test_who_is_switched_off_is_out_at_once(boss: TestClient, as_: As) -> None:
    anna = as_("anna")
    assert anna.get(POOLS).status_code == 200

    boss.patch(f"{USERS}/anna", json={"is_active": False})

    assert anna.get(POOLS).status_code == 401
    assert log_in(boss, "anna", PASSWORD) == 401


@pytest.mark.parametrize("body", [{"roles": ["Op"]}, {"roles": []}, {"is_active": False}])
def test_nobody_locks_themselves_out(boss: TestClient, body: dict[str, Any]) -> None:
    assert boss.patch(f"{USERS}/boss", json=body).status_code == 409
    assert boss.delete(f"{USERS}/boss").status_code == 409
    assert boss.patch(f"{USERS}/boss", json={"roles": ["Admin", "Op"]}).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"username": "anna"}, 409),
        ({"username": "bert", "roles": ["none"]}, 400),
        ({"username": "bert", "password": ""}, 422),
        ({"username": "be\nrt"}, 400),
        ({"username": "Anonymous"}, 400),
        ({"username": "bert", "more": 1}, 422),
        ({}, 422),
        ({"username": "x" * 251}, 422),
    ],
)
def test_what_makes_no_user_is_refused(boss: TestClient, body: dict[str, Any], status: int) -> None:
    assert boss.post(USERS, json=body).status_code == status
    assert boss.get(USERS).json()["total_entries"] == 2


def test_only_administrators_look_after_users(as_: As) -> None:
    anna = as_("anna")

    for method, path in (("GET", USERS), ("POST", USERS), ("PATCH", f"{USERS}/anna"), ("GET", ROLES), ("POST", ROLES)):
        assert anna.request(method, path, json={}).status_code == 403


def test_roles_are_made_given_and_deleted(boss: TestClient) -> None:
    assert boss.post(ROLES, json={"name": "night/shift"}).status_code == 201
    assert boss.patch(f"{USERS}/anna", json={"roles": ["night/shift"]}).json()["roles"] == ["night/shift"]
    names = [(role["name"], role["is_built_in"]) for role in boss.get(ROLES).json()["roles"]]
    assert names == [("Viewer", True), ("User", True), ("Op", True), ("Admin", True), ("night/shift", False)]

    assert boss.delete(f"{ROLES}/night/shift").status_code == 204
    assert boss.get(f"{USERS}/anna").json()["roles"] == []
    assert boss.delete(f"{ROLES}/night/shift").status_code == 404
    assert boss.delete(f"{ROLES}/Admin").status_code == 400
    assert boss.post(ROLES, json={"name": "Admin"}).status_code == 409


def test_everybody_knows_who_they_are(as_: As) -> None:
    anna = as_("anna")
    token = anna.post("/auth/api-tokens", json={"name": "nightly"}).json()["access_token"]

    me = anna.get(ME).json()
    program = anna.get(ME, headers={"Authorization": f"Bearer {token}"}).json()

    assert (me["username"], me["roles"], me["level"], me["has_password"]) == ("anna", ["Viewer"], "Viewer", True)
    assert (me["is_program"], program["is_program"]) == (False, True)
    assert (me["rights"]["DAG"], me["rights"]["user"], me["rights"]["own account"]) == (
        *(["read"], []),
        ["read", "edit", "delete"],
    )
    assert me["granted"] == {}


def test_nobody_is_told_that_they_may_read_a_configuration_that_nobody_is_shown(own: Services, as_: As) -> None:
    def rights() -> list[str]:
        return list(as_("boss").get(ME).json()["rights"]["configuration"])

    concealed = rights()
    shown = dataclasses.replace(own.settings, api=dataclasses.replace(own.settings.api, expose_config="true"))
    shared_app().state.services = dataclasses.replace(own, settings=shown)

    assert (concealed, rights()) == ([], ["read", "edit", "delete"])


def test_what_a_dag_grants_is_told(boss: TestClient, as_: As, any_world: World) -> None:
    any_world.publish(Dag("sales", (Task("load"),), access=(RoleGrant("Night", (DagRight.READ, DagRight.EDIT)),)))
    boss.post(ROLES, json={"name": "Night"})
    boss.patch(f"{USERS}/anna", json={"roles": ["Viewer", "Night"]})

    assert as_("anna").get(ME).json()["granted"] == {"sales": ["edit", "read"]}


def test_one_changes_ones_own_password_and_stays(as_: As, any_world: World) -> None:
    here, elsewhere = as_("anna"), as_("anna")
    assert elsewhere.get(POOLS).status_code == 200

    answer = here.post(PASSWORD_PATH, json={"old_password": PASSWORD, "new_password": "another one"})

    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert elsewhere.get(POOLS).status_code == 401, "all other sessions have ended"
    token = answer.json()["access_token"]
    assert here.get(POOLS, headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert (log_in(here, "anna", PASSWORD), log_in(here, "anna", "another one")) == (401, 201)
    event, owner, extra = log_of(any_world)[0]
    assert (event, owner) == ("change_own_password", "anna")
    assert extra == {"old_password": "***", "new_password": "***"}


def test_a_browser_stays_with_its_cookie(as_: As) -> None:
    client = as_("anna")
    del client.headers["Authorization"]
    client.post("/auth/login", data={"username": "anna", "password": PASSWORD})
    body = {"old_password": PASSWORD, "new_password": "another one"}

    assert client.post(PASSWORD_PATH, json=body, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert client.post(PASSWORD_PATH, json=body, headers=OWN_PAGE).status_code == 200
    assert client.get(POOLS).status_code == 200


def test_a_stolen_session_cannot_guess_the_password(as_: As, any_world: World) -> None:
    client = as_("anna")
    wrong = {"old_password": "a guess", "new_password": "mine now"}

    assert [client.post(PASSWORD_PATH, json=wrong).status_code for _ in range(5)] == [403] * 5
    blocked = client.post(PASSWORD_PATH, json={"old_password": PASSWORD, "new_password": "mine now"})

    assert (blocked.status_code, blocked.headers["Retry-After"]) == (429, "2")
    assert log_of(any_world) == [], "nothing was changed"


def test_programs_do_not_change_passwords(as_: As) -> None:
    client = as_("anna")
    token = client.post("/auth/api-tokens", json={"name": "nightly"}).json()["access_token"]

    body = {"old_password": PASSWORD, "new_password": "mine now"}
    answer = client.post(PASSWORD_PATH, json=body, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403
