"""Logins with a provider of OpenID Connect, from the button to the cookie and back (D6)."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from tests.component.api.conftest import SECRET, shared_app
from tests.component.world import World
from tests.oidc_provider import CLIENT_ID, CLIENT_SECRET, LIFETIME_S, OidcProvider, oidc_provider
from tradewind.api.auth.identities import Identities
from tradewind.api.oidc.provider import Provider
from tradewind.api.oidc.sign_in import SignIn
from tradewind.api.services import Services
from tradewind.errors import SettingsError
from tradewind.model.account import Account, Profile
from tradewind.operations.manage_roles import create_roles
from tradewind.operations.manage_users import create_user, find_user, update_user
from tradewind.settings import OidcSettings
from tradewind.storage.schema import audit_log

LOGIN, CALLBACK, POOLS = "/auth/oidc/login", "/auth/oidc/callback", "/api/v2/pools"

Open = Callable[..., TestClient]


@pytest.fixture
def any_world(world: World) -> World:
    """One kind of database will do: `conformance` knows every statement."""
    return world


@pytest.fixture
def provider(any_world: World) -> Iterator[OidcProvider]:
    """It has the clock of the test."""
    with oidc_provider(any_world.clock.now) as found:
        yield found


@pytest.fixture
def open_(services: Services, any_world: World, provider: OidcProvider) -> Open:
    """A browser; `open_(default_role="Op")`: with other options."""

    def make(**options: Any) -> TestClient:
        known = {"issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        settings = OidcSettings(**{**known, "default_role": "Viewer", "provider_name": "The <Firm>", **options})
        identities = Identities(any_world.database, any_world.clock)
        app = shared_app()
        app.state.services = dataclasses.replace(
            services,
            find_principal=identities.of_claim,
            sign_in=SignIn(Provider(settings, any_world.clock), SECRET, any_world.database, any_world.clock),
        )
        return TestClient(app, follow_redirects=False)

    return make


def at_provider(url: str) -> str:
    """Where the provider sends the browser back to: whoever sits there has logged in."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        assert answer.status == 302
        return answer.headers["Location"]
    finally:
        connection.close()


def come_back(client: TestClient, **parameters: str) -> str:
    """The address that a browser has when it comes back from the provider."""
    begun = client.get(LOGIN, params=parameters)
    assert begun.status_code == 307, begun.text
    return at_provider(begun.headers["location"])


def sign_in(client: TestClient, **parameters: str) -> Any:
    return client.get(come_back(client, **parameters))


def account(world: World, name: str = "anna") -> Account:
    with world.database.begin() as tx:
        return find_user(tx, name)


def change(world: World, **fields: Any) -> None:
    profile = dataclasses.replace(account(world).profile, **fields)
    with world.database.begin() as tx:
        update_user(tx, profile)


def assert_refused(answer: Any, reason: str, status: int = 403) -> None:
    """With a page that says why, and nothing that lets anybody in."""
    assert answer.status_code == status, answer.text
    assert reason in answer.text
    assert '<p role="alert">' in answer.text
    assert "_token" not in answer.headers.get("set-cookie", "")
    assert "Traceback" not in answer.text


def test_who_is_known_there_is_let_in_here(open_: Open, provider: OidcProvider, any_world: World) -> None:
    provider.claims |= {"email": "anna@example.org", "given_name": "Anna", "family_name": "Ames"}
    client = open_()

    page = client.get("/auth/login", params={"next": "/dags?x=1"})
    answer = sign_in(client, next="/dags?x=1")

    assert f'href="{LOGIN}?next=/dags%3Fx%3D1">Sign in with The &lt;Firm&gt;</a>' in page.text
    assert (answer.status_code, answer.headers["location"]) == (303, "/dags?x=1")
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(answer.headers.get_list("set-cookie")[0].split("; "))
    assert client.get(POOLS).status_code == 200
    assert "_login" not in client.cookies, "what was begun is at its end"
    found = account(any_world)
    assert found.profile == Profile("anna", "anna@example.org", "Anna", "Ames", roles=frozenset({"Viewer"}))
    assert found.password_hash is None
    assert found.last_login_at == any_world.clock.now()
    assert client.post("/auth/token", json={"username": "anna", "password": ""}).status_code == 401


def test_a_login_and_what_it_made_are_in_the_audit_log(open_: Open, any_world: World) -> None:
    sign_in(open_())
    sign_in(open_())

    with any_world.database.engine.begin() as connection:
        rows = connection.execute(sa.select(audit_log).order_by(audit_log.c.entry_key)).all()
    assert [(row.event, row.owner, json.loads(row.extra)["is_new"]) for row in rows] == [
        ("login", "anna", True),
        ("login", "anna", False),
    ]


