"""`tradewind migrate-from-airflow` where something is wrong or odd (A8). With a real Airflow: `tests/compat`."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.airflow_tables import add_run, make_tables
from tests.component.cli.deployment import CliDeployment
from tradewind.bootstrap import wired
from tradewind.model.dag import Dag, Task
from tradewind.secrets.passwords import is_password
from tradewind.settings import load_settings

MIGRATE = "migrate-from-airflow"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database of Airflow 2.10 with one run."""
    address = f"sqlite:///{tmp_path / 'airflow.db'}"
    engine = make_tables(address)
    add_run(engine, 0, tasks=2)
    engine.dispose()
    return address


def change(url: str, statement: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as writer:
        writer.exec_driver_sql(statement)
    engine.dispose()


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["--db", "nonsense"], 1, "the address of Airflow's database cannot be read"),
        (["--db", "oracle://scott:tiger@host/db"], 1, "databases of the kind 'oracle' are not supported"),
        (["--db", "sqlite:////nowhere/airflow.db"], 1, "there is no file /nowhere/airflow.db"),
        (["--db", "postgresql://u:tiger@127.0.0.1:1/db"], 1, "no connection to Airflow's database"),
        (["--db", "mysql://u:tiger@127.0.0.1:1/db"], 1, "no connection to Airflow's database"),
        (["--db", "{url}", "--fernet-key", "tiger"], 2, "the key that was given is no Fernet key"),
        (["--db", "{url}", "--fernet-key-cmd", "false"], 1, "the command of --fernet-key-cmd failed"),
        (["--db", "{url}", "--fernet-key", "a", "--fernet-key-cmd", "b"], 2, "not several of them"),
        (["--db", "{url}", "--only", "dags"], 2, "--only takes some of connections, variables"),
        (["--db", "{url}", "--history", "some"], 2, "--history takes a number of days up to 365000 or 'all'"),
        (["--db", "{url}", "--xcoms"], 2, "--xcoms goes with --history"),
        (["--db", "{url}", "--simple-auth-users", "anna"], 2, "'anna' is no name:role"),
        ([], 2, "--db"),
    ],
)
def test_a_refusal_is_one_line_without_secrets(
    deployment: CliDeployment, url: str, words: list[str], code: int, expected: str
) -> None:
    told = deployment.run(MIGRATE, *(word.format(url=url) for word in words), code=code)

    assert expected in told
    assert "tiger" not in told
    assert code == 2 or told.count("\n") == 1


def test_another_database_is_not_taken_for_one_of_airflow(deployment: CliDeployment, tmp_path: Path) -> None:
    """Nor is our own, and a file that is no database at all."""
    own = load_settings().database.sql_alchemy_conn
    text = tmp_path / "notes.txt"
    text.write_text("this is not a database, whatever its name may say" * 50)

    assert "this is no metadata database of Airflow: it has no table 'slot_pool'" in deployment.run(
        MIGRATE, "--db", own, code=1
    )
    assert "Airflow's database cannot be read" in deployment.run(MIGRATE, "--db", f"sqlite:///{text}", code=1)


def test_a_target_without_a_schema_is_refused(
    deployment: CliDeployment, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path / "empty"))

    assert "run: tradewind db migrate" in deployment.run(MIGRATE, "--db", url, code=1)


def test_an_older_airflow_is_copied_without_what_it_keeps_as_code(deployment: CliDeployment, url: str) -> None:
    told = deployment.run(MIGRATE, "--db", url, "--history", "all", "--apply")

    assert "history: 1 copied" in told
    assert "without the conf of runs and XComs" in told
    assert "Airflow has none in this database" in told
    (run,) = deployment.rows("dags", "list-runs", "old")
    assert (run["state"], run["run_after"]) == ("success", "2025-06-02T00:00:00+00:00")


def test_a_run_of_the_same_date_is_in_the_way(deployment: CliDeployment, url: str) -> None:
    deployment.publish(Dag("old", (Task("a"),)), is_paused=True)
    deployment.run("dags", "trigger", "old", "--run-id", "ours", "--logical-date", "2025-06-01T00:00:00+00:00")

    told = deployment.run(MIGRATE, "--db", url, "--only", "history")

    assert "  ! old: another run here has its logical date" in told


def test_what_belongs_to_a_team_or_has_an_impossible_name_stays_behind(deployment: CliDeployment, url: str) -> None:
    change(url, "ALTER TABLE slot_pool ADD COLUMN team_name VARCHAR(50)")
    rows = "('theirs', 1, 'blue'), ('odd', -7, NULL), ('a\x1b[2J', 1, NULL)"
    change(url, f"INSERT INTO slot_pool (pool, slots, team_name) VALUES {rows}")

    told = deployment.run(MIGRATE, "--db", url, "--only", "pools")

    assert "  ! theirs: it belongs to the team 'blue', and there are no teams here" in told
    assert "  ! odd: pool 'odd': slots must be 0 or more" in told
    assert "  + 'a\\x1b[2J'\n" in told


def test_users_of_a_configuration_get_the_passwords_of_their_file(
    deployment: CliDeployment, url: str, tmp_path: Path
) -> None:
    file = tmp_path / "passwords.json"
    file.write_text(json.dumps({"anna": "a secret of anna"}))
    words = ("--only", "users", "--simple-auth-users", "anna:admin,bert:viewer", "--simple-auth-passwords", str(file))

    told = deployment.run(MIGRATE, "--db", url, *words, "--apply")
    again = deployment.run(MIGRATE, "--db", url, *words, "--apply")

    assert "  + bert: without a password" in told
    assert "a secret of anna" not in told
    assert "users: 2 here already" in again
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        anna = tx.accounts.find("anna")
    assert anna is not None
    assert is_password("a secret of anna", anna.password_hash)


def test_the_command_that_does_it_is_told_without_secrets(deployment: CliDeployment, url: str) -> None:
    key = "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="
    words = ("--fernet-key", key, "--only", "pools", "--overwrite")

    told = deployment.run(MIGRATE, "--db", url, *words)

    assert told.splitlines()[-1] == (
        f"  tradewind migrate-from-airflow --db {url} --fernet-key '***' --only pools --overwrite --apply"
    )
