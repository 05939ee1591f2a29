"""Who gets in, and until when (D6)."""

import dataclasses
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import SECRET, shared_app
from tests.component.world import World
from tradewind.api.app import make_app
from tradewind.api.auth.identities import Identities
from tradewind.api.auth.signing_secret import signing_secret
from tradewind.api.auth.tokens import Tokens
from tradewind.api.recent import Recent
from tradewind.api.services import Services
from tradewind.errors import SettingsError
from tradewind.model.account import DagRight, Profile
from tradewind.model.dag import Dag, RoleGrant, Task
from tradewind.operations.manage_roles import create_roles
from tradewind.operations.manage_users import add_role, create_user, remove_role, set_password, update_user
from tradewind.secrets.passwords import hash_password
from tradewind.testing.clock import FakeClock

TOKEN = "/auth/token"
POOLS = "/api/v2/pools"
PASSWORD = "a secret of anna"
HASH = hash_password(PASSWORD)
HTML = {"Sec-Fetch-Site": "same-origin"}

Open = Callable[..., TestClient]


@pytest.fixture
def any_world(world: World) -> World:
    """One kind of database will do: `test_whole_story.py` goes through all of it on each, and `conformance` knows
    every statement."""
    return world


@pytest.fixture
def own(services: Services, any_world: World) -> Services:
    """With users in the database: anna, who may look."""
    identities = Identities(any_world.database, any_world.clock)
    with any_world.database.begin() as tx:
        create_user(tx, Profile("anna", roles=frozenset({"Viewer"})), HASH, any_world.clock.now())
    return dataclasses.replace(services, find_principal=identities.of_claim, find_token_holder=identities.of_api_token)


@pytest.fixture
def open_(own: Services) -> Open:
    """A client; `open_(client=("10.0.0.9", 1))`: one from elsewhere."""
    app = shared_app()
    app.state.services = own
    return lambda **more: TestClient(app, follow_redirects=False, **more)


def log_in(client: TestClient, password: str = PASSWORD, name: str = "anna", path: str = TOKEN) -> Any:
    return client.post(path, json={"username": name, "password": password})


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def token_of(client: TestClient) -> str:
    answer = log_in(client)
    assert answer.status_code == 201
    return str(answer.json()["access_token"])


def test_a_name_and_a_password_make_a_token(open_: Open) -> None:
    client = open_()

    as_json = log_in(client)
    as_form = client.post(TOKEN, data={"username": "anna", "password": PASSWORD})

    assert (as_json.status_code, as_form.status_code) == (201, 201)
    for answer in (as_json, as_form):
        assert client.get(POOLS, headers=bearer(answer.json()["access_token"])).status_code == 200


def test_the_token_of_the_command_line_ends_sooner(open_: Open, any_world: World) -> None:
    client = open_()
    short, long = (log_in(client, path=path).json()["access_token"] for path in ("/auth/token/cli", TOKEN))

    any_world.clock.advance(3601)

    assert client.get(POOLS, headers=bearer(short)).status_code == 401
    assert client.get(POOLS, headers=bearer(long)).status_code == 200
    any_world.clock.advance(86_400)
    assert client.get(POOLS, headers=bearer(long)).json() == {"detail": "Token Expired"}


@pytest.mark.parametrize(
    ("name", "password"), [("anna", "wrong"), ("nobody", PASSWORD), ("anna", ""), ("Anna", PASSWORD), ("", "")]
)
def test_who_is_nobody_is_not_told_why(open_: Open, name: str, password: str) -> None:
    answer = log_in(open_(), password, name)

    assert (answer.status_code, answer.json()) == (401, {"detail": "Invalid credentials"})


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"username": "anna"}', b'{"username": 1, "password": 2}', b"\xff"]
)
def test_what_is_no_login_is_refused(open_: Open, content: bytes) -> None:
    assert open_().post(TOKEN, content=content).status_code == 422


def test_whoever_guesses_waits_longer_each_time(open_: Open, any_world: World) -> None:
    client = open_()
    assert [log_in(client, "wrong").status_code for _ in range(5)] == [401] * 5

    blocked = log_in(client)
    assert (blocked.status_code, blocked.headers["Retry-After"]) == (429, "2")

    any_world.clock.advance(1)
    assert log_in(client, "wrong").status_code == 401
    any_world.clock.advance(1)
    assert log_in(client).status_code == 429
    any_world.clock.advance(1)
    assert log_in(client).status_code == 201
    assert log_in(client, "wrong").status_code == 401, "who got in begins anew"
    assert log_in(client).status_code == 201


