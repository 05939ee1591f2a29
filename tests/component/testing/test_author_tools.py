"""`dag.test()`, `dag.cli()`, folders of DAG files, and the pytest plugin."""

import json
from datetime import timedelta
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.instants import utc
from tradewind.sdk import DAG, Variable, task
from tradewind.sdk.standard.date_time_sensor import DateTimeSensorAsync
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.task_clock import current_clock
from tradewind.testing import load_dags
from tradewind.testing.dag_files import BrokenDagFiles
from tradewind.testing.dag_test import command_line

pytest_plugins = ["pytester"]


# --- dag.test() -----------------------------------------------------------------------------------------------------


def test_an_author_runs_a_dag_by_hand_and_sees_its_output(capfd: pytest.CaptureFixture[str]) -> None:
    with DAG("d", schedule=None, params={"n": 1}) as dag:

        @task
        def say(params: Any = None) -> int:
            print(f"n is {params['n']}")  # noqa: T201 - what authors do
            return int(params["n"])

        say()

    run = dag.test(run_conf={"n": 5}, logical_date=utc("2026-01-31"))

    out, err = capfd.readouterr()
    assert (run.state, run.logical_date, run.get_task_instance("say").xcom_pull()) == ("success", utc("2026-01-31"), 5)
    assert "n is 5" in out
    assert "say: success" in err


def test_a_run_that_fails_is_returned_not_raised() -> None:
    with DAG("d", schedule=None) as dag:
        PythonOperator(task_id="bad", python_callable=lambda: 1 / 0, retries=1, retry_delay=timedelta(0))

    run = dag.test()

    assert (run.state, run["bad"].try_number) == ("failed", 2)


def test_waiting_takes_real_time_when_an_author_watches() -> None:
    """Sensors and triggers look at the real world: jumping over their waiting would only make them give up."""
    moment = current_clock().now() + timedelta(milliseconds=50)
    with DAG("d", schedule=None) as dag:
        DateTimeSensorAsync(task_id="wait", target_time=moment)

    run = dag.test()

    assert run.state == "success"
    assert current_clock().now() >= moment


def test_a_task_of_an_author_runs_in_the_thread_that_a_debugger_knows_and_can_be_interrupted() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with DAG("d", schedule=None) as dag:
        PythonOperator(task_id="a", python_callable=interrupted)

    with pytest.raises(KeyboardInterrupt):
        dag.test()


@pytest.mark.parametrize("suffix", ["json", "yaml", "env"])
def test_connections_and_variables_come_from_files(tmp_path: Path, suffix: str) -> None:
    connections, variables = tmp_path / f"connections.{suffix}", tmp_path / f"variables.{suffix}"
    if suffix == "env":
        connections.write_text("db=postgres://db.example/sales\n")
        variables.write_text("word=hi\n")
    else:  # JSON is YAML
        connections.write_text(json.dumps({"db": {"conn_type": "postgres", "host": "db.example"}}))
        variables.write_text(json.dumps({"word": "hi"}))
    with DAG("d", schedule=None) as dag:

        @task
        def look(conn: Any = None) -> list[str]:
            return [conn.db.host, Variable.get("word")]

        look()

    run = dag.test(conn_file_path=str(connections), variable_file_path=str(variables), use_executor=True)

    assert run["look"].value == ["db.example", "hi"]


def test_tasks_that_match_are_not_run() -> None:
    with DAG("d", schedule=None) as dag:
        PythonOperator(task_id="wait_for_data", python_callable=lambda: 1 / 0)

    assert dag.test(mark_success_pattern="wait_.*").state == "success"


def test_a_dag_file_has_a_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with DAG("d", schedule=None, params={"n": 1}) as dag:
        PythonOperator(task_id="divide", python_callable=lambda params: 1 / params["n"])

    command_line(dag, ["tasks"])
    assert capsys.readouterr().out == "divide\n"
    with pytest.raises(SystemExit) as good:
        command_line(dag, ["test", "2026-01-31", "--conf", '{"n": 2}'])
    with pytest.raises(SystemExit) as bad:
        command_line(dag, ["test", "--conf", '{"n": 0}'])
    assert (good.value.code, bad.value.code) == (0, 1)


