"""`tradewind config`: what is configured, and what is wrong with it (D6)."""

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.cli.main import main


def test_every_option_is_listed_as_a_file_could_say_it(
    deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__PARALLELISM", "7")
    monkeypatch.setenv("AIRFLOW__CORE__FERNET_KEY", "hunter2")

    everything = deployment.run("config", "list")
    core = deployment.run("config", "list", "--section", "core", "-s", "-V", "-d")

    assert "[kubernetes_executor]" in everything
    assert "\nfernet_key = < hidden >\n" in everything
    assert "hunter2" not in everything
    assert "# from AIRFLOW__CORE__PARALLELISM\nparallelism = 7\n" in core
    assert "# TRADEWIND__CORE__PARALLELISM, AIRFLOW__CORE__PARALLELISM\n" in core
    assert "# used by Tradewind; 32 by default\n" in core
    assert "[database]" not in core
    assert "\nfernet_key = hunter2\n" in deployment.run("config", "list", "--show-values")
    assert "hunter2" not in deployment.run("config", "list", "--show-values", "--hide-sensitive")


def test_a_list_of_defaults_changes_nothing_where_it_is_read(
    deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__PARALLELISM", "7")

    lines = deployment.run("config", "list", "--defaults").splitlines()

    assert "# parallelism = 32" in lines
    assert all(line.startswith(("#", "[", " ")) or not line for line in lines)


def test_one_value_is_printed_alone(deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__FERNET_KEY_CMD", "printf hunter2")

    assert deployment.run("config", "get-value", "core", "parallelism") == "32\n"
    assert deployment.run("config", "get-value", "CORE", "fernet_key") == "hunter2\n"
    assert deployment.run("config", "get-value", "workers", "max_warm_dag_files") == "16\n", "it is Tradewind's own"
    assert "no option 'nope' in section [core]" in deployment.run("config", "get-value", "core", "nope", code=2)
    assert "no section [nope]" in deployment.run("config", "list", "--section", "nope", code=2)
    assert deployment.run("config", "get-value", "core", code=2)


def test_lint_names_what_is_wrong(
    deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert deployment.run("config", "lint") == "nothing is wrong\n"

    (deployment.home / "tradewind.cfg").write_text("[core]\nparallelism = x\nnope = 1\n", encoding="utf-8")

    deployment.run("config", "lint", code=1)
    assert "parallelism" not in deployment.run("config", "lint", "--option", "nope", "--ignore-option", "nope")
    assert deployment.run("config", "lint", "--ignore-section", "core") == "nothing is wrong\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[core]\nexecutor = CeleryExecutor\n", "the extra celery"),
        ("[core]\nfernet_key = short\n", "key 1 of [core] fernet_key is no Fernet key"),
        ("[api]\nport = 99999\n", "'99999' cannot be used; expected the number of a port: 0 to 65535"),
        ("[database]\nsql_alchemy_conn = oracle://host/db\n", "expected a URL of sqlite, postgresql or mysql"),
    ],
)
def test_lint_names_what_would_stop_the_start(
    deployment: CliDeployment, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    """D6: what is only found out by who uses an option is found out before."""
    (deployment.home / "tradewind.cfg").write_text(text, encoding="utf-8")

    code = main(["config", "lint"])

    said = capsys.readouterr().out
    assert code == 1
    assert "wrong value: " in said
    assert expected in said
