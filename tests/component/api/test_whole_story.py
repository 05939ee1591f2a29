"""Users, tokens, grants and the audit log together, on each kind of database (D6)."""

import dataclasses

from fastapi.testclient import TestClient

from tests.component.world import World
from tradewind.api.app import make_app
from tradewind.api.auth.identities import Identities
from tradewind.api.services import Services
from tradewind.model.account import DagRight, Profile
from tradewind.model.dag import Dag, RoleGrant, Task
from tradewind.operations.manage_roles import create_roles
from tradewind.operations.manage_users import create_user, set_password
from tradewind.secrets.passwords import hash_password

TOKEN = "/auth/token"


def test_from_the_first_login_to_the_last_change(services: Services, any_world: World) -> None:
    identities = Identities(any_world.database, any_world.clock)
    app = make_app(
        dataclasses.replace(services, find_principal=identities.of_claim, find_token_holder=identities.of_api_token)
    )
    any_world.publish(Dag("open", (Task("load"),), access=(RoleGrant("night", (DagRight.READ, DagRight.EDIT)),)))
    any_world.publish(Dag("closed", (Task("load"),)))
    with any_world.database.begin() as tx:
        create_roles(tx, ["night"])
        create_user(tx, Profile("anna", roles=frozenset({"night"})), hash_password("first"), any_world.clock.now())
        create_user(tx, Profile("root", roles=frozenset({"Admin"})), hash_password("first"), any_world.clock.now())
    client = TestClient(app, follow_redirects=False)

    def log_in(name: str, password: str = "first") -> int:
        answer = client.post(TOKEN, json={"username": name, "password": password})
        client.headers["Authorization"] = f"Bearer {answer.json().get('access_token')}"
        return answer.status_code

    for _ in range(5):
        assert log_in("anna", "wrong") == 401
    assert log_in("anna") == 429
    any_world.clock.advance(1)
    assert log_in("anna") == 201
    assert client.patch("/api/v2/dags/open", json={"is_paused": True}).status_code == 200
    assert client.patch("/api/v2/dags/closed", json={"is_paused": True}).status_code == 403

    made = client.post("/auth/api-tokens", json={"name": "nightly"})
    program = TestClient(app, headers={"Authorization": f"Bearer {made.json()['access_token']}"})
    assert program.get("/api/v2/dags/open").status_code == 200
    client.get("/api/v2/auth/logout")
    assert client.get("/api/v2/dags/open").status_code == 401
    assert program.get("/api/v2/dags/open").status_code == 200

    assert log_in("anna") == 201
    with any_world.database.begin() as tx:
        set_password(tx, "anna", hash_password("second"))
    any_world.clock.advance(1)
    assert client.get("/api/v2/dags/open").status_code == 401

    assert log_in("root") == 201
    entries = client.get("/api/v2/eventLogs").json()["event_logs"]
    assert [(entry["event"], entry["owner"], entry["dag_id"]) for entry in entries] == [
        ("login", "anna", None),
        ("patch_dag", "anna", "open"),
        ("create_api_token", "anna", None),
        ("logout", "anna", None),
        ("login", "anna", None),
        ("login", "root", None),
    ]