def test_who_comes_again_is_who_the_provider_says_now(open_: Open, provider: OidcProvider, any_world: World) -> None:
    provider.claims |= {"email": "anna@example.org", "groups": ["staff", "ops", "unknown", 5]}
    options = {"roles_claim": "groups", "role_mapping": '{"staff": "Viewer", "ops": ["Op", "night shift", "none"]}'}
    with any_world.database.begin() as tx:
        create_roles(tx, ["night shift"])
    sign_in(open_(**options))
    assert account(any_world).profile.roles == {"Viewer", "Op", "night shift"}

    provider.claims |= {"preferred_username": "anna.other", "email": "other@example.org", "groups": "staff"}
    assert sign_in(open_(**options)).status_code == 303

    profile = account(any_world).profile
    assert (profile.name, profile.email, set(profile.roles)) == ("anna", "other@example.org", {"Viewer"})


def test_roles_may_be_deep_in_the_claims_and_called_as_here(
    open_: Open, provider: OidcProvider, any_world: World
) -> None:
    provider.claims |= {"realm_access": {"roles": ["Op", "none"]}}

    sign_in(open_(roles_claim="realm_access.roles"))

    assert account(any_world).profile.roles == {"Op"}


def test_without_a_claim_roles_are_given_here(open_: Open, any_world: World) -> None:
    sign_in(open_())
    change(any_world, roles=frozenset({"Admin"}))

    sign_in(open_())

    assert account(any_world).profile.roles == {"Admin"}


@pytest.mark.parametrize(
    ("options", "claims", "reason"),
    [
        ({"default_role": ""}, {}, "You have no role here."),
        ({"default_role": "", "roles_claim": "groups"}, {"groups": ["none"]}, "You have no role here."),
        ({"allow_sign_up": False}, {}, "You have no account here"),
        ({"default_role": "none"}, {}, "there is no role"),
        ({}, {"preferred_username": None}, "does not say what you are called"),
        ({}, {"preferred_username": ["anna"]}, "does not say what you are called"),
        ({}, {"preferred_username": "an\nna"}, "is no name"),
        ({}, {"preferred_username": "Anonymous"}, "take another name"),
    ],
)
def test_who_has_nothing_to_do_here_is_told_so(
    open_: Open, provider: OidcProvider, any_world: World, options: dict[str, Any], claims: dict[str, Any], reason: str
) -> None:
    provider.claims |= claims

    assert_refused(sign_in(open_(**options)), reason)
    with any_world.database.begin() as tx:
        assert tx.accounts.all() == []


def test_who_is_switched_off_here_stays_out(open_: Open, any_world: World) -> None:
    sign_in(open_())
    change(any_world, is_active=False)

    assert_refused(sign_in(open_()), "Your account is switched off.")


def test_an_account_that_was_made_here_is_nobody_elses_by_its_name(
    open_: Open, provider: OidcProvider, any_world: World
) -> None:
    """Whoever can call themselves `admin` there would be it here."""
    with any_world.database.begin() as tx:
        create_user(tx, Profile("anna", roles=frozenset({"Admin"})), "a hash", any_world.clock.now())
    assert_refused(sign_in(open_()), "There is an account of your name already")

    assert sign_in(open_(link_by_name=True)).status_code == 303
    assert sign_in(open_()).status_code == 303, "from now on it is known whose it is"
    provider.subject = "somebody else of the same name"
    assert_refused(sign_in(open_(link_by_name=True)), "There is an account of your name already")


def test_an_address_of_somebody_else_is_left_to_them(open_: Open, provider: OidcProvider, any_world: World) -> None:
    with any_world.database.begin() as tx:
        create_user(tx, Profile("bert", "bert@example.org"), None, any_world.clock.now())
    provider.claims |= {"email": "bert@example.org"}
    sign_in(open_())
    assert account(any_world).profile.email is None

    provider.claims |= {"email": "boss@example.org", "email_verified": False}
    sign_in(open_())
    assert account(any_world).profile.email is None


def test_a_secret_is_sent_as_the_provider_takes_it(open_: Open, provider: OidcProvider) -> None:
    provider.takes_basic = False

    assert sign_in(open_()).status_code == 303
    assert_refused(sign_in(open_(client_secret="wrong")), "does not answer", 503)