# --- folders --------------------------------------------------------------------------------------------------------


GOOD = """
from beside import NAME
from tradewind.sdk import DAG, task

with DAG(NAME, schedule="@daily"):

    @task
    def a():
        return 1

    a()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One DAG file, a module that it imports, and a file that is no DAG file."""
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "beside.py").write_text("NAME = 'sales'\n")
    (tmp_path / "notes.txt").write_text("dag airflow")
    return tmp_path


def test_all_dags_of_a_folder_are_loaded(folder: Path) -> None:
    dags = load_dags(folder).check()

    assert list(dags) == ["sales"]
    assert dags["sales"].task_ids == ["a"]
    assert dags["sales"].filepath == "good.py"
    with pytest.raises(KeyError, match=r"have no DAG 'nope', only \['sales'\]"):
        dags["nope"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("from tradewind.sdk import DAG\n1 / 0", "ZeroDivisionError"),
        ("from tradewind.sdk import DAG\ndag = (", "SyntaxError"),
        ("from tradewind.sdk import DAG\nraise SystemExit(1)", "SystemExit"),
        ("from tradewind.sdk import DAG\ndag = DAG('d', schedule='61 * * * *')", "61 "),
        ("from tradewind.sdk import DAG\nDAG('sales', schedule=None).__enter__().__exit__()", "has a DAG 'sales' too"),
    ],
)
def test_a_broken_file_is_named_with_its_traceback(folder: Path, source: str, message: str) -> None:
    (folder / "zbad.py").write_text(source)

    dags = load_dags(folder)

    assert list(dags) == ["sales"]
    assert message in dags.import_errors["zbad.py"]
    with pytest.raises(BrokenDagFiles, match=r"1 DAG files in .* cannot be read\n--- zbad.py"):
        dags.check()


def test_files_that_are_to_be_ignored_are(folder: Path) -> None:
    (folder / "bad.py").write_text("dag airflow = ")
    (folder / ".airflowignore").write_text("bad.py\n")

    assert load_dags(folder).check().import_errors == {}


# --- pytest ---------------------------------------------------------------------------------------------------------


def run_tests(pytester: pytest.Pytester) -> pytest.RunResult:
    """With the plugin, whether or not this environment was installed since it exists."""
    is_installed = "tradewind" in {entry.name for entry in entry_points(group="pytest11")}
    named = () if is_installed else ("-p", "tradewind.testing.pytest_plugin")
    return pytester.runpytest_inprocess(*named, "-p", "no:randomly")


def test_the_plugin_gives_fixtures(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("dags")
    (folder / "good.py").write_text(GOOD.replace("from beside import NAME", "NAME = 'sales'"))
    pytester.makepyfile(
        """
        from tradewind.sdk import DAG, Connection, Variable, task

        def test_folder(dag_bag, run_dag):
            assert list(dag_bag) == ["sales"]
            assert run_dag(dag_bag["sales"]).check()["a"].value == 1

        def test_secrets(run_dag, connections, variables):
            connections["db"] = "postgres://db.example"
            variables["word"] = "hi"
            with DAG("d", schedule=None) as dag:
                @task
                def look():
                    return [Connection.get("db").host, Variable.get("word"), Variable.get("more")]
                look()
            assert run_dag(dag, variables={"more": "x"}).check()["look"].value == ["db.example", "hi", "x"]

        def test_no_secrets_left(connections, variables):
            assert not connections and not variables
        """
    )

    run_tests(pytester).assert_outcomes(passed=3)


def test_a_broken_file_fails_the_tests_that_use_the_folder(pytester: pytest.Pytester) -> None:
    (pytester.mkdir("flows") / "bad.py").write_text("import tradewind\ndag = 1 / 0\n")
    pytester.makeini("[pytest]\ndags_folder = flows\n")
    pytester.makepyfile("def test_folder(dag_bag): pass")

    outcome = run_tests(pytester)

    outcome.assert_outcomes(errors=1)
    outcome.stdout.fnmatch_lines(["*ZeroDivisionError*"])
