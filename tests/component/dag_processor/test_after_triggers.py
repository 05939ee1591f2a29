"""Listeners and links of a task that its trigger ended: a DAG processor, which has the code, sees to them (D4, E4)."""

import json
from pathlib import Path

from tests.component.dag_processor.processors import deployment, work_until_idle
from tests.component.dag_processor.test_callbacks import called, run_dag
from tradewind.model.ids import TaskKey
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.model.states import TaskState
from tradewind.operations.outside_tasks import OutsideWorkers
from tradewind.operations.request_callbacks import request_task_callbacks
from tradewind.operations.structures import Structures
from tradewind.secrets.encryption import Encryption
from tradewind.storage.interface.kept_stores import XComPlace, XComValue

PLUGIN = """
import json, sys
from pathlib import Path
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

def note(**told):
    with Path({notes!r}).open("a") as file:
        file.write(json.dumps(told) + "\\n")

class Listener:
    @hookimpl
    def on_task_instance_success(self, previous_state, task_instance):
        note(heard="success", task=task_instance.task_id, state=str(task_instance.state))

    @hookimpl
    def on_task_instance_skipped(self, previous_state, task_instance):
        note(heard="skipped", task=task_instance.task_id)

    @hookimpl
    def on_task_instance_failed(self, previous_state, task_instance, error):
        note(heard="failed", task=task_instance.task_id, state=str(task_instance.state), error=str(error))
        raise ValueError("and the listener is broken")

class Plugin(AirflowPlugin):
    name = "ears"
    listeners = [Listener()]
"""
FILE = """
from airflow.models import XCom
from airflow.sdk import DAG, BaseOperator, BaseOperatorLink

class Job(BaseOperatorLink):
    name = "The job"

    def get_link(self, operator, *, ti_key):
        return f"https://jobs/{operator.place}/{XCom.get_value(ti_key=ti_key, key='job')}"

class Broken(BaseOperatorLink):
    name = "Broken"

    def get_link(self, operator, *, ti_key):
        raise ValueError("no such link")

class Starts(BaseOperator):
    template_fields = ("place",)
    operator_extra_links = (Broken(), Job())

    def __init__(self, place="{{ run_id }}", **kwargs):
        super().__init__(**kwargs)
        self.place = place

with DAG("sales", schedule=None):
    Starts(task_id="load")
    BaseOperator(task_id="quiet")
"""


def test_listeners_are_told_and_links_kept(tmp_path: Path) -> None:
    """Of the task with links always, of the other one because somebody listens; what is broken harms nobody else."""
    notes = tmp_path / "notes.txt"
    with deployment(tmp_path / "home") as world:
        with world.database.begin() as tx:
            tx.pools.create(Pool(DEFAULT_POOL, 16))
        (world.home / "plugins").mkdir()
        (world.home / "plugins" / "ears.py").write_text(PLUGIN.format(notes=str(notes)))
        world.write("sales.py", FILE)
        processor = world.processor(answer=OutsideWorkers(world.database, Encryption([])))
        work_until_idle(processor)
        assert world.errors() == {}
        run, now = run_dag(world, is_failing=False), world.clock.now()
        load, quiet = TaskKey(run.key, "load"), TaskKey(run.key, "quiet")

        with world.database.begin() as tx:
            tx.xcoms.put([XComValue(load, "job", "42")], now)
            request_task_callbacks(tx, [load, quiet], "its trigger said so", Structures(), now, with_links=True)
        processor.call_back()
        work_until_idle(processor)
        assert [json.loads(line)["task"] for line in notes.read_text().splitlines()] == ["load"]

        for state in (TaskState.FAILED, TaskState.SKIPPED):
            with world.database.begin() as tx:
                found = tx.tasks.instances(run.key, ["quiet"])
                tx.tasks.set_state(found, state, now, max_tries=[0], reason="for the test")
                request_task_callbacks(tx, [quiet], "its trigger said so", Structures(), now, listened=[quiet])
            processor.call_back()
            work_until_idle(processor)

        with world.database.begin() as tx:
            kept = {name: tx.xcoms.find(XComPlace(run.key, "load", name), -1) for name in ("_link_Job", "_link_Broken")}
    assert kept["_link_Broken"] is None
    assert kept["_link_Job"] is not None
    assert kept["_link_Job"].value == "https://jobs/r1/42"
    assert [json.loads(line) for line in notes.read_text().splitlines()] == [
        {"heard": "success", "task": "load", "state": "success"},
        {"heard": "failed", "task": "quiet", "state": "failed", "error": "its trigger said so"},
        {"heard": "skipped", "task": "quiet"},
    ]
    assert [each.error for each in called(world)] == [None, None, None]
    assert "no such link" in called(world)[0].output
    assert "the listener is broken" in called(world)[1].output