NOT_VALID = "The answer of the service that you sign in with is not valid."


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"nonce": "of another login"}, NOT_VALID),
        ({"nonce": None}, NOT_VALID),
        ({"aud": "another client"}, NOT_VALID),
        ({"aud": None}, NOT_VALID),
        ({"aud": [CLIENT_ID, "another client"]}, NOT_VALID),
        ({"aud": [CLIENT_ID, "another client"], "azp": "another client"}, NOT_VALID),
        ({"iss": "https://elsewhere.example"}, NOT_VALID),
        ({"exp": 1}, NOT_VALID),
        ({"exp": None}, NOT_VALID),
        ({"iat": 9e9}, NOT_VALID),
        ({"nbf": 9e9}, NOT_VALID),
        ({"sub": None}, NOT_VALID),
    ],
)
def test_a_token_that_is_not_for_this_login_does_not_count(
    open_: Open, provider: OidcProvider, any_world: World, changed: dict[str, Any], reason: str
) -> None:
    provider.changed = changed

    assert_refused(sign_in(open_()), reason)
    with any_world.database.begin() as tx:
        assert tx.accounts.all() == []


def test_several_audiences_are_fine_if_it_says_for_which_it_was_made(open_: Open, provider: OidcProvider) -> None:
    provider.changed = {"aud": [CLIENT_ID, "another client"], "azp": CLIENT_ID}

    assert sign_in(open_()).status_code == 303


def test_a_token_counts_until_it_expires_and_a_minute_for_clocks(
    open_: Open, provider: OidcProvider, any_world: World
) -> None:
    early = int(any_world.clock.now().timestamp()) - LIFETIME_S
    provider.changed = {"iat": early, "exp": early + LIFETIME_S - 59}
    assert sign_in(open_()).status_code == 303

    provider.changed = {"iat": early, "exp": early + LIFETIME_S - 61}
    assert_refused(sign_in(open_()), NOT_VALID)


def test_a_token_of_somebody_else_does_not_count(open_: Open, provider: OidcProvider) -> None:
    provider.forged_with = 2
    assert_refused(sign_in(open_()), NOT_VALID)