def test_an_address_that_tries_many_names_waits_too(open_: Open) -> None:
    client, other = open_(client=("10.0.0.9", 1)), open_(client=("10.0.0.10", 1))
    for number in range(20):
        assert log_in(client, "wrong", f"user{number}").status_code == 401

    assert log_in(client).status_code == 429
    assert log_in(other).status_code == 201


def test_whoever_has_one_network_has_one_address(open_: Open) -> None:
    for number in range(20):
        client = open_(client=(f"2001:db8::{number:x}", 1))
        assert log_in(client, "wrong", f"user{number}").status_code == 401

    assert log_in(open_(client=("2001:db8::ffff", 1))).status_code == 429
    assert log_in(open_(client=("2001:db8:0:1::1", 1))).status_code == 201


def test_who_logs_out_has_a_token_in_vain(open_: Open) -> None:
    client = open_()
    token, other = token_of(client), token_of(client)
    assert client.get(POOLS, headers=bearer(token)).status_code == 200

    left = client.get("/api/v2/auth/logout", headers=bearer(token))

    assert (left.status_code, left.headers["location"]) == (307, "/auth/login")
    assert client.get(POOLS, headers=bearer(token)).status_code == 401
    assert client.get(POOLS, headers=bearer(other)).status_code == 200


def test_another_password_ends_all_sessions(open_: Open, any_world: World) -> None:
    """CVE-2023-40273: sessions that outlive a password reset."""
    client = open_()
    token = token_of(client)
    assert client.get(POOLS, headers=bearer(token)).status_code == 200

    with any_world.database.begin() as tx:
        set_password(tx, "anna", hash_password("another one"))
    any_world.clock.advance(1)

    assert client.get(POOLS, headers=bearer(token)).status_code == 401
    assert log_in(client).status_code == 401
    assert log_in(client, "another one").status_code == 201


@pytest.mark.parametrize("change", ["deactivated", "deleted", "made anew"])
def test_a_user_who_is_gone_is_out_within_a_second(open_: Open, any_world: World, change: str) -> None:
    client = open_()
    token = token_of(client)
    assert client.get(POOLS, headers=bearer(token)).status_code == 200

    with any_world.database.begin() as tx:
        if change == "deactivated":
            update_user(tx, Profile("anna", is_active=False, roles=frozenset({"Viewer"})))
        else:
            tx.accounts.delete("anna")
        if change == "made anew":
            create_user(tx, Profile("anna", roles=frozenset({"Admin"})), HASH, any_world.clock.now())
    any_world.clock.advance(1)

    assert client.get(POOLS, headers=bearer(token)).status_code == 401
    assert log_in(client).status_code == (201 if change == "made anew" else 401)


def test_a_role_counts_within_a_second(open_: Open, any_world: World) -> None:
    client = open_()
    headers = bearer(token_of(client))
    assert client.post(POOLS, json={"name": "one", "slots": 1}, headers=headers).status_code == 403

    with any_world.database.begin() as tx:
        add_role(tx, "anna", "Op")
    any_world.clock.advance(1)

    assert client.post(POOLS, json={"name": "one", "slots": 1}, headers=headers).status_code == 201


def test_a_dag_lets_a_role_in(open_: Open, any_world: World) -> None:
    """`access_control`, for a role that has no rights of its own."""
    grant = RoleGrant("night shift", (DagRight.READ,))
    any_world.publish(Dag("open", (Task("load"),), access=(grant,)))
    any_world.publish(Dag("closed", (Task("load"),)))
    with any_world.database.begin() as tx:
        create_roles(tx, ["night shift"])
        add_role(tx, "anna", "night shift")
        remove_role(tx, "anna", "Viewer")
    client = open_()
    client.headers.update(bearer(token_of(client)))

    assert client.get("/api/v2/dags/open").status_code == 200
    assert client.get("/api/v2/dags/closed").status_code == 403
    assert [dag["dag_id"] for dag in client.get("/api/v2/dags").json()["dags"]] == ["open"]
    assert client.patch("/api/v2/dags/open", json={"is_paused": True}).status_code == 403
    assert client.get(POOLS).status_code == 403

    any_world.publish(Dag("open", (Task("load"),)))
    any_world.clock.advance(1)
    assert client.get("/api/v2/dags/open").status_code == 403


