"""The secrets backend that asks a Vault, against a real server (D3)."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.web_server import serving
from tradewind.errors import SecretRefused, SettingsError
from tradewind.model.task_answers import ConnectionResult
from tradewind.secrets.backends import BackendChoice, make_chain
from tradewind.secrets.chain import SecretsChain
from tradewind.secrets.json_over_http import NoAnswer
from tradewind.secrets.vault import VaultBackend

PATH = "tradewind.secrets.vault.VaultBackend"
ROLE = {"role_id": "worker", "secret_id": "hunter3"}


@dataclass
class Vault:
    """What it keeps, by path, and who may ask."""

    url: str = ""
    secrets: dict[str, dict[str, Any]] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=lambda: {"hunter2"})
    forbidden: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    moved_to: str | None = None

    def answer(self, path: str, headers: Any) -> tuple[int, dict[str, Any]]:
        """As a Vault does."""
        place = path.removeprefix("/v1/")
        if headers["X-Vault-Token"] not in self.tokens or place in self.forbidden:
            return 403, {"errors": ["permission denied"]}
        if headers.get("X-Vault-Namespace", "team") != "team" or place not in self.secrets:
            return 404, {"errors": []}
        return 200, {"data": self.secrets[place]}

    def log_in(self, path: str, body: Any) -> tuple[int, dict[str, Any]]:
        """With a token of its own for each login."""
        if path != "/v1/auth/approle/login" or body != ROLE:
            return 400, {"errors": ["invalid role or secret ID"]}
        token = f"made {len(self.asked)}"
        self.tokens.add(token)
        return 200, {"auth": {"client_token": token}}


@contextmanager
def running_vault() -> Iterator[Vault]:
    vault = Vault()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            vault.asked.append(self.path)
            self._say(*(vault.answer(self.path, self.headers) if vault.moved_to is None else (307, {})))

        def do_POST(self) -> None:
            vault.asked.append(self.path)
            self._say(*vault.log_in(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

        def _say(self, status: int, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if vault.moved_to is not None:
                self.send_header("Location", vault.moved_to)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Not to the terminal of the tests."""

    with serving(Handler) as port:
        vault.url = f"http://127.0.0.1:{port}"
        yield vault


@pytest.fixture
def vault() -> Iterator[Vault]:
    with running_vault() as found:
        yield found


def put(vault: Vault, path: str, **fields: Any) -> None:
    """As version 2 of the engine keeps them."""
    vault.secrets[f"secret/data/{path}"] = {"data": fields, "metadata": {"version": 1}}


def backend(vault: Vault, **arguments: Any) -> VaultBackend:
    return VaultBackend(**{"url": vault.url, "token": "hunter2", **arguments})


def chain(vault: Vault, environ: dict[str, str] | None = None, **arguments: Any) -> SecretsChain:
    """As the configuration makes it."""
    text = json.dumps({"url": vault.url, "token": "hunter2", **arguments})
    choice = BackendChoice("[secrets] backend", PATH, text)
    return make_chain(environ or {}, choice, BackendChoice("[workers] secrets_backend", "", ""))


def test_variables_connections_and_options_are_found(vault: Vault) -> None:
    put(vault, "variables/place", value="here")
    put(vault, "variables/limits", value={"rows": 5})
    put(vault, "connections/uri", conn_uri="postgres://me:pw@db:5432/app")
    put(vault, "connections/fields", conn_type="http", host="h", port="80", extra={"x": 1})
    put(vault, "config/key", value="of an option")
    asked = chain(vault)

    assert (asked.get_variable("place"), asked.get_variable("limits")) == ("here", '{"rows": 5}')
    assert asked.get_variable("none") is None
    uri, fields = asked.get_connection("uri"), asked.get_connection("fields")
    assert isinstance(uri, ConnectionResult)
    assert isinstance(fields, ConnectionResult)
    assert (uri.conn_type, uri.host, uri.password, uri.port) == ("postgres", "db", "pw", 5432)
    assert (fields.host, fields.port, fields.extra) == ("h", 80, '{"x": 1}')
    assert asked.get_connection("none") is None
    assert backend(vault).get_config("key") == "of an option"


