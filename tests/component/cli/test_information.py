"""What the command line tells about itself and about the deployment: version, info, cheat-sheet, jobs, plugins (D7)."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind import __version__
from tradewind.bootstrap import wired
from tradewind.cli.main import ENTRIES
from tradewind.cli.masked_url import masked_url
from tradewind.runtime.clock import SystemClock
from tradewind.settings import load_settings

HEAVY = (
    "alembic",
    "cryptography",
    "fastapi",
    "msgspec",
    "rich",
    "sqlalchemy",
    "tradewind.bootstrap",
    "tradewind.compat",
    "tradewind.operations",
    "tradewind.sdk",
    "tradewind.storage",
    "watchfiles",
    "yaml",
)


def test_version_is_one_word(deployment: CliDeployment) -> None:
    assert deployment.run("version") == f"{__version__}\n"


def test_no_command_loads_the_engine_before_it_runs() -> None:
    """`--help` of every command in 150 ms is a matter of what is imported."""
    script = (
        "import importlib, sys; from tradewind.cli.main import ENTRIES\n"
        "for entry in ENTRIES.values(): importlib.import_module(entry.module)\n"
        f"sys.exit(', '.join(name for name in {HEAVY!r} if name in sys.modules) or 0)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_info_tells_what_is_configured_without_secrets(
    deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__FERNET_KEY", "hunter2")

    rows = {(row["section"], row["name"]): row["value"] for row in deployment.rows("info")}

    assert rows["tradewind", "version"] == __version__
    assert rows["tradewind", "fernet_key"] == "set"
    assert rows["paths", "dags_folder"] == str(deployment.home / "dags")
    assert rows["database", "server"].startswith("sqlite 3.")
    assert rows["database", "revision"] == rows["database", "needed_revision"]
    assert ("providers", "apache-airflow-providers-standard") in rows
    assert "hunter2" not in json.dumps(list(rows.values()))


def test_info_can_leave_out_whose_machine_it_is(deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(deployment.home))

    told = deployment.run("info", "--anonymize", "-o", "plain")

    assert str(deployment.home) not in told
    assert "${HOME}" in told


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:hunter2@db:5432/app?sslmode=require", "postgresql://me:***@db:5432/app?sslmode=***"),
        ("mysql+pymysql://db/app", "mysql+pymysql://db/app"),
        ("sqlite:////tmp/a.db", "sqlite:////tmp/a.db"),
        ("postgresql:///app?host=/tmp&password=hunter2", "postgresql:///app?host=***&password=***"),
        ("http://[broken", "***"),
    ],
)
def test_addresses_are_shown_without_secrets(url: str, shown: str) -> None:
    assert masked_url(url) == shown


def test_cheat_sheet_names_every_command(deployment: CliDeployment) -> None:
    told = deployment.run("cheat-sheet")

    assert all(f"  tradewind {name}" in told for name in ENTRIES)
    assert "tradewind dags list-runs" in told


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(deployment: CliDeployment, shell: str) -> None:
    script = deployment.run("completion", shell)

    assert "list-import-errors" in script
    assert "num-executions" in script


def test_bash_completes_what_was_begun(deployment: CliDeployment, tmp_path: Path) -> None:
    script = tmp_path / "complete.sh"
    script.write_text(
        deployment.run("completion", "bash")
        + 'complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tradewind; echo "${COMPREPLY[*]}"; }\n'
        + "".join(f"complete_words tradewind {words}\n" for words in ("ver", "dags list-i", "dags list --loc"))
    )

    done = subprocess.run(["bash", str(script)], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["version", "list-import-errors", "--local"]


def _begin_job(kind: str, hostname: str, heard_ago: timedelta = timedelta(0)) -> None:
    now = SystemClock().now()
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        tx.jobs.start(kind, hostname=hostname, pid=1, now=now - heard_ago)


def test_jobs_are_checked(deployment: CliDeployment) -> None:
    assert "no such service is alive" in deployment.run("jobs", "check", code=1)
    _begin_job("scheduler", "here")

    assert "1 alive: scheduler on here" in deployment.run("jobs", "check")
    assert "1 alive" in deployment.run("jobs", "check", "--job-type", "SchedulerJob", "--hostname", "here")
    assert "no such service" in deployment.run("jobs", "check", "--job-type", "DagProcessorJob", code=1)
    assert "no such service" in deployment.run("jobs", "check", "--local", code=1)
    assert "no such service" in deployment.run("jobs", "check", "--job-type", "WorkerJob", code=1)
    _begin_job("worker", "there")
    assert "1 alive: worker on there" in deployment.run("jobs", "check", "--job-type", "WorkerJob")
    assert "2 such services are alive" in deployment.run("jobs", "check", "--limit", "0", code=1)
    assert "2 alive" in deployment.run("jobs", "check", "--limit", "10", "--allow-multiple")


def test_a_job_that_was_not_heard_of_is_not_alive(deployment: CliDeployment) -> None:
    _begin_job("scheduler", "here", heard_ago=timedelta(hours=1))

    assert "no such service is alive" in deployment.run("jobs", "check", code=1)


@pytest.mark.parametrize("words", [["--local", "--hostname", "x"], ["--allow-multiple"]])
def test_a_check_of_jobs_that_contradicts_itself_is_refused(deployment: CliDeployment, words: list[str]) -> None:
    assert deployment.run("jobs", "check", *words, code=2).count("\n") == 1


def test_jobs_are_listed_the_newest_first(deployment: CliDeployment) -> None:
    _begin_job("scheduler", "here", heard_ago=timedelta(hours=1))
    _begin_job("dag_processor", "there")

    rows = deployment.rows("dags", "list-jobs")

    assert [(row["job_type"], row["state"]) for row in rows] == [
        ("DagProcessorJob", "running"),
        ("SchedulerJob", "running"),
    ]
    assert len(deployment.rows("dags", "list-jobs", "--limit", "1")) == 1
    assert deployment.rows("dags", "list-jobs", "--state", "failed") == []
    assert deployment.rows("dags", "list-jobs", "--dag-id", "sales") == []


PLUGIN = """\
from airflow.plugins_manager import AirflowPlugin

def shout(text): return text.upper()

class Loud(AirflowPlugin):
    name = "loud_{stamp}"
    macros = [shout]
"""


def test_plugins_are_told_with_what_they_bring(deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = deployment.home.parent.name.replace("-", "_")  # modules stay loaded, so each test needs a name of its own
    monkeypatch.setattr(sys, "path", list(sys.path))
    (deployment.home / "plugins").mkdir()
    (deployment.home / "plugins" / f"loud_{stamp}.py").write_text(PLUGIN.format(stamp=stamp))

    rows = {row["name"]: row for row in deployment.rows("plugins")}

    assert rows[f"loud_{stamp}"]["macros"] == "shout"
    assert rows[f"loud_{stamp}"]["source"].endswith(f"loud_{stamp}.py")
