"""Tasks that name their executor (E1)."""

from pathlib import Path

from tests.component.dag_processor.processors import Deployment, dag_file, deployment, work_until_idle
from tradewind.bundles.local import LocalBundle
from tradewind.dag_processor.service import DagProcessor
from tradewind.runtime.wakeup import PipeWakeup
from tradewind.settings import load_settings
from tradewind.telemetry.hub import Hub

WORDS = {"LocalExecutor": "LocalExecutor", "quick": "quick", "its.path.QuickExecutor": "quick"}


def read(made: Deployment, executors: dict[str, str]) -> None:
    """As a processor of that configuration would."""
    wakeup = PipeWakeup()
    made.wakeups.append(wakeup)
    environ = {"TRADEWIND_HOME": str(made.home)}
    processor = DagProcessor(
        made.database,
        made.clock,
        wakeup,
        settings=load_settings(environ),
        bundles=[LocalBundle("dags-folder", made.dags)],
        environ=environ,
        executors=executors,
        hub=Hub(made.events.append),
    )
    processor.start()
    try:
        work_until_idle(processor)
    finally:
        processor.stop()


def with_executor(dag_id: str, word: str) -> str:
    return dag_file(dag_id).replace("task_id='a'", f"task_id='a', executor={word!r}")


def test_an_unknown_executor_is_an_import_error_that_says_which_there_are(tmp_path: Path) -> None:
    with deployment(tmp_path) as made:
        made.write("bad.py", with_executor("bad", "SlowExecutor"))
        made.write("good.py", with_executor("good", "quick"))

        read(made, WORDS)

        assert made.active() == ["good"]
        assert made.dag("good").tasks[0].executor == "quick"
        (error,) = made.errors().values()
        assert "the task 'a' asks for the executor 'SlowExecutor'" in error
        assert "has only LocalExecutor, quick" in error


def test_whatever_a_task_calls_its_executor_schedulers_find_it_by_its_name(tmp_path: Path) -> None:
    with deployment(tmp_path) as made:
        made.write("a.py", with_executor("a", "its.path.QuickExecutor"))

        read(made, WORDS)

        assert made.dag("a").tasks[0].executor == "quick"


def test_other_executors_make_every_file_be_read_again(tmp_path: Path) -> None:
    with deployment(tmp_path) as made:
        made.write("a.py", with_executor("a", "quick"))
        read(made, WORDS)
        assert made.errors() == {}

        read(made, {"LocalExecutor": "LocalExecutor"})

        assert "asks for the executor 'quick'" in made.errors()["a.py"]


def test_a_deadline_whose_callback_names_an_unknown_executor_is_an_import_error(tmp_path: Path) -> None:
    """D4, B10: by every name that tasks may use, and by no other."""
    head = """
from datetime import timedelta
from airflow.sdk import DeadlineAlert, DeadlineReference, SyncCallback

def tell(context): pass

def alert(executor):
    return DeadlineAlert(
        DeadlineReference.DAGRUN_QUEUED_AT, timedelta(hours=1), SyncCallback(tell, executor=executor), name="soon"
    )
"""
    with deployment(tmp_path) as made:
        for dag_id, word in (("bad", "SlowExecutor"), ("good", "its.path.QuickExecutor"), ("plain", None)):
            file = dag_file(dag_id).replace("schedule=None", f"schedule=None, deadline=alert({word!r})")
            made.write(f"{dag_id}.py", head + file)

        read(made, WORDS)

        assert sorted(made.active()) == ["good", "plain"]
        (error,) = made.errors().values()
        assert "the deadline 'soon' asks for the executor 'SlowExecutor' for its callback" in error
        assert "has only LocalExecutor, quick" in error