def forged(claims: dict[str, Any], key: Any = "k" * 64, algorithm: str = "HS512") -> str:
    return jwt.encode(
        {"sub": "anna", "aud": "tradewind.api", "iat": 0, "exp": 9e9, "jti": "x", **claims}, key, algorithm
    )


@pytest.mark.parametrize(
    "token",
    [
        "nonsense",
        "a.b.c",
        forged({}),
        forged({}, None, "none"),
        forged({}, SECRET),
        "tw_nonsense",
        "tw_",
        "\N{SNOWMAN}".encode().decode("latin-1"),
    ],
)
def test_tokens_of_others_do_not_count(open_: Open, token: str) -> None:
    assert open_().get(POOLS, headers={b"Authorization": f"Bearer {token}".encode("latin-1")}).status_code == 401


def test_keys_are_changed_without_logging_anybody_out() -> None:
    clock = FakeClock()
    old, new = "an old secret of the server", "a new secret of the server"
    before, during, after = Tokens(old), Tokens(f"{new}, {old}"), Tokens(new)

    signed_before, signed_during = before.make("anna", clock.now()), during.make("anna", clock.now())

    assert during.read(signed_before, clock.now()).subject == "anna"
    assert after.read(signed_during, clock.now()).subject == "anna"
    with pytest.raises(Exception, match="Signature verification failed"):
        after.read(signed_before, clock.now())


@pytest.mark.parametrize("secret", ["", "short", "long enough for anybody,short", " , "])
def test_a_secret_that_can_be_guessed_is_refused(secret: str) -> None:
    with pytest.raises(SettingsError, match="16 characters") as refused:
        Tokens(secret)

    assert not secret.strip() or secret not in str(refused.value)


def test_the_secret_of_a_home_is_its_owners_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"

    secret = signing_secret("", home)

    file = home / "jwt_secret"
    assert len(secret) == 128
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert signing_secret("", home) == secret
    assert [path.name for path in home.iterdir()] == ["jwt_secret"]
    assert signing_secret("configured", home) == "configured"
    file.chmod(0o640)
    with pytest.raises(SettingsError, match="others can read"):
        signing_secret("", home)
    with pytest.raises(SettingsError, match="cannot be kept"):
        signing_secret("", tmp_path / "home" / "jwt_secret" / "below")


def test_a_browser_gets_a_cookie_that_no_script_can_read(open_: Open) -> None:
    client = open_()

    page = client.get("/auth/login", params={"next": "/dags?tag=a&b"})
    answer = client.post(
        "/auth/login", params={"next": "/dags?tag=a&b"}, data={"username": "anna", "password": PASSWORD}
    )

    assert "/auth/login?next=/dags%3Ftag%3Da%26b" in page.text
    assert (answer.status_code, answer.headers["location"]) == (303, "/dags?tag=a&b")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("_token=")
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert client.get(POOLS).status_code == 200

    client.get("/api/v2/auth/logout")
    assert "_token" not in client.cookies


def test_a_cookie_by_https_stays_with_https(open_: Open) -> None:
    client = open_(base_url="https://testserver")

    assert "Secure" in log_in(client, path="/auth/login").headers["set-cookie"]
    assert "max-age" in client.get("/auth/login").headers["strict-transport-security"]


