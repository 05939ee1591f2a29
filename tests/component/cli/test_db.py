"""`tradewind db` on a database of its own (D7)."""

import csv
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind import __version__
from tradewind.cli.main import main
from tradewind.model.dag import Dag, Task
from tradewind.storage.server import shell_of

SALES = Dag("sales", tasks=(Task("a"), Task("b", upstream=("a",))))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_schema_is_made_checked_and_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "migrate"]) == 0
    assert "schema: none → " in capsys.readouterr().out
    assert (home / "tradewind.db").exists()

    assert main(["db", "check"]) == 0
    assert "as it should be" in capsys.readouterr().out

    assert main(["db", "downgrade", "--to-revision", "base", "--yes"]) == 0
    assert "→ none" in capsys.readouterr().out


def test_a_new_database_has_as_many_slots_as_the_configuration_says(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """B6: `[core] default_pool_task_slot_count` counts for new databases only, as in Airflow."""

    def slots_after(*words: str, configured: int) -> int:
        monkeypatch.setenv("AIRFLOW__CORE__DEFAULT_POOL_TASK_SLOT_COUNT", str(configured))
        assert main(["db", *words]) == 0
        capsys.readouterr()
        assert main(["pools", "get", "default_pool", "-o", "json"]) == 0
        return int(json.loads(capsys.readouterr().out)[0]["slots"])

    assert slots_after("migrate", configured=7) == 7
    assert slots_after("migrate", configured=9) == 7
    assert slots_after("reset", "--yes", configured=9) == 9


def test_a_missing_schema_is_an_error_that_names_the_command(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()

    assert main(["db", "check"]) == 1
    assert "run: tradewind db migrate" in capsys.readouterr().err


def test_an_unknown_revision_is_refused_by_name(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "migrate", "--to-revision", "nonsense"]) == 1
    assert "nonsense" in capsys.readouterr().err


def test_downgrading_needs_to_know_how_far(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "downgrade"]) == 2
    assert "--to-revision" in capsys.readouterr().err


def test_downgrading_and_resetting_ask_first(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    deployment.run("db", "downgrade", "--to-revision", "base", code=1, answer="n\n")
    deployment.run("db", "reset", code=1, answer="n\n")
    assert deployment.rows("dags", "list") != []

    assert "without any data" in deployment.run("db", "reset", answer="y\n")
    assert deployment.rows("dags", "list") == []
    assert "schema: none" in deployment.run("db", "reset", "--yes", "--skip-init")
    assert "run: tradewind db migrate" in deployment.run("dags", "list", code=1)


def test_statements_of_a_migration_are_shown_and_not_run(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "migrate", "--show-sql-only", "--to-version", __version__]) == 0

    assert "CREATE TABLE dag_run" in capsys.readouterr().out
    assert not (home / "tradewind.db").exists()
    assert main(["db", "downgrade", "-s", "--from-version", __version__, "-r", "base"]) == 0
    assert "DROP TABLE dag_run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["migrate", "--to-version", "0.0.0"], 2, "the schema of Tradewind 0.0.0 is not known here"),
        (["migrate", "--to-version", "1", "--to-revision", "2"], 2, "not both"),
        (["migrate", "--from-revision", "0001"], 2, "for --show-sql-only"),
        (["check-migrations", "--migration-wait-timeout", "0"], 1, "run: tradewind db migrate"),
        (["clean"], 2, "--clean-before-timestamp"),
        (["clean", "--clean-before-timestamp", "soon"], 2, "'soon' is no date"),
        (["clean", "--clean-before-timestamp", "2026-01-01", "-t", "xcom"], 2, "it goes with dag_run"),
        (["clean", "--clean-before-timestamp", "2026-01-01", "-t", "pool"], 2, "'pool' can be cleaned, only dag_run"),
        (["export-archived"], 2, "--output-path"),
        (["export-archived", "--output-path", "/none"], 2, "'/none' does not exist"),
        (["export-archived", "--output-path", "/", "--export-format", "xml"], 2, "'xml'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, reason: str
) -> None:
    assert main(["db", *words]) == code
    # What is too long for a line is broken by the help of the option.
    assert reason in " ".join(capsys.readouterr().err.split())


