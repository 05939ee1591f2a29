"""Callbacks of runs, and of tasks whose worker was lost, are called by the DAG processor (D4)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import Deployment, deployment, work_until_idle
from tests.component.world import Script, fails
from tradewind.dag_processor.service import DagProcessor
from tradewind.executors.instant import InstantExecutor
from tradewind.model.ids import TaskKey
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.model.run import Run
from tradewind.model.states import TaskState
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.request_callbacks import request_task_callbacks
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.scheduler.service import Scheduler
from tradewind.telemetry.events import CallbackCalled
from tradewind.telemetry.measurements import UserMeasured

FILE = """
import json
from pathlib import Path
from airflow.sdk import DAG
from airflow.providers.standard.operators.bash import BashOperator

def note(context):
    told = {{key: str(context[key]) for key in ("run_id", "reason") if key in context}}
    told |= {{"dag": context["dag"].dag_id, "state": context["dag_run"].state, "conf": context["dag_run"].conf}}
    told |= {{"task": context["ti"].task_id, "ts": context.get("ts"), "exception": context.get("exception")}}
    with Path({notes!r}).open("a") as file:
        file.write(json.dumps(told) + "\\n")

def breaks(context):
    print("about to break")
    raise ValueError("the callback is broken")

with DAG("sales", schedule=None, on_failure_callback=[breaks, note], on_success_callback=note):
    BashOperator(task_id="load", bash_command="x", retries=1, on_failure_callback=note, on_retry_callback=note)
"""


class Notes:
    """What the callbacks have written down."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path / "home") as made:
        with made.database.begin() as tx:
            tx.pools.create(Pool(DEFAULT_POOL, 16))
        yield made


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes.txt")


@pytest.fixture
def processor(world: Deployment, notes: Notes) -> DagProcessor:
    world.write("sales.py", FILE.format(notes=str(notes.path)))
    processor = world.processor()
    work_until_idle(processor)
    assert world.errors() == {}
    return processor


def run_dag(world: Deployment, *, is_failing: bool) -> Run:
    """One run of the DAG, to its end, by a scheduler and an executor that answers at once."""
    now = world.clock.now()
    structures = Structures()
    with world.database.begin() as tx:
        pause_dag(tx, "sales", now, is_paused=False)
        trigger_run(tx, RunRequest("sales", run_id="r1", conf={"colour": "red"}), structures, now, suffix="aaaaaaaa")
    endings = {"load": fails(may_retry=False)} if is_failing else {}
    scheduler = Scheduler(world.database, [InstantExecutor(world.clock.now, outcome=Script(endings))], world.clock)
    scheduler.start()
    while scheduler.run_once():
        pass
    scheduler.stop()
    with world.database.begin() as tx:
        run = tx.runs.find("sales", "r1")
    assert run is not None
    return run


def called(world: Deployment) -> list[CallbackCalled]:
    return [event for event in world.events if isinstance(event, CallbackCalled)]


def test_the_callbacks_of_a_failed_run_are_called_once(
    world: Deployment, processor: DagProcessor, notes: Notes
) -> None:
    """One that raises does not keep the others from being called, and is told."""
    run_dag(world, is_failing=True)

    processor.call_back()
    work_until_idle(processor)

    (note,) = notes.read()
    expected = '"run_id": "r1", "reason": "task_failure", "dag": "sales", "state": "failed", "conf": {"colour": "red"}'
    assert expected in note
    assert '"task": "load"' in note
    (event,) = called(world)
    assert (event.dag_id, event.run_id, event.event) == ("sales", "r1", "failure")
    assert event.error is not None
    assert "the callback is broken" in event.error
    assert "about to break" in event.output

    processor.call_back()
    work_until_idle(processor)
    assert len(notes.read()) == 1


def test_the_callback_of_a_run_that_succeeded_is_called(
    world: Deployment, processor: DagProcessor, notes: Notes
) -> None:
    run_dag(world, is_failing=False)

    processor.call_back()
    work_until_idle(processor)

    (note,) = notes.read()
    assert '"reason": "success"' in note
    (event,) = called(world)
    assert event.error is None


@pytest.mark.parametrize(("state", "event"), [(TaskState.FAILED, "failure"), (TaskState.UP_FOR_RETRY, "retry")])
def test_the_callback_of_a_task_whose_worker_was_lost_is_called(
    world: Deployment, processor: DagProcessor, notes: Notes, state: TaskState, event: str
) -> None:
    run = run_dag(world, is_failing=True)
    key = TaskKey(run.key, "load")
    now = world.clock.now()
    with world.database.begin() as tx:
        of_run = tx.callbacks.claim(["dags-folder"], 10, processor.state.job, now=now, until=now)
        tx.callbacks.delete([each.key for each in of_run])
        found = tx.tasks.instances(run.key, ["load"])
        tx.tasks.set_state(found, state, now, max_tries=[1], reason="for the test")
        request_task_callbacks(tx, [key], "no heartbeat", Structures(), now)

    processor.call_back()
    work_until_idle(processor)

    (note,) = notes.read()
    assert '"exception": "no heartbeat"' in note
    assert [each.event for each in called(world)] == [event]


def test_a_request_whose_run_is_gone_is_dropped(world: Deployment, processor: DagProcessor, notes: Notes) -> None:
    run = run_dag(world, is_failing=True)
    with world.database.begin() as tx:
        tx.runs.delete(run.key)

    assert processor.call_back() == 0
    work_until_idle(processor)

    assert notes.read() == []


def test_a_dag_that_is_gone_from_the_file_is_told(world: Deployment, processor: DagProcessor, notes: Notes) -> None:
    run_dag(world, is_failing=True)
    world.write("sales.py", "import airflow  # the dag is gone")

    processor.call_back()
    work_until_idle(processor)

    (event,) = called(world)
    assert event.error is not None
    assert "no such DAG any more" in event.error


def test_a_request_that_ended_two_processors_is_given_up(world: Deployment, processor: DagProcessor) -> None:
    run_dag(world, is_failing=True)
    now = world.clock.now()
    with world.database.begin() as tx:
        for _ in range(2):
            assert len(tx.callbacks.claim(["dags-folder"], 10, processor.state.job, now=now, until=now)) == 1

    assert processor.call_back() == 0
    with world.database.begin() as tx:
        assert tx.callbacks.claim(["dags-folder"], 10, processor.state.job, now=now, until=now) == []


def test_what_files_and_callbacks_measure_goes_where_metrics_of_tasks_go(world: Deployment, tmp_path: Path) -> None:
    """B8: also what a loop measures faster than anybody would read it."""
    text = FILE.format(notes=str(tmp_path / "notes.txt")).replace(
        "def note(context):", "def note(context):\n    count(2)"
    )
    measuring = (
        "from airflow.sdk.observability.stats import Stats\n"
        "def count(times):\n    for _ in range(times):\n        Stats.incr('orders', tags={'of': 'file'})\n"
        "count(150)\n"
    )
    world.write("sales.py", measuring + text)
    processor = world.processor()
    processor.state.hub.measures = True
    work_until_idle(processor)
    run_dag(world, is_failing=False)
    processor.call_back()
    work_until_idle(processor)

    told = [metric for event in world.events if isinstance(event, UserMeasured) for metric in event.metrics]
    assert {(metric.kind, metric.name, metric.tags["of"]) for metric in told} == {("c", "orders", "file")}
    # The file was read twice: once for what it says, and once for its callback.
    assert sum(metric.value for metric in told) == 150 + 150 + 2
