"""`tradewind dags test`, `tasks test`, `tasks render`: DAGs run in the process of the command (A5, B6)."""

import os
import sys
from pathlib import Path

import pytest

from tests.component.cli.deployment import CliDeployment

FILE = """\
from datetime import datetime
from airflow.sdk import DAG, Variable, task
from airflow.providers.standard.operators.bash import BashOperator
from beside import GREETING

with DAG("demo", schedule=None, start_date=datetime(2026, 1, 1), params={"size": 1}):
    @task
    def numbers(): return [1, 2, 3]

    @task
    def double(number): return number * 2

    @task
    def total(found): print(GREETING, sum(found)); return sum(found)

    say = BashOperator(task_id="say", bash_command="echo {{ ds }} {{ params.size }} {{ ti.xcom_pull('total') }}")
    total(double.expand(number=numbers())) >> say

with DAG("fails", schedule=None):
    @task(retries=3, on_success_callback=lambda context: print("succeeded"))
    def first(): return Variable.get("place", default="nowhere")

    @task(retries=3)
    def fail(given): raise ValueError(f"never at {given}")

    fail(first())
"""


@pytest.fixture
def dags_folder(deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file that imports a module beside it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = deployment.home / "dags"
    folder.mkdir()
    (folder / "beside.py").write_text("GREETING = 'the sum is'")
    (folder / "demo.py").write_text(FILE)
    monkeypatch.delitem(sys.modules, "beside", raising=False)
    return folder


@pytest.mark.usefixtures("dags_folder")
def test_a_dag_is_run_with_all_its_tasks(deployment: CliDeployment) -> None:
    told = deployment.run("dags", "test", "demo", "2026-02-03", "--conf", '{"size": 7}', "--show-dagrun")

    assert "the sum is 12" in told
    assert [line.split("|")[0].strip() for line in told.splitlines() if "| success |" in line] == [
        "double[0]",
        "double[1]",
        "double[2]",
        "numbers",
        "say",
        "total",
    ]
    assert "of DAG demo: success" in told
    assert "numbers [success] → double [success] → total [success] → say [success]" in told
    assert deployment.rows("dags", "list") == []


def test_a_dag_of_a_given_file_needs_no_database(
    deployment: CliDeployment, dags_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEWIND__DATABASE__SQL_ALCHEMY_CONN", f"sqlite:///{deployment.home}/none.db")
    picture = deployment.home / "run.svg"

    deployment.run(
        "dags", "test", "demo", "-f", str(dags_folder / "demo.py"), "--save-dagrun", str(picture),
        "--mark-success-pattern", "say",
    )  # fmt: skip

    assert "say [success]" in picture.read_text()
    assert not (deployment.home / "none.db").exists()


@pytest.mark.usefixtures("dags_folder")
def test_one_task_is_run_once_whatever_came_before(deployment: CliDeployment) -> None:
    deployment.run("variables", "set", "place", "somewhere")

    told = deployment.run("tasks", "test", "fails", "first")
    assert "success" in told
    assert "succeeded" in told

    assert "ValueError: never at None" in deployment.run("tasks", "test", "fails", "fail", code=1)


@pytest.mark.usefixtures("dags_folder")
def test_a_task_gets_what_others_returned_in_a_stored_run(deployment: CliDeployment) -> None:
    deployment.run("dags", "reserialize")
    deployment.run("dags", "unpause", "demo")
    deployment.run("dags", "trigger", "demo", "-r", "mine", "-l", "2026-02-03")

    rendered = {row["field"]: row["value"] for row in deployment.rows("tasks", "render", "demo", "say", "mine")}

    assert rendered["bash_command"] == "echo 2026-02-03 1 None"
    assert "# ----- bash_command\necho 2026-02-03 1 None\n" in deployment.run(
        "tasks", "render", "demo", "say", "2026-02-03"
    )
    assert "has no copy with map index 5" in deployment.run(
        "tasks", "render", "demo", "double", "mine", "--map-index", "5", code=1
    )


@pytest.mark.usefixtures("dags_folder")
def test_params_and_environment_of_a_task_are_given(deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE", "here")

    told = deployment.run(
        "tasks", "test", "demo", "say", "2026-02-03", "--task-params", '{"size": 9}', "--env-vars", '{"WHERE": "there"}'
    )

    assert "success" in told
    assert os.environ["WHERE"] == "there"


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["dags", "test", "nothing"], 1, "there is no DAG 'nothing'"),
        (["dags", "test", "demo", "soon"], 2, "'soon' is no date"),
        (["dags", "test", "demo", "-c", "{"], 2, "is no JSON"),
        (["dags", "test", "demo", "-c", "[1]"], 2, "must be a JSON object"),
        (["dags", "test", "demo", "--save-dagrun", "a.png"], 2, "ends neither in .svg nor in .dot"),
        (["dags", "test", "demo", "-f", "nowhere.py"], 2, "does not exist"),
        (["tasks", "test", "demo", "nothing"], 1, "DAG 'demo' has no task 'nothing'"),
        (["tasks", "render", "demo", "say", "soon"], 2, "'soon' is no date"),
        (["tasks", "test", "demo", "say", "-t", "1"], 2, "must be a JSON object"),
    ],
)
@pytest.mark.usefixtures("dags_folder")
def test_what_makes_no_sense_is_refused(deployment: CliDeployment, words: list[str], code: int, reason: str) -> None:
    said = deployment.run(*words, code=code)

    assert reason in " ".join(said.split())
    assert "Traceback" not in said


def test_a_broken_file_says_where(deployment: CliDeployment, dags_folder: Path) -> None:
    (dags_folder / "broken.py").write_text("import airflow\n1 / 0\n")

    said = deployment.run("dags", "test", "demo", "-f", str(dags_folder / "broken.py"), code=1)

    assert "ZeroDivisionError" in said


def test_a_file_that_is_elsewhere_is_told_in_one_line(deployment: CliDeployment, dags_folder: Path) -> None:
    """B6: a terminal that does not know the folder that the DAG processor was started with."""
    deployment.run("dags", "reserialize")
    (dags_folder / "demo.py").rename(deployment.home / "demo.py")

    said = deployment.run("dags", "test", "demo", code=1)

    assert said.startswith(f"tradewind: DAG 'demo' comes from demo.py, which is not in {dags_folder}: ")
    assert said.count("\n") == 1
