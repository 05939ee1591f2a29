"""`tradewind dags` and `tradewind dag-processor` on a database and files of their own (A5)."""

import json
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import dag_file
from tradewind.cli.main import main
from tradewind.settings import load_settings
from tradewind.storage.migrate import upgrade


@pytest.fixture
def dags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty DAG folder, and a database."""
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    upgrade(load_settings().database.sql_alchemy_conn)
    (tmp_path / "dags").mkdir()
    return tmp_path / "dags"


def test_files_are_read_once_and_listed(dags: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (dags / "a.py").write_text(dag_file("sales").replace("task_id='a'", "task_id='a', owner='team_a'"))
    (dags / "b.py").write_text(dag_file("stock") + "1 / 0")
    (dags / "c.py").write_text(dag_file("prices"))

    assert main(["dag-processor", "--num-runs", "1", "--verbose"]) == 0
    told = capsys.readouterr().err
    assert "read: prices, sales" in told
    assert "b.py cannot be used:\nTraceback" in told

    assert main(["dags", "list", "--output", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["dag_id"], row["fileloc"], row["owners"], row["is_paused"]) for row in rows] == [
        ("prices", "c.py", "airflow", True),
        ("sales", "a.py", "team_a", True),
    ]

    assert main(["dags", "list", "--bundle-name", "another"]) == 0
    assert "there is no DAG" in capsys.readouterr().err

    assert main(["dags", "list-import-errors"]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("plain", "sales\ta.py\tairflow\tTrue\tdags-folder\t\n"),
        ("yaml", '- dag_id: "sales"\n  fileloc: "a.py"\n  owners: "airflow"\n  is_paused: true\n'),
        ("table", "dag_id | fileloc | owners  | is_paused | bundle_name | bundle_version\n"),
    ],
)
def test_lists_come_in_several_forms(
    dags: Path, capsys: pytest.CaptureFixture[str], output: str, expected: str
) -> None:
    (dags / "a.py").write_text(dag_file("sales"))
    main(["dag-processor", "-n", "1"])
    capsys.readouterr()

    assert main(["dags", "list", "-o", output]) == 0

    assert expected in capsys.readouterr().out


def test_folder_of_files_can_be_given(dags: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = dags.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.py").write_text(dag_file("sales"))

    assert main(["dag-processor", "--dags-folder", str(elsewhere), "-n", "1", "-v"]) == 0
    assert "read: sales" in capsys.readouterr().err
    assert main(["dag-processor", "--dags-folder", str(elsewhere / "nowhere")]) == 2
    assert "nowhere' does not exist" in capsys.readouterr().err


def test_everything_is_read_again_on_demand(dags: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (dags / "a.py").write_text(dag_file("sales"))
    (dags / "b.py").write_text("import airflow; dag = 1 / 0")

    assert main(["dags", "reserialize"]) == 0

    assert "2 files read, 1 with errors" in capsys.readouterr().out


def test_an_unknown_bundle_is_refused_by_name(dags: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dag-processor", "--bundle-name", "nothing"]) == 2
    assert "no bundle 'nothing'" in capsys.readouterr().err


HURTS = """\
import datetime
import random
import time
from airflow.sdk import DAG
from airflow.providers.standard.operators.bash import BashOperator

time.sleep(0.6)
with DAG("hurts", schedule=None):
    BashOperator(task_id="a", bash_command=f"echo {random.random()}")
"""


def test_lint_tells_what_hurts_with_file_and_line(dags: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (dags / "hurts.py").write_text(HURTS)
    (dags / "sound.py").write_text(dag_file("sound"))

    assert main(["dags", "lint"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if f"{dags}/hurts.py:7: warning: this takes 0." in line]
    assert [line for line in lines if f"{dags}/hurts.py:9: warning: random.random() gives another value" in line]
    (proof,) = [line for line in lines if "is not the same when it is read again" in line]
    assert "dag.tasks[0].details.arguments.bash_command is" in proof
    assert not [line for line in lines if "sound.py" in line]


def test_lint_names_the_dag_whose_schedule_is_wrong(dags: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """C1: many DAGs may come from one file, and no line of it says which one is meant."""
    (dags / "many.py").write_text(
        "from airflow.sdk import DAG, CronTriggerTimetable\n"
        "for zone in ('UTC', 'Mars/Olympus'):\n"
        "    with DAG(f'at_{zone[:4]}', schedule=CronTriggerTimetable('@daily', timezone=zone)):\n"
        "        pass\n"
    )

    assert main(["dags", "lint"]) == 1

    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{dags}/many.py: error: DAG 'at_Mars': ")


def test_lint_fails_for_warnings_only_if_strict(dags: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (dags / "hurts.py").write_text(HURTS.replace("time.sleep(0.6)", ""))

    assert main(["dags", "lint", str(dags / "hurts.py")]) == 0
    assert main(["dags", "lint", "--strict", str(dags / "hurts.py")]) == 1


def test_lint_fails_for_errors_and_says_so_in_json(dags: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (dags / "broken.py").write_text(dag_file("broken") + "\n1 / 0\n")

    assert main(["dags", "lint", "--output", "json", str(dags)]) == 1

    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["level"], finding["kind"], finding["path"]) == ("error", "import_error", f"{dags}/broken.py")
    assert finding["line"] == 8
    assert "ZeroDivisionError" in finding["message"]


def test_lint_needs_no_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path / "nowhere"))
    (tmp_path / "a.py").write_text(dag_file("a"))

    assert main(["dags", "lint", str(tmp_path / "a.py")]) == 0
    assert main(["dags", "lint", str(tmp_path / "missing.py")]) == 1
    assert "there is no file or folder" in capsys.readouterr().err


def test_a_file_of_a_subfolder_imports_from_the_dag_folder(dags: Path) -> None:
    (dags / "etl").mkdir()
    (dags / "names.py").write_text("X = 1")
    (dags / "etl" / "a.py").write_text("from names import X\n" + dag_file("a"))

    assert main(["dags", "lint", "--strict", str(dags / "etl" / "a.py")]) == 0