def test_a_page_says_what_is_wrong(open_: Open) -> None:
    answer = open_().post("/auth/login", data={"username": "<b>", "password": "x"})

    assert answer.status_code == 401
    assert '<p role="alert">Invalid credentials</p>' in answer.text
    assert "set-cookie" not in answer.headers
    assert log_in(open_(), "wrong", path="/auth/login").json() == {"detail": "Invalid credentials"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Origin": "http://testserver"}, 201),
        ({}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "http://elsewhere"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://elsewhere", "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_pages_of_others_change_nothing_with_a_cookie(
    open_: Open, any_world: World, headers: dict[str, str], status: int
) -> None:
    with any_world.database.begin() as tx:
        add_role(tx, "anna", "Op")
    client = open_()
    token = token_of(client)
    client.cookies.set("_token", token)

    assert client.post(POOLS, json={"name": "one", "slots": 1}, headers=headers).status_code == status
    assert client.get(POOLS, headers=headers).status_code == 200
    own = {**headers, **bearer(token)}
    assert client.post(POOLS, json={"name": "two", "slots": 1}, headers=own).status_code == 201


def test_pages_of_others_log_nobody_in_or_out(open_: Open) -> None:
    client = open_()
    client.cookies.set("_token", token_of(client))
    foreign = {"Sec-Fetch-Site": "cross-site"}

    body = {"username": "anna", "password": PASSWORD}
    assert client.post("/auth/login", json=body, headers=foreign).status_code == 403
    token = client.cookies["_token"]
    left = client.get("/api/v2/auth/logout", headers=foreign)
    assert "set-cookie" not in left.headers
    assert client.get(POOLS, headers=bearer(token)).status_code == 200


@pytest.mark.parametrize("target", ["/dags", "/dags?x=//y", "http://testserver/dags", "/"])
def test_people_are_sent_on_within_the_server(open_: Open, target: str) -> None:
    answer = open_().get("/api/v2/auth/login", params={"next": target})

    assert answer.status_code == 307
    assert answer.headers["location"].startswith("/auth/login?next=/")


@pytest.mark.parametrize(
    "target",
    [
        "//elsewhere",
        "https://elsewhere/x",
        "http://testserver@elsewhere/",
        "http://testserver.elsewhere/",
        "/\\elsewhere",
        "\\\\elsewhere",
        "javascript:alert(1)",
        "data:text/html,x",
        "/a\nb",
        "elsewhere",
        "http:elsewhere",
        "///elsewhere",
        "http://testserver//elsewhere",
        "%2F%2Felsewhere",
    ],
)
def test_people_are_not_sent_elsewhere(open_: Open, target: str) -> None:
    for path in ("/api/v2/auth/login", "/auth/login", "/auth/token/login"):
        assert open_().get(path, params={"next": target}).status_code == 400
    answer = open_().post("/auth/login", params={"next": target}, data={"username": "anna", "password": PASSWORD})
    assert answer.status_code == 400


LOCAL: dict[str, Any] = {"client": ("127.0.0.1", 1), "base_url": "http://localhost:8080"}


@pytest.fixture
def open_for_all(own: Services, any_world: World) -> Open:
    """With `simple_auth_manager_all_admins`."""
    core = dataclasses.replace(own.settings.core, simple_auth_manager_all_admins=True)
    identities = Identities(any_world.database, any_world.clock, all_are_admins=True)
    settings = dataclasses.replace(own.settings, core=core)
    changed = dataclasses.replace(own, settings=settings, find_principal=identities.of_claim, recent=Recent())
    app = make_app(changed)
    return lambda **more: TestClient(app, follow_redirects=False, **more)


def test_on_ones_own_machine_nobody_needs_to_log_in_if_so_configured(open_for_all: Open, open_: Open) -> None:
    client = open_for_all(**LOCAL)

    token = client.get(TOKEN)

    assert token.status_code == 201
    made = client.post(POOLS, json={"name": "one", "slots": 1}, headers=bearer(token.json()["access_token"]))
    assert made.status_code == 201
    sent_on = client.get("/auth/token/login", params={"next": "/dags"})
    assert (sent_on.status_code, sent_on.headers["location"]) == (307, "/dags")
    assert client.get(POOLS).status_code == 200, "by the cookie"
    assert client.get("/auth/login").status_code == 307
    assert open_(**LOCAL).get(TOKEN).status_code == 403
    assert open_(**LOCAL).get(POOLS, headers=bearer(token.json()["access_token"])).status_code == 401


@pytest.mark.parametrize(
    ("where", "headers"),
    [
        ({"client": ("10.0.0.9", 1)}, {}),
        ({}, {"X-Forwarded-For": "10.0.0.9"}),
        ({}, {"Forwarded": "for=10.0.0.9"}),
        ({"base_url": "http://rebound.example:8080"}, {}),
        ({}, {"Sec-Fetch-Site": "cross-site"}),
        ({}, {"Origin": "http://elsewhere"}),
    ],
)
def test_elsewhere_everybody_needs_to(open_for_all: Open, where: dict[str, Any], headers: dict[str, str]) -> None:
    """Neither through a proxy, nor from a page whose name means this machine, nor for a page of somebody else."""
    client = open_for_all(**{**LOCAL, **where})

    for path in (TOKEN, "/auth/token/login"):
        answer = client.get(path, headers=headers)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