def test_nobody_signs_with_what_everybody_knows(
    open_: Open, provider: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither with no key at all, nor with the public key as if it were a secret."""
    public = provider.keys()["keys"][1]["n"]
    for key, algorithm in ((None, "none"), (public, "HS256")):

        def forged(nonce: str, key: Any = key, algorithm: str = algorithm) -> str:
            now = int(provider.now().timestamp())
            claims = {"iss": provider.issuer, "sub": "1", "aud": CLIENT_ID, "nonce": nonce, "iat": now, "exp": now + 9}
            return jwt.encode({**claims, **provider.claims}, key, algorithm, {"kid": "key 1"})

        monkeypatch.setattr(provider, "id_token", forged)
        assert_refused(sign_in(open_()), NOT_VALID)


def test_a_new_key_is_asked_for_and_an_old_one_is_not_asked_for_again(open_: Open, provider: OidcProvider) -> None:
    client = open_()
    for _ in range(3):
        assert sign_in(client).status_code == 303
    assert provider.asked.count("/keys") == 1
    assert provider.asked.count("/.well-known/openid-configuration") == 1

    provider.key_number = 2
    assert sign_in(client).status_code == 303
    assert provider.asked.count("/keys") == 2


def test_what_a_provider_said_is_believed_for_an_hour(open_: Open, provider: OidcProvider, any_world: World) -> None:
    client = open_()
    sign_in(client)

    any_world.clock.advance(3600)
    sign_in(client)

    assert provider.asked.count("/keys") == provider.asked.count("/.well-known/openid-configuration") == 2


def test_a_key_that_the_provider_does_not_have_signs_nothing(open_: Open, provider: OidcProvider) -> None:
    provider.header = {"kid": "unknown"}

    assert_refused(sign_in(open_()), "is not signed by it")


def test_a_code_counts_once(open_: Open) -> None:
    client = open_()
    address = come_back(client)
    cookie = client.cookies["_login"]
    assert client.get(address).status_code == 303

    assert_refused(client.get(address), "was not begun in this browser", 400)
    client.cookies.set("_login", cookie, path="/auth/oidc")
    assert_refused(client.get(address), "was used before", 400)


def test_a_code_that_was_stolen_is_worth_nothing_elsewhere(open_: Open) -> None:
    """PKCE: who began another login has another verifier, and who has begun none has no state."""
    client, thief = open_(), open_()
    code = dict(parse_qsl(urlsplit(come_back(client)).query))["code"]
    state = dict(parse_qsl(urlsplit(come_back(thief)).query))["state"]

    answer = thief.get(f"{CALLBACK}?{urlencode({'code': code, 'state': state})}")
    assert_refused(answer, "was used before, or took too long", 400)


@pytest.mark.parametrize("state", ["another", "", None, "\N{SNOWMAN}"])
def test_an_answer_to_another_login_does_not_count(open_: Open, state: str | None) -> None:
    """Else a page could log people in as whoever wrote it."""
    client = open_()
    asked = dict(parse_qsl(urlsplit(come_back(client)).query))
    changed = {name: value for name, value in {**asked, "state": state}.items() if value is not None}

    assert_refused(client.get(CALLBACK, params=changed), "was not begun in this browser", 400)


def test_a_login_takes_ten_minutes_at_most(open_: Open, any_world: World) -> None:
    client = open_()
    address = come_back(client)
    any_world.clock.advance(601)

    assert_refused(client.get(address), "took too long", 400)


@pytest.mark.parametrize("cookie", ["nonsense", "a.b.c", jwt.encode({"state": "x"}, "k" * 64, "HS512")])
def test_a_cookie_that_is_not_ours_does_not_count(open_: Open, cookie: str) -> None:
    client = open_()
    client.cookies.set("_login", cookie, path="/auth/oidc")

    assert_refused(client.get(CALLBACK, params={"code": "x", "state": "x"}), "was not begun in this browser", 400)


@pytest.mark.parametrize(
    ("said", "reason", "status"),
    [
        ({"error": "access_denied"}, "You did not let", 403),
        ({"error": "<script>"}, "has refused", 403),
        ({}, "has refused", 403),
        ({"code": "x", "iss": "https://elsewhere.example"}, "comes from another service", 400),
    ],
)
def test_what_a_provider_refuses_is_told_in_our_words(
    open_: Open, said: dict[str, str], reason: str, status: int
) -> None:
    client = open_()
    state = dict(parse_qsl(urlsplit(come_back(client)).query))["state"]

    answer = client.get(CALLBACK, params={"state": state, **said})

    assert_refused(answer, reason, status)
    assert "<script>" not in answer.text


@pytest.mark.parametrize("target", ["//elsewhere", "https://elsewhere/x", "/\\elsewhere", "javascript:alert(1)"])
def test_nobody_is_sent_elsewhere_afterwards(open_: Open, target: str) -> None:
    assert open_().get(LOGIN, params={"next": target}).status_code == 400


@pytest.mark.parametrize(
    "places",
    [
        {"issuer": "https://elsewhere.example"},
        {"token_endpoint": "http://elsewhere.example/token"},
        {"jwks_uri": None},
        {"jwks_uri": 5},
    ],
)
def test_a_provider_that_is_another_or_can_be_listened_to_is_not_used(
    open_: Open, provider: OidcProvider, places: dict[str, Any]
) -> None:
    provider.places = places

    answer = open_().get(LOGIN)

    assert_refused(answer, "does not answer", 503)
    assert "elsewhere" not in answer.text


@pytest.mark.parametrize(
    "keys", [{}, {"keys": None}, {"keys": []}, {"keys": [5]}, {"keys": [{"kty": "RSA"}]}, {"keys": {"kty": "RSA"}}]
)
def test_keys_that_are_none_are_told(
    open_: Open, provider: OidcProvider, monkeypatch: pytest.MonkeyPatch, keys: dict[str, Any]
) -> None:
    monkeypatch.setattr(provider, "keys", lambda: keys)

    assert_refused(sign_in(open_()), "does not answer", 503)


@pytest.mark.parametrize("answer", [{}, {"id_token": None}, {"id_token": 5}, {"id_token": "nonsense"}])
def test_an_answer_without_a_token_is_told(
    open_: Open, provider: OidcProvider, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    monkeypatch.setattr(provider, "token", lambda *_: (200, answer))

    answered = sign_in(open_())

    if "nonsense" in answer.values():
        assert_refused(answered, NOT_VALID)
    else:
        assert_refused(answered, "does not answer", 503)


def test_odd_claims_are_told_or_passed_over(open_: Open, provider: OidcProvider, any_world: World) -> None:
    odd = {"email": ["x"], "given_name": "An\x00na\ud800", "family_name": 5, "groups": {"a": 1}}
    provider.claims |= odd

    assert sign_in(open_(roles_claim="groups.a.b")).status_code == 303

    assert account(any_world).profile == Profile("anna", None, "Anna", "", roles=frozenset({"Viewer"}))


def test_a_provider_that_sends_us_elsewhere_is_not_followed(open_: Open, provider: OidcProvider) -> None:
    provider.places = {"jwks_uri": f"{provider.issuer}/moved"}

    assert_refused(sign_in(open_()), "does not answer", 503)
    assert "/keys" not in provider.asked


def test_a_provider_that_is_away_is_told(open_: Open, provider: OidcProvider) -> None:
    gone = open_(issuer="http://127.0.0.1:1")
    assert_refused(gone.get(LOGIN), "does not answer. Try again later.", 503)
    assert gone.get("/auth/login").status_code == 200, "passwords still count"

    provider.places = {"token_endpoint": "http://127.0.0.1:1/token"}
    assert_refused(sign_in(open_()), "does not answer", 503)


def test_without_a_provider_there_is_nothing_to_log_in_with(services: Services) -> None:
    app = shared_app()
    app.state.services = services
    client = TestClient(app)

    assert "Sign in with" not in client.get("/auth/login").text
    assert client.get(LOGIN).status_code == 404
    assert client.get(CALLBACK).status_code == 404


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"issuer": "http://elsewhere.example", "client_id": "x"}, "begins with https://"),
        ({"issuer": "elsewhere", "client_id": "x"}, "begins with https://"),
        ({"issuer": "https://elsewhere.example"}, "client_id has to be, too"),
        ({"issuer": "https://elsewhere.example", "client_id": "x", "scopes": "email"}, "openid has to be among them"),
    ],
)
def test_half_a_configuration_stops_the_start(any_world: World, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        Provider(OidcSettings(**options), any_world.clock)


def test_what_the_id_token_leaves_out_is_asked_for(open_: Open, provider: OidcProvider, any_world: World) -> None:
    provider.claims = {"email": "token@firm.test"}
    provider.user_info = {"preferred_username": "anna", "email": "other@firm.test", "groups": ["ops"]}
    client = open_(roles_claim="groups", role_mapping='{"ops": "Op"}', default_role="")

    assert sign_in(client).status_code == 303

    found = account(any_world).profile
    assert (found.email, found.roles) == ("token@firm.test", frozenset({"Op"}))
    provider.claims |= {"preferred_username": "anna", "groups": []}
    provider.asked.clear()
    sign_in(client)
    assert "/userinfo" not in provider.asked, "the id token says it all"


def test_user_info_of_somebody_else_lets_nobody_in(open_: Open, provider: OidcProvider) -> None:
    provider.claims = {}
    provider.user_info = {"sub": "somebody else", "preferred_username": "admin"}

    refused = sign_in(open_())

    assert (refused.status_code, "about somebody else" in refused.text) == (403, True)


def test_who_logs_out_here_is_logged_out_there(open_: Open, provider: OidcProvider) -> None:
    provider.ends_sessions = True
    client = open_()
    sign_in(client)

    out = client.get("/api/v2/auth/logout")

    assert out.status_code == 307
    url = urlsplit(out.headers["location"])
    asked = dict(parse_qsl(url.query))
    assert (url.netloc, url.path) == (f"127.0.0.1:{provider.port}", "/logout")
    assert (asked["client_id"], asked["post_logout_redirect_uri"]) == (CLIENT_ID, "http://testserver/auth/login")
    assert jwt.decode(asked["id_token_hint"], options={"verify_signature": False})["sub"] == provider.subject
    assert client.get(POOLS).status_code == 401
    assert client.get("/api/v2/auth/logout").headers["location"] == "/auth/login", "they are out already"


def test_no_page_of_others_logs_anybody_out_there(open_: Open, provider: OidcProvider) -> None:
    provider.ends_sessions = True
    client = open_()
    sign_in(client)

    out = client.get("/api/v2/auth/logout", headers={"Sec-Fetch-Site": "cross-site"})

    assert out.headers["location"] == "/auth/login"
    assert client.get(POOLS).status_code == 200


@pytest.mark.parametrize(("offers", "options"), [(False, {}), (True, {"logout_at_provider": False})])
def test_who_need_not_log_out_there_stays_here(
    open_: Open, provider: OidcProvider, offers: bool, options: dict[str, Any]
) -> None:
    provider.ends_sessions = offers
    client = open_(**options)
    sign_in(client)

    assert client.get("/api/v2/auth/logout").headers["location"] == "/auth/login"