def test_a_server_that_gives_no_answer_is_asked_again(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRADEWIND__DATABASE__SQL_ALCHEMY_CONN", "postgresql://me:hunter2@127.0.0.1:1/x")

    assert main(["db", "check", "--retry", "2", "--retry-delay", "0"]) == 1

    said = capsys.readouterr().err
    assert said.startswith("tradewind: ")
    assert said.count("\n") == 1, "what the driver says has two lines"
    assert "hunter2" not in said


def test_the_shell_of_the_database_takes_over(deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    program = deployment.home / "sqlite3"
    program.write_text("#!/bin/sh\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(deployment.home))
    called: list[Any] = []
    monkeypatch.setattr(os, "execve", lambda *given: called.append(given))

    deployment.run("db", "shell")

    ((path, command, _),) = called
    assert (path, command) == (str(program), ["sqlite3", str(deployment.home / "tradewind.db")])
    program.unlink()
    assert "sqlite3 is not installed" in deployment.run("db", "shell", code=1)


def test_passwords_are_not_among_the_words_of_a_shell() -> None:
    postgres = shell_of("postgresql+psycopg://me:hunter2@db:5433/app")
    mysql = shell_of("mysql://me:hunter2@db/app")

    assert postgres.command == ["psql", "--host", "db", "--port", "5433", "--username", "me", "--dbname", "app"]
    assert postgres.environment == {"PGPASSWORD": "hunter2"}
    assert mysql.command == ["mysql", "--host", "db", "--user", "me", "app"]
    assert mysql.environment == {"MYSQL_PWD": "hunter2"}


def _ended_runs(deployment: CliDeployment, *names: str) -> None:
    deployment.publish(SALES)
    for name in names:
        deployment.run("dags", "trigger", "sales", "-r", name)
    deployment.schedule()


def test_old_runs_are_cleaned_and_the_newest_stays(deployment: CliDeployment) -> None:
    _ended_runs(deployment, "first", "second", "third")
    clean = ("db", "clean", "--clean-before-timestamp", "2100-01-01")

    assert "dag_run: 2 to delete" in deployment.run(*clean, "--dry-run")
    deployment.run(*clean, code=1, answer="n\n")
    assert len(deployment.rows("dags", "list-runs", "sales")) == 3

    assert "dag_run: 2 deleted" in deployment.run(*clean, "--yes", "--skip-archive", "--batch-size", "1")
    assert [row["run_id"] for row in deployment.rows("dags", "list-runs", "sales")] == ["third"]
    assert "dag_run: 0 to delete" in deployment.run(*clean, "--yes")


def test_cleaning_stays_within_what_was_asked_for(deployment: CliDeployment) -> None:
    _ended_runs(deployment, "first", "second")
    deployment.run("dags", "trigger", "sales", "-r", "unended")
    clean = ("db", "clean", "--clean-before-timestamp", "2100-01-01", "--dry-run")

    assert "dag_run: 2 to delete" in deployment.run(*clean)
    assert "dag_run: 0 to delete" in deployment.run(*clean, "--exclude-dag-ids", "sales")
    assert "dag_run: 0 to delete" in deployment.run(*clean, "--dag-ids", "other")
    assert "dag_run: 2 to delete" in deployment.run(*clean, "--dag-ids", "sales,other")
    assert deployment.run(*clean, "--tables", "job").splitlines() == ["job: 1 to delete"]
    assert "dag_run: 0 to delete" in deployment.run(
        "db", "clean", "--clean-before-timestamp", "2000-01-01", "--dry-run"
    )


def test_the_audit_log_is_cleaned_only_by_its_name_and_says_by_whom(deployment: CliDeployment) -> None:
    """D6: append only, but for the one command that throws old entries away."""
    deployment.run("pools", "set", "narrow", "2", "two")
    clean = ("db", "clean", "--clean-before-timestamp", "2100-01-01", "--yes")
    assert "log:" not in deployment.run(*clean)

    assert "log: 1 deleted" in deployment.run(*clean, "--tables", "log")

    assert [entry["event"] for entry in deployment.audit_log()] == ["cli_db_clean"]


def test_what_is_cleaned_is_kept_exported_and_dropped(deployment: CliDeployment, tmp_path: Path) -> None:
    """B1, D7: copies stay in the database until somebody wants them gone, and so do those who may read them."""
    _ended_runs(deployment, "first", "second", "third")
    clean = ("db", "clean", "--clean-before-timestamp", "2100-01-01", "--yes", "-t", "dag_run", "--batch-size", "1")
    assert "nothing is archived" in deployment.run("db", "drop-archived")
    deployment.run(*clean)
    folder = tmp_path / "kept"
    folder.mkdir()

    exported = deployment.run("db", "export-archived", "--output-path", str(folder)).splitlines()
    assert [line.partition(": ")[2] for line in exported] == ["2 rows of dag_run", "4 rows of task_instance"]
    (runs, tasks) = sorted(folder.iterdir())
    with runs.open(newline="") as file:
        assert [(row["run_id"], row["state"]) for row in csv.DictReader(file)] == [
            ("first", "success"),
            ("second", "success"),
        ]
    assert tasks.stat().st_mode & 0o077 == 0

    deployment.run("db", "drop-archived", code=1, answer="n\n")
    assert f"dropped {tasks.stem}" in deployment.run("db", "drop-archived", "-t", "task_instance", "-y")
    dropped = deployment.run("db", "export-archived", "--output-path", str(folder), "--drop-archives", "-y")
    assert f"dropped {runs.stem}" in dropped
    assert "nothing is archived" in deployment.run("db", "drop-archived", "-t", "dag_run")
    assert "'pool' is archived" in deployment.run("db", "drop-archived", "-t", "pool", code=2)
    assert [entry["event"] for entry in deployment.audit_log()][-2:] == [
        "cli_db_drop_archived",
        "cli_db_export_archived",
    ]


def test_a_reset_leaves_no_copies(deployment: CliDeployment) -> None:
    """D7: everything is everything."""
    _ended_runs(deployment, "first", "second")
    deployment.run("db", "clean", "--clean-before-timestamp", "2100-01-01", "--yes")

    deployment.run("db", "reset", "--yes")

    assert "nothing is archived" in deployment.run("db", "drop-archived")
