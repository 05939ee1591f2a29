"""`tradewind users`, `tradewind roles`, and what the audit log says of commands (D6)."""

import json

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.bootstrap import wired
from tradewind.model.account import DagRight
from tradewind.model.dag import Dag, RoleGrant, Task
from tradewind.secrets.passwords import is_password
from tradewind.settings import load_settings

ANNA = ["users", "create", "-u", "anna", "-f", "Anna", "-l", "Ames", "-e", "anna@example.org", "-r", "Viewer"]


def password_is(name: str, password: str) -> bool:
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        account = tx.accounts.find(name)
        assert account is not None
        return is_password(password, account.password_hash)


def test_a_user_is_created_shown_and_deleted(deployment: CliDeployment) -> None:
    deployment.run(*ANNA, "-p", "a secret of anna")

    (row,) = deployment.rows("users", "list")
    assert (row["username"], row["email"], row["roles"]) == ("anna", "anna@example.org", "Viewer")
    assert (row["first_name"], row["last_name"], row["is_active"]) == ("Anna", "Ames", True)
    assert password_is("anna", "a secret of anna")

    deployment.run("users", "delete", "-e", "anna@example.org")
    assert deployment.rows("users", "list") == []


def test_a_password_comes_from_the_standard_input_or_by_chance(deployment: CliDeployment) -> None:
    deployment.run(*ANNA, answer="typed by a script\n")
    assert password_is("anna", "typed by a script")

    deployment.run("users", "reset-password", "-u", "anna", "--use-random-password")
    assert not password_is("anna", "typed by a script")

    deployment.run("users", "reset-password", "-u", "anna", "--password", "a third one")
    assert password_is("anna", "a third one")


def test_roles_are_given_and_taken(deployment: CliDeployment) -> None:
    deployment.run(*ANNA, "--use-random-password")
    deployment.run("roles", "create", "night shift", "day shift")
    deployment.run("users", "add-role", "-u", "anna", "-r", "night shift")
    assert deployment.rows("users", "list")[0]["roles"] == "Viewer, night shift"

    deployment.run("users", "remove-role", "-u", "anna", "-r", "Viewer")
    deployment.run("roles", "delete", "night shift")

    assert deployment.rows("users", "list")[0]["roles"] == ""
    names = [role["name"] for role in deployment.rows("roles", "list")]
    assert names == ["Viewer", "User", "Op", "Admin", "day shift"]


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        ([*ANNA, "-p", "x"], 1, "there is already a user 'anna'"),
        ([*ANNA[:3], "other", *ANNA[4:], "-p", "x"], 1, "there is already a user 'anna@example.org'"),
        ([*ANNA[:3], "bert", *ANNA[4:8], "-e", "b@x", "-r", "Nobody", "-p", "x"], 1, "there is no role 'Nobody'"),
        ([*ANNA[:3], "a\nb", *ANNA[4:8], "-e", "b@x", "-r", "Op", "-p", "x"], 2, "is no name"),
        ([*ANNA[:3], "Anonymous", *ANNA[4:8], "-e", "b@x", "-r", "Op", "-p", "x"], 2, "take another name"),
        ([*ANNA[:3], "bert", *ANNA[4:8], "-e", "b@x", "-r", "Op", "-p", ""], 2, "a password has 1 to"),
        (["users", "delete", "-u", "none"], 1, "there is no user 'none'"),
        (["users", "delete"], 2, "either --username or --email"),
        (["users", "delete", "-u", "anna", "-e", "x"], 2, "either --username or --email"),
        (["users", "add-role", "-u", "anna", "-r", "Viewer"], 1, "has the role 'Viewer' already"),
        (["users", "remove-role", "-u", "anna", "-r", "Op"], 1, "does not have the role 'Op'"),
        (["users", "remove-role", "-u", "anna", "-r", "none"], 1, "there is no role 'none'"),
        (["roles", "create", "Admin"], 1, "there is already a role 'Admin'"),
        (["roles", "create", " "], 2, "is no name of a role"),
        (["roles", "delete", "Admin"], 2, "is built in and cannot be deleted"),
        (["roles", "delete", "none"], 1, "there is no role 'none'"),
    ],
)
def test_what_makes_no_sense_is_refused(deployment: CliDeployment, words: list[str], code: int, expected: str) -> None:
    deployment.run(*ANNA, "--use-random-password")

    assert expected in deployment.run(*words, code=code)
    assert len(deployment.rows("users", "list")) == 1