def test_the_first_version_of_the_engine_and_other_places_are_known(vault: Vault) -> None:
    vault.secrets["kv/own/place"] = {"value": "here"}
    asked = backend(vault, mount_point="kv", kv_engine_version=1, variables_path="own", connections_path=None)

    assert asked.get_variable("place") == "here"
    assert asked.get_connection("place") is None
    assert vault.asked == ["/v1/kv/own/place"]
    assert (
        backend(vault, kv_engine_version=1, mount_point="kv", variables_path="own", namespace="x").get_variable("place")
        is None
    )


@pytest.mark.parametrize("name", ["../config/key", "a/../../config/key", "..", "", "/x", "x/", "a/./b"])
def test_no_name_leads_out_of_its_path(vault: Vault, name: str) -> None:
    put(vault, "config/key", value="of an option")

    assert backend(vault).get_variable(name) is None
    assert vault.asked == []


def test_odd_names_are_asked_for_as_they_are(vault: Vault) -> None:
    put(vault, "variables/team/a%20b%3Fc", value="x")

    assert backend(vault).get_variable("team/a b?c") == "x"


def test_what_must_not_be_read_is_an_answer(vault: Vault) -> None:
    """A less strict source must not give another one."""
    vault.forbidden.add("secret/data/variables/place")

    with pytest.raises(SecretRefused, match="'place'"):
        chain(vault, {"TRADEWIND_VAR_PLACE": "environment"}).get_variable("place")


def test_who_is_away_does_not_hide_what_others_have(vault: Vault, caplog: pytest.LogCaptureFixture) -> None:
    asked = chain(vault, {"TRADEWIND_VAR_PLACE": "environment"}, url="http://127.0.0.1:1")

    with caplog.at_level(logging.WARNING):
        assert asked.get_variable("place") == "environment"
    assert "VaultBackend did not answer" in caplog.text
    assert "hunter2" not in caplog.text


def test_a_token_comes_from_a_file_that_may_change(vault: Vault, tmp_path: Path) -> None:
    put(vault, "variables/place", value="here")
    file = tmp_path / "token"
    file.write_text("hunter2\n")
    asked = backend(vault, token=None, token_path=str(file))
    assert asked.get_variable("place") == "here"

    vault.tokens = {"another"}
    file.write_text("another\n")
    assert asked.get_variable("place") == "here"


def test_a_role_logs_in_once_and_again_when_its_token_has_expired(vault: Vault) -> None:
    put(vault, "variables/place", value="here")
    asked = backend(vault, token=None, auth_type="approle", **ROLE)
    assert [asked.get_variable("place") for _ in range(3)] == ["here"] * 3
    assert vault.asked.count("/v1/auth/approle/login") == 1

    vault.tokens.clear()
    assert asked.get_variable("place") == "here"
    assert vault.asked.count("/v1/auth/approle/login") == 2

    with pytest.raises(NoAnswer, match="does not let us in: status 400") as refused:
        backend(vault, token=None, auth_type="approle", role_id="worker", secret_id="hunter4").get_variable("place")
    assert "hunter4" not in str(refused.value)


def test_nobody_is_followed_with_a_token(vault: Vault) -> None:
    with running_vault() as other:
        vault.moved_to = f"{other.url}/v1/secret/data/variables/place"

        with pytest.raises(NoAnswer, match="status 307"):
            backend(vault).get_variable("place")
        assert other.asked == []


def test_what_is_no_such_secret_is_no_answer(vault: Vault) -> None:
    vault.secrets["secret/data/variables/place"] = {"value": "of the first version"}

    with pytest.raises(NoAnswer, match="no key-value secret"):
        backend(vault).get_variable("place")


@pytest.mark.parametrize(
    "arguments",
    [
        {"token": ""},
        {"auth_type": "approle", "role_id": "x"},
        {"auth_type": "kerberos"},
        {"kv_engine_version": 3},
        {"url": "file:///etc/passwd"},
    ],
)
def test_half_a_configuration_stops_the_start(vault: Vault, arguments: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="cannot be made with its arguments: ValueError") as refused:
        chain(vault, **arguments)
    assert "hunter2" not in str(refused.value)
