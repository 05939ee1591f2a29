"""`tradewind variables`, `connections` and `rotate-fernet-key` on a database of their own (D3)."""

import io
import json
import stat
from pathlib import Path

import pytest
import yaml

from tradewind.cli.main import main
from tradewind.secrets.encryption import new_key
from tradewind.settings import load_settings
from tradewind.storage.migrate import upgrade

KEY = new_key()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a database."""
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    monkeypatch.setenv("TRADEWIND__CORE__FERNET_KEY", KEY)
    upgrade(load_settings().database.sql_alchemy_conn)
    return tmp_path


Captured = pytest.CaptureFixture[str]


def run(capsys: Captured, *words: str) -> str:
    """What a command prints that must succeed."""
    code = main(words)
    shown = capsys.readouterr()
    assert code == 0, shown.err
    return shown.out


def refused(capsys: Captured, *words: str, code: int = 1) -> str:
    """What a command that fails says about it."""
    assert main(words) == code
    return capsys.readouterr().err


def test_variable_is_set_read_listed_and_deleted(capsys: Captured) -> None:
    run(capsys, "variables", "set", "place", "somewhere", "--description", "where to")

    assert run(capsys, "variables", "get", "place") == "somewhere\n"
    assert json.loads(run(capsys, "variables", "list", "-o", "json")) == [{"key": "place", "description": "where to"}]
    run(capsys, "variables", "delete", "place")
    assert "there is no variable 'place'" in refused(capsys, "variables", "get", "place")
    assert "there is no variable 'place'" in refused(capsys, "variables", "delete", "place")
    assert run(capsys, "variables", "get", "place", "--default", "nowhere") == "nowhere\n"


def test_values_are_listed_only_on_demand_and_secret_ones_can_stay_hidden(capsys: Captured) -> None:
    run(capsys, "variables", "set", "place", "somewhere")
    run(capsys, "variables", "set", "api_key", "hunter2")

    assert "hunter2" not in run(capsys, "variables", "list")
    assert "hunter2" in run(capsys, "variables", "list", "--show-values")
    shown = json.loads(run(capsys, "variables", "list", "--show-values", "--hide-sensitive", "-o", "json"))
    assert [row["value"] for row in shown] == ["***", "somewhere"]


def test_deployment_says_what_sounds_secret(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__SENSITIVE_VAR_CONN_NAMES", "Pin, other")
    run(capsys, "variables", "set", "my_pin", "1234")

    assert "1234" not in run(capsys, "variables", "list", "--show-values", "--hide-sensitive")


def test_value_comes_from_the_standard_input_where_no_other_process_sees_it(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"hunter2\n")))
    run(capsys, "variables", "set", "api_key", "-")

    assert run(capsys, "variables", "get", "api_key") == "hunter2\n"


def test_json_values_are_checked_and_shown(capsys: Captured) -> None:
    run(capsys, "variables", "set", "--json", "limits", '{"rows":5}')

    assert run(capsys, "variables", "get", "-j", "limits") == '{\n  "rows": 5\n}\n'
    said = refused(capsys, "variables", "set", "--json", "limits", "hunter2", code=2)
    assert "variable 'limits' is no JSON" in said
    assert "hunter2" not in said


VARIABLES = {
    "text": "größer",
    "number as text": "5",
    "quoted": '"x"',
    "object": '{\n  "a": 1\n}',
    "compact": '{"a":1}',
    "odd": '{\n  "value": 1\n}',
}


def test_exported_variables_are_imported_as_they_were(capsys: Captured, home: Path) -> None:
    for key, value in VARIABLES.items():
        run(capsys, "variables", "set", key, value)
    run(capsys, "variables", "set", "described", "x", "--description", "why")
    file = home / "variables.json"
    run(capsys, "variables", "export", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text())["object"] == {"a": 1}
    before = run(capsys, "variables", "list", "--show-values", "-o", "json")
    for key in (*VARIABLES, "described"):
        run(capsys, "variables", "delete", key)

    assert "7 variables set" in run(capsys, "variables", "import", str(file))

    assert run(capsys, "variables", "list", "--show-values", "-o", "json") == before
    assert json.loads(run(capsys, "variables", "export", "-"))["number as text"] == 5


def test_import_does_to_existing_variables_what_it_is_told(capsys: Captured, home: Path) -> None:
    run(capsys, "variables", "set", "a", "old")
    file = home / "variables.yaml"
    file.write_text("a: new\nb: [1, 2]\n")

    said = refused(capsys, "variables", "import", str(file), "--action-on-existing-key", "fail")
    assert "exist already, so none was written: a" in said
    assert "1 variables set, 1 left as they were" in run(capsys, "variables", "import", str(file), "-a", "skip")
    assert run(capsys, "variables", "get", "a") == "old\n"
    run(capsys, "variables", "import", str(file))
    assert run(capsys, "variables", "get", "a") == "new\n"
    assert json.loads(run(capsys, "variables", "get", "b")) == [1, 2]


@pytest.mark.parametrize(("name", "text"), [("a.json", "hunter2 {"), ("a.env", "hunter2"), ("a.json", "[1]")])
def test_file_that_cannot_be_read_is_refused_without_its_contents(
    capsys: Captured, home: Path, name: str, text: str
) -> None:
    (home / name).write_text(text)

    said = refused(capsys, "variables", "import", str(home / name), code=2)

    assert name in said
    assert "hunter2" not in said


def test_connection_is_added_shown_and_deleted_without_its_secrets_in_sight(capsys: Captured) -> None:
    uri = "postgres://me:hunter2@db:5432/app?api_key=hunter3"
    run(capsys, "connections", "add", "main", "--conn-uri", uri, "--conn-description", "the main one")

    assert "hunter" not in run(capsys, "connections", "list")
    (row,) = json.loads(run(capsys, "connections", "get", "main", "-o", "json"))
    assert row == {
        "conn_id": "main",
        "conn_type": "postgres",
        "description": "the main one",
        "host": "db",
        "schema": "app",
        "login": "me",
        "port": 5432,
    }
    shown = run(capsys, "connections", "list", "--show-values", "--hide-sensitive")
    assert "hunter" not in shown
    assert '{"api_key": "***"}' in shown
    (row,) = json.loads(run(capsys, "connections", "get", "main", "-o", "json", "--show-values"))
    assert (row["password"], row["extra"]) == ("hunter2", '{"api_key": "hunter3"}')
    assert "already a connection 'main'" in refused(capsys, "connections", "add", "main", "--conn-type", "http")
    run(capsys, "connections", "delete", "main")
    assert "there is no connection 'main'" in refused(capsys, "connections", "get", "main")


def test_what_is_secret_is_hidden_however_deep_it_is(capsys: Captured) -> None:
    extra = {"headers": [{"name": "x", "api_token": "hunter2"}], "region": "eu", "auth": {"password": ["hunter3"]}}
    run(capsys, "connections", "add", "deep", "--conn-type", "http", "--conn-extra", json.dumps(extra))

    for command in (["list"], ["get", "deep"]):
        shown = run(capsys, "connections", *command, "--show-values", "--hide-sensitive", "-o", "json")
        assert "hunter" not in shown
        assert "eu" in shown


def test_connection_is_described_by_its_fields_or_by_json(capsys: Captured) -> None:
    fields = ["--conn-type", "http", "--conn-host", "h", "--conn-port", "80", "--conn-password", "p"]
    run(capsys, "connections", "add", "a", *fields, "--conn-extra", '{"x": 1}')
    run(capsys, "connections", "add", "b", "--conn-json", '{"conn_type": "http", "host": "h", "extra": {"x": 1}}')

    assert [row["host"] for row in json.loads(run(capsys, "connections", "list", "-o", "json"))] == ["h", "h"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "give --conn-uri, or --conn-json"),
        (["--conn-uri", "http://h", "--conn-host", "h"], "give --conn-uri, or --conn-json"),
        (["--conn-host", "hunter2"], "needs a type"),
        (["--conn-uri", "http://me:hunter2@h:port"], "is not a whole number"),
        (["--conn-json", "hunter2"], "its JSON is broken"),
    ],
)
def test_connection_that_makes_no_sense_is_refused_without_being_shown(
    capsys: Captured, words: list[str], reason: str
) -> None:
    said = refused(capsys, "connections", "add", "a", *words, code=2)

    assert reason in said
    assert "hunter2" not in said


@pytest.mark.parametrize("name", ["c.json", "c.yaml", "c.env"])
@pytest.mark.parametrize("serialization", ["uri", "json"])
def test_exported_connections_are_imported_as_they_were(
    capsys: Captured, home: Path, name: str, serialization: str
) -> None:
    run(capsys, "connections", "add", "a", "--conn-uri", "postgres://me:p%40ss@db:5432/app?sslmode=require")
    run(capsys, "connections", "add", "b", "--conn-json", '{"conn_type": "http", "host": "h", "extra": {"n": [1]}}')
    everything = ("connections", "list", "--show-values", "-o", "json")
    before = json.loads(run(capsys, *everything))
    file = home / name
    run(capsys, "connections", "export", str(file), "--serialization-format", serialization)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "0 connections set, 2 left as they were" in run(capsys, "connections", "import", str(file))
    for conn_id in "ab":
        run(capsys, "connections", "delete", conn_id)

    assert "2 connections set" in run(capsys, "connections", "import", str(file), "--overwrite")

    after = json.loads(run(capsys, *everything))
    assert [_essence(row) for row in after] == [_essence(row) for row in before]


def _essence(row: dict[str, object]) -> dict[str, object]:
    """A URI does not tell an absent schema from an empty one."""
    extra = row["extra"]
    return {**row, "schema": row["schema"] or None, "extra": json.loads(extra) if isinstance(extra, str) else extra}


def test_exported_connections_are_written_as_asked(capsys: Captured, home: Path) -> None:
    run(capsys, "connections", "add", "a", "--conn-uri", "http://h")

    assert yaml.safe_load(run(capsys, "connections", "export", "-", "--format", "yaml"))["a"]["host"] == "h"
    assert run(capsys, "connections", "export", "-", "--file-format", "env") == "a=http://h\n"
    assert "ends in none of" in refused(capsys, "connections", "export", str(home / "a.txt"), code=2)


def test_keys_are_rotated(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    run(capsys, "variables", "set", "a", "x")
    run(capsys, "connections", "add", "c", "--conn-uri", "http://me:p@h")
    new = new_key()
    monkeypatch.setenv("TRADEWIND__CORE__FERNET_KEY", f"{new},{KEY}")

    assert "1 variables, 1 connections and the arguments of 0 triggers" in run(capsys, "rotate-fernet-key")

    monkeypatch.setenv("TRADEWIND__CORE__FERNET_KEY", new)
    assert run(capsys, "variables", "get", "a") == "x\n"
    monkeypatch.setenv("TRADEWIND__CORE__FERNET_KEY", KEY)
    assert "variable 'a' is encrypted, and none of the keys" in refused(capsys, "variables", "get", "a")
    monkeypatch.setenv("TRADEWIND__CORE__FERNET_KEY", "")
    assert "has no key to encrypt with" in refused(capsys, "rotate-fernet-key", code=2)


def test_connections_are_tried_out_by_their_hooks(capsys: Captured, home: Path) -> None:
    run(
        capsys,
        "connections",
        "add",
        "here",
        "--conn-json",
        json.dumps({"conn_type": "fs", "extra": {"path": str(home)}}),
    )
    run(capsys, "connections", "add", "lost", "--conn-json", '{"conn_type": "fs", "extra": {"path": "/nowhere"}}')
    run(capsys, "connections", "add", "odd", "--conn-uri", "odd://me:hunter2@h")

    assert "connection here works" in run(capsys, "connections", "test", "here")
    assert "connection lost does not work" in refused(capsys, "connections", "test", "lost")
    said = refused(capsys, "connections", "test", "odd")
    assert "there is no hook for connections of type 'odd'" in said
    assert "hunter2" not in said
    assert "there is no connection 'none'" in refused(capsys, "connections", "test", "none")


def test_connections_of_airflow_are_created_once(capsys: Captured) -> None:
    assert int(run(capsys, "connections", "create-default-connections").split()[0]) > 40
    assert "0 connections added" in run(capsys, "connections", "create-default-connections")


def test_parts_of_provider_packages_are_listed(capsys: Captured) -> None:
    hooks = json.loads(run(capsys, "providers", "hooks", "-o", "json"))
    assert ("fs", "airflow.providers.standard.hooks.filesystem.FSHook") in [
        (row["connection_type"], row["class"]) for row in hooks
    ]
    parts = ("auth-managers", "behaviours", "configs", "executors", "links", "logging", "notifications", "queues")
    for part in (*parts, "secrets", "triggers", "widgets"):
        assert isinstance(json.loads(run(capsys, "providers", part, "-o", "json")), list)
    assert "Tradewind" in run(capsys, "providers", "get", "standard")
    assert "package-name" in run(capsys, "providers", "get", "apache-airflow-providers-standard", "--full")
    assert "nothing is not installed" in refused(capsys, "providers", "get", "nothing")
