"""Listeners of plugins that want to hear of runs are told by a DAG processor, which may run user code (D2)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import Deployment, deployment, work_until_idle
from tests.component.dag_processor.test_callbacks import called, run_dag
from tradewind.dag_processor.hear_plugins import ask_plugins
from tradewind.dag_processor.service import DagProcessor
from tradewind.model.dag import CallbackEvent
from tradewind.model.pool import DEFAULT_POOL, Pool

PLUGIN = """
import json
from pathlib import Path
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

class Listener:
    @hookimpl
    def on_dag_run_running(self, dag_run, msg):
        self.note(dag_run, msg)

    @hookimpl
    def on_dag_run_failed(self, dag_run, msg):
        self.note(dag_run, msg)
        raise ValueError("and the listener is broken")

    def note(self, dag_run, msg):
        told = {"run": dag_run.run_id, "state": dag_run.state, "msg": msg, "conf": dag_run.conf}
        told["dag"] = None if dag_run.dag is None else dag_run.dag.dag_id
        told["dates"] = [bool(dag_run.queued_at), bool(dag_run.start_date), bool(dag_run.end_date)]
        told["version"] = dag_run.version_number
        with Path(NOTES).open("a") as file:
            file.write(json.dumps(told) + "\\n")

class Plugin(AirflowPlugin):
    name = "ears"
    listeners = [Listener()]
"""
FILE = """
from airflow.sdk import DAG
from airflow.providers.standard.operators.bash import BashOperator

with DAG("sales", schedule=None):
    BashOperator(task_id="load", bash_command="x")
"""
CALLBACK = """schedule=None, on_failure_callback=lambda context: print("the DAG's own was called")"""
CALLING_BACK = FILE.replace("schedule=None", CALLBACK)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path / "home") as made:
        with made.database.begin() as tx:
            tx.pools.create(Pool(DEFAULT_POOL, 16))
        (made.home / "plugins").mkdir()
        yield made


def plug_in(world: Deployment, text: str = PLUGIN) -> Path:
    """A plugin of the plugins folder, and where it takes its notes."""
    notes = world.home / "notes.txt"
    (world.home / "plugins" / "ears.py").write_text(text.replace("NOTES", repr(str(notes))))
    return notes


def heard(world: Deployment) -> frozenset[CallbackEvent]:
    with world.database.begin() as tx:
        return tx.bundles.heard()


def call_back_all(processor: DagProcessor) -> None:
    """One after the other: whatever an answer makes room for is taken at once."""
    processor.call_back()
    work_until_idle(processor)


@pytest.mark.parametrize("text", [FILE, CALLING_BACK])
def test_listeners_hear_of_a_run_once_for_each_of_its_changes_and_in_their_order(world: Deployment, text: str) -> None:
    """Whether or not the DAG has callbacks of its own; one that is broken harms nobody else."""
    notes = plug_in(world)
    world.write("sales.py", text)
    processor = world.processor()
    work_until_idle(processor)
    run_dag(world, is_failing=True)

    assert processor.call_back() == 1  # the end waits for the begin
    work_until_idle(processor)

    about = {"run": "r1", "conf": {"colour": "red"}, "dag": "sales", "version": 1}
    assert [json.loads(line) for line in notes.read_text().splitlines()] == [
        {**about, "state": "running", "msg": "started", "dates": [True, True, False]},
        {**about, "state": "failed", "msg": "task_failure", "dates": [True, True, True]},
    ]
    begin, end = called(world)
    assert (begin.event, begin.error, end.event, end.error) == ("execute", None, "failure", None)
    assert "the listener is broken" in end.output
    assert ("the DAG's own was called" in end.output) is (text == CALLING_BACK)


def test_of_what_no_listener_wants_to_hear_nothing_is_written_down(world: Deployment) -> None:
    plug_in(world)
    world.write("sales.py", FILE)
    processor = world.processor()
    work_until_idle(processor)
    assert heard(world) == {CallbackEvent.EXECUTE, CallbackEvent.FAILURE}

    run_dag(world, is_failing=False)
    call_back_all(processor)

    assert [each.event for each in called(world)] == ["execute"]


def test_a_plugin_that_comes_changes_or_goes_is_noticed(world: Deployment) -> None:
    world.write("sales.py", FILE)
    processor = world.processor()
    work_until_idle(processor)
    assert heard(world) == frozenset()
    assert ask_plugins(processor.state) == 0

    for text, expected in (
        (PLUGIN, {CallbackEvent.EXECUTE, CallbackEvent.FAILURE}),
        (PLUGIN.replace("on_dag_run_failed", "on_dag_run_success"), {CallbackEvent.EXECUTE, CallbackEvent.SUCCESS}),
        ("import os; os._exit(3)", frozenset()),
        (PLUGIN.replace("on_dag_run_", "on_task_instance_"), frozenset()),
    ):
        plug_in(world, text)
        ask_plugins(processor.state)
        work_until_idle(processor)
        assert heard(world) == expected


def test_listeners_are_told_though_the_file_cannot_be_imported_any_more(world: Deployment) -> None:
    notes = plug_in(world)
    world.write("sales.py", FILE)
    processor = world.processor()
    work_until_idle(processor)
    run_dag(world, is_failing=True)
    world.write("sales.py", "raise ValueError('broken meanwhile')")

    call_back_all(processor)

    told = [json.loads(line) for line in notes.read_text().splitlines()]
    assert [(each["state"], each["dag"]) for each in told] == [("running", None), ("failed", None)]


def test_who_starts_anew_tells_what_is_left(world: Deployment) -> None:
    """It need not ask the plugins first: what its predecessor found out is stored."""
    notes = plug_in(world)
    world.write("sales.py", FILE)
    work_until_idle(world.processor())
    run_dag(world, is_failing=True)

    other = world.processor()
    work_until_idle(other)
    call_back_all(other)

    assert [json.loads(line)["state"] for line in notes.read_text().splitlines()] == ["running", "failed"]
