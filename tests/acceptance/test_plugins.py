"""A plugin of the plugins folder, where tasks run: its listener hears of them, also of one that its trigger ended, of
runs, services and assets; and their templates have its macros (D2, E4)."""

import itertools
from pathlib import Path

import pytest

from tests.acceptance.deployment import Deployment, deployed
from tests.databases import DatabaseKind

PLUGIN = """
import os
from pathlib import Path

from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin


class Listener:
    @hookimpl
    def on_task_instance_running(self, previous_state, task_instance):
        note(task_instance, previous_state)

    @hookimpl
    def on_task_instance_success(self, previous_state, task_instance):
        note(task_instance, previous_state)

    @hookimpl
    def on_task_instance_failed(self, previous_state, task_instance, error):
        note(task_instance, previous_state, error)

    @hookimpl
    def on_dag_run_running(self, dag_run, msg):
        note_run(dag_run, msg)

    @hookimpl
    def on_dag_run_success(self, dag_run, msg):
        note_run(dag_run, msg)

    @hookimpl
    def on_starting(self, component):
        note_more("starting", getattr(component, "job_type", type(component).__name__))

    @hookimpl
    def on_asset_changed(self, asset):
        note_more("changed", asset.name)


def note_more(*words):
    with Path(os.environ["ACCEPTANCE_FOLDER"], "heard_of_more").open("a") as file:
        print(*words, file=file)


def note_run(dag_run, msg):
    with Path(os.environ["ACCEPTANCE_FOLDER"], "heard_of_runs").open("a") as file:
        print(dag_run.dag.dag_id, dag_run.run_id, dag_run.state.value, msg, file=file)


def note(task_instance, previous_state, *more):
    with Path(os.environ["ACCEPTANCE_FOLDER"], "heard").open("a") as file:
        print(task_instance.task_id, previous_state.value, task_instance.state.value, *more, file=file)


def shout(text):
    return text.upper()


class Mine(AirflowPlugin):
    name = "mine"
    listeners = [Listener()]
    macros = [shout]
"""
DAG_FILE = """
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.sensors.date_time import DateTimeSensorAsync
from airflow.sdk import DAG, Asset

with DAG("heard_of", schedule=None):
    DateTimeSensorAsync(
        task_id="waits", target_time="2026-01-01T00:00:00+00:00", start_from_trigger=True, end_from_trigger=True
    )
    BashOperator(task_id="speaks", bash_command="echo {{ macros.mine.shout('hello') }}") >> BashOperator(
        task_id="fails", bash_command="exit 1"
    )

with DAG("succeeds", schedule=None):
    BashOperator(task_id="speaks", bash_command="echo hello", on_success_callback=lambda context: None,
        outlets=[Asset("orders")])
"""


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_plugin_hears_of_tasks_and_helps_their_templates(
    tmp_path: Path, database_url: str, database_kind: DatabaseKind
) -> None:
    home = tmp_path / "home"
    for folder, name, content in (("plugins", "my_plugin.py", PLUGIN), ("dags", "heard_of.py", DAG_FILE)):
        (home / folder).mkdir(parents=True)
        (home / folder / name).write_text(content)

    with deployed(home, database_url, dags_folder=home / "dags", variables={}) as deployment:
        deployment.start("triggerer")
        deployment.wait_for_files(home / "dags")
        ended = deployment.run("heard_of")
        # No worker heard of the one that waits, so a DAG processor tells of it, a moment later.
        deployment.until(lambda: len(_heard(deployment)) == 5, "all to be told")
        heard = [line for line in _heard(deployment) if not line.startswith("waits")]
        of_waiting = [line for line in _heard(deployment) if line.startswith("waits")]
        of_runs = _heard_of_a_run(deployment)
        jobs = {"SchedulerJob", "TriggererJob", "DagProcessorJob", "TaskRunnerMarker"}
        more = {f"starting {name}" for name in jobs} | {"changed orders"}
        deployment.until(lambda: more <= set(_heard(deployment, "heard_of_more")), "services and assets to be told of")

    assert ended.states == {"speaks": "success", "fails": "failed", "waits": "success"}
    assert ended.value("speaks") == "HELLO"
    assert of_waiting == ["waits running success"]
    assert [line.split()[:3] for line in heard] == [
        ["speaks", "queued", "running"],
        ["speaks", "running", "success"],
        ["fails", "queued", "running"],
        ["fails", "running", "failed"],
    ]
    assert "exit code 1" in heard[-1]
    assert of_runs == ["succeeds last running started", "succeeds last success success"]


def _heard_of_a_run(deployment: Deployment) -> list[str]:
    """What a listener is told of one, once the scheduler knows that somebody wants to hear: it looks every second."""
    numbers = itertools.count()

    def knows() -> bool:
        deployment.run("succeeds", f"r{next(numbers)}")
        return bool(_heard(deployment, "heard_of_runs"))

    deployment.until(knows, "the scheduler to know who listens")
    deployment.run("succeeds", "last")
    deployment.until(lambda: "last success" in "".join(_heard(deployment, "heard_of_runs")), "the last run to be told")
    return [line for line in _heard(deployment, "heard_of_runs") if " last " in line]


def _heard(deployment: Deployment, name: str = "heard") -> list[str]:
    noted = deployment.notes / name
    return noted.read_text().splitlines() if noted.exists() else []
