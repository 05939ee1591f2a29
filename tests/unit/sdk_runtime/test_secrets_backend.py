"""Secrets backends: the environment, files, and who is asked first (D3)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tradewind.sdk.connection import Connection
from tradewind.sdk.connection_text import InvalidConnection
from tradewind.sdk.exceptions import AirflowException, AirflowSecretsBackendAccessDenied
from tradewind.sdk.secrets_backend import (
    BaseSecretsBackend,
    EnvironmentVariablesBackend,
    LocalFilesystemBackend,
    find_connection,
    find_variable,
)
from tradewind.sdk.server_exceptions import (
    AirflowFileParseException,
    AirflowUnsupportedFileTypeException,
    ConnectionNotUnique,
    VariableNotUnique,
)


class Vault(BaseSecretsBackend):
    """A backend from before there were teams."""

    def __init__(self, **values: str) -> None:
        self.values = values

    def get_conn_value(self, conn_id: str) -> str | None:  # type: ignore[override]
        return self.values.get(conn_id)

    def get_variable(self, key: str) -> str | None:  # type: ignore[override]
        return self.values.get(key)


class Broken(BaseSecretsBackend):
    """A backend that is out of reach, or says no."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def get_conn_value(self, conn_id: str, team_name: str | None = None) -> str | None:
        raise self.error

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        raise self.error


def test_backend_gives_connections_as_uri_and_as_json() -> None:
    vault = Vault(a="http://host", b='{"conn_type": "http", "host": "host"}')

    assert vault.get_connection("a") == Connection(conn_id="a", conn_type="http", host="host", schema="")
    assert vault.get_connection("b") == Connection(conn_id="b", conn_type="http", host="host")
    assert vault.get_connection("c") is None
    assert vault.build_path("prefix", "id") == "prefix/id"
    assert vault.get_config("x") is None


def test_backend_that_implements_nothing_says_so() -> None:
    with pytest.raises(NotImplementedError, match="neither get_conn_value nor get_connection"):
        BaseSecretsBackend().get_connection("a")
    with pytest.raises(NotImplementedError, match="no get_variable"):
        BaseSecretsBackend().get_variable("a")


def test_first_backend_that_has_it_wins() -> None:
    backends = [Vault(a="1"), Vault(a="2", b="3")]

    assert [find_variable(backends, key) for key in "abc"] == ["1", "3", None]
    assert find_connection([Vault(), Vault(c="http://h")], "c") is not None


def test_backend_out_of_reach_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    assert find_variable([Broken(OSError("down")), Vault(a="1")], "a") == "1"
    assert "Broken did not answer" in caplog.text


def test_backend_that_says_no_is_the_last_one_asked() -> None:
    with pytest.raises(AirflowSecretsBackendAccessDenied):
        find_variable([Broken(AirflowSecretsBackendAccessDenied("no")), Vault(a="1")], "a")


def test_environment_knows_teams() -> None:
    environ = {
        "AIRFLOW_VAR_KEY": "all",
        "AIRFLOW_VAR__BLUE___KEY": "blue",
        "TRADEWIND_CONN__BLUE___DB": "http://blue",
        "AIRFLOW_CONN_DB": "http://all",
    }
    backend = EnvironmentVariablesBackend(environ)

    assert (backend.get_variable("key"), backend.get_variable("key", "blue")) == ("all", "blue")
    assert backend.get_variable("key", team_name="red") == "all"
    connection = find_connection([backend], "db", team_name="blue")
    assert connection is not None
    assert connection.host == "blue"


def write(folder: Path, name: str, content: str) -> str:
    path = folder / name
    path.write_text(content)
    return str(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.json", json.dumps({"a": "http://host", "b": {"conn_type": "http", "extra_dejson": {"k": [1]}}})),
        ("s.yaml", "a: http://host\nb:\n  conn_type: http\n  extra_dejson: {k: [1]}\n"),
        ("s.yml", "a: [http://host]\nb: {conn_type: http, extra: '{\"k\": [1]}'}\n"),
        ("s.env", '# comment\n\na=http://host\nb={"conn_type": "http", "extra": {"k": [1]}}\n'),
    ],
)
def test_files_hold_connections(tmp_path: Path, name: str, content: str) -> None:
    backend = LocalFilesystemBackend(connections_file_path=write(tmp_path, name, content))

    one, other = backend.get_connection("a"), backend.get_connection("b")

    assert one is not None
    assert other is not None
    assert (one.host, other.conn_type, other.extra_dejson) == ("host", "http", {"k": [1]})
    assert backend.get_connection("c") is None
    assert backend.get_variable("a") is None


@pytest.mark.parametrize(
    ("name", "content"),
    [("v.json", '{"a": "x", "b": {"k": 1}}'), ("v.yaml", "a: x\nb: {k: 1}"), ("v.env", 'a=x\nb={"k": 1}')],
)
def test_files_hold_variables(tmp_path: Path, name: str, content: str) -> None:
    backend = LocalFilesystemBackend(variables_file_path=write(tmp_path, name, content))

    assert backend.get_variable("a") == "x"
    assert json.loads(backend.get_variable("b") or "") == {"k": 1}
    assert backend.get_variable("c") is None


def test_files_hold_options(tmp_path: Path) -> None:
    assert LocalFilesystemBackend(configs_file_path=write(tmp_path, "c.json", '{"a": "x"}')).get_config("a") == "x"
    assert LocalFilesystemBackend().get_config("a") is None


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("s.txt", "", AirflowUnsupportedFileTypeException, r"\.env, \.json, \.yaml, \.yml"),
        ("s.json", "{", AirflowFileParseException, "line 1"),
        ("s.json", "[]", AirflowFileParseException, "has to hold an object"),
        ("s.yaml", "a: [", AirflowFileParseException, "line 1"),
        ("s.env", "a\n=b\nc=", AirflowFileParseException, r"(?s)line 1.*line 2.*line 3"),
        ("s.env", "a=1\na=2", ConnectionNotUnique, "2 values for the connection 'a'"),
        ("s.json", '{"a": 5}', AirflowException, "has to be a URI or an object"),
        ("s.json", '{"a": {"extra": "", "extra_dejson": {}}}', AirflowException, "keep one of them"),
        ("s.json", '{"a": {"conn_id": "b"}}', AirflowException, "calls itself 'b'"),
        ("s.json", '{"a": {"hots": "b"}}', InvalidConnection, "hots"),
    ],
)
def test_file_that_makes_no_sense_is_refused(
    tmp_path: Path, name: str, content: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        LocalFilesystemBackend(connections_file_path=write(tmp_path, name, content)).get_connection("a")


def test_variable_may_be_a_list_but_not_several_lines(tmp_path: Path) -> None:
    listed: Any = LocalFilesystemBackend(variables_file_path=write(tmp_path, "v.json", '{"a": [1, 2]}'))
    doubled = LocalFilesystemBackend(variables_file_path=write(tmp_path, "v.env", "a=1\na=2"))

    assert listed.get_variable("a") == "[1, 2]"
    with pytest.raises(VariableNotUnique):
        doubled.get_variable("a")