def test_users_are_written_to_a_file_and_read_from_it(deployment: CliDeployment) -> None:
    file = deployment.home / "users.json"
    deployment.run(*ANNA, "-p", "a secret of anna")
    deployment.run("users", "export", str(file))
    content = json.loads(file.read_text())
    assert content == [
        {
            "username": "anna",
            "email": "anna@example.org",
            "firstname": "Anna",
            "lastname": "Ames",
            "roles": ["Viewer"],
        }
    ]

    content[0]["roles"] = ["Op", "Viewer"]
    content.append({"username": "bert", "roles": []})
    file.write_text(json.dumps(content))
    assert deployment.run("users", "import", str(file)) == "1 users created, 1 changed\n"

    roles = {row["username"]: row["roles"] for row in deployment.rows("users", "list")}
    assert roles == {"anna": "Op, Viewer", "bert": ""}
    assert password_is("anna", "a secret of anna")


@pytest.mark.parametrize(
    "text",
    [
        *("[", "{}x", "[1]", '[{"username": "x"}]'),
        *('[{"username": "x", "roles": "Op"}]', '[{"username": "x", "roles": [], "email": 5}]'),
    ],
)
def test_a_file_that_is_something_else_changes_nothing(deployment: CliDeployment, text: str) -> None:
    file = deployment.home / "users.json"
    file.write_text(text)

    deployment.run("users", "import", str(file), code=2)
    assert deployment.rows("users", "list") == []


def test_roles_are_written_to_a_file_and_read_from_it(deployment: CliDeployment) -> None:
    file = deployment.home / "roles.json"
    rights = (RoleGrant("night shift", (DagRight.READ, DagRight.EDIT)), RoleGrant("Op", (DagRight.READ,)))
    deployment.publish(Dag("sales", (Task("load"),), access=rights))
    deployment.run("roles", "create", "night shift", "day shift")
    granted = {"name": "night shift", "resource": "DAG:sales", "action": "can_edit,can_read"}
    assert granted in deployment.rows("roles", "list", "-p")

    assert deployment.run("roles", "export", str(file), "--pretty") == f"2 roles written to {file}\n"
    assert json.loads(file.read_text()) == [{"name": "day shift", "resource": "", "action": ""}, granted]

    deployment.run("roles", "delete", "day shift", "night shift")
    said = deployment.run("roles", "import", str(file))
    assert said == "2 roles created; 1 permissions left out: DAGs grant them by access_control\n"
    assert deployment.run("roles", "import", str(file)).startswith("0 roles created")
    assert [role["name"] for role in deployment.rows("roles", "list")][4:] == ["day shift", "night shift"]


@pytest.mark.parametrize("text", ["[", "{}", "[1]", "[{}]", '[{"name": 5}]', '[{"name": " "}]'])
def test_a_file_without_roles_makes_none(deployment: CliDeployment, text: str) -> None:
    file = deployment.home / "roles.json"
    file.write_text(text)

    deployment.run("roles", "import", str(file), code=2)
    assert len(deployment.rows("roles", "list")) == 4


@pytest.mark.parametrize("command", ["add-perms", "del-perms"])
def test_who_wants_to_give_permissions_is_told_how(deployment: CliDeployment, command: str) -> None:
    said = deployment.run("roles", command, "Op", "-r", "DAGs", "-a", "can_read", code=2)

    assert "access_control" in said


def test_a_command_that_changes_something_is_in_the_audit_log(deployment: CliDeployment) -> None:
    deployment.publish(Dag("sales", (Task("load"),)))
    deployment.run("pools", "set", "narrow", "2", "two")
    deployment.run("pools", "list")
    deployment.run("pools", "get", "none", code=1)
    deployment.run("dags", "trigger", "sales", "--conf", '{"day": 1, "api_token": "hunter22"}')

    found = deployment.audit_log()

    assert [(entry["event"], entry["dag_id"]) for entry in found] == [
        ("cli_pools_set", None),
        ("cli_dags_trigger", "sales"),
    ]
    assert json.loads(found[0]["extra"])["name"] == "narrow"
    assert json.loads(found[1]["extra"])["conf"] == {"day": 1, "api_token": "***"}
    assert all(entry["owner"] for entry in found)


def test_secrets_on_the_command_line_are_not_in_the_audit_log(deployment: CliDeployment) -> None:
    secret = "hunter22hunter22"
    deployment.run(*ANNA, "-p", secret)
    deployment.run("users", "reset-password", "-u", "anna", "-p", secret)
    deployment.run("variables", "set", "place", secret)
    deployment.run("connections", "add", "one", "--conn-uri", f"http://me:{secret}@host")
    deployment.run("connections", "add", "two", "--conn-type", "http", "--conn-password", secret)
    deployment.run("connections", "add", "three", "--conn-type", "http", "--conn-extra", f'{{"x": "{secret}"}}')
    deployment.run("connections", "add", "four", "--conn-json", f'{{"conn_type": "http", "extra": "{secret}"}}')

    found = deployment.audit_log()

    assert len(found) == 7
    assert [entry["event"] for entry in found if secret in str(entry)] == []
