"""Cluster policies of `airflow_local_settings.py` look at every DAG, may change it, and may refuse it (A8)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import Deployment, dag_file, deployment, look_and_work, work_until_idle

POLICIES = """
from airflow.exceptions import AirflowClusterPolicySkipDag, AirflowClusterPolicyViolation

def dag_policy(dag):
    if dag.dag_id == "refused":
        raise AirflowClusterPolicyViolation(f"{dag.dag_id} has no owner that we know")
    if dag.dag_id == "skipped":
        raise AirflowClusterPolicySkipDag("not on this cluster")
    if dag.dag_id == "stumbled":
        raise ZeroDivisionError("of the policy")
    dag.tags.add("seen")

def task_policy(task):
    task.queue = "QUEUE"
    if task.retries > 3:
        raise AirflowClusterPolicyViolation(f"{task.task_id} tries too often")
"""


@pytest.fixture(params=["config", "plugins"])
def folder(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path / "home") as made:
        yield made


def say(world: Deployment, text: str, folder: str = "config") -> None:
    path = world.home / folder / "airflow_local_settings.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_settings_that_only_say_something_on_the_first_page_stand_in_nobodys_way(world: Deployment) -> None:
    say(
        world,
        "from airflow.api_fastapi.common.types import UIAlert\n"
        "DASHBOARD_UIALERTS = [UIAlert('at night', category='warning'), UIAlert(text='by day', category='info')]\n",
    )
    world.write("one.py", dag_file("one"))

    work_until_idle(world.processor())

    assert (world.active(), world.errors()) == (["one"], {})


def test_policies_change_what_is_stored(world: Deployment, folder: str) -> None:
    say(world, POLICIES.replace("QUEUE", "metered"), folder)
    world.write("one.py", dag_file("one"))

    work_until_idle(world.processor())

    assert world.errors() == {}
    assert world.dag("one").tags == ("seen",)
    assert [task.queue for task in world.dag("one").tasks] == ["metered"]


def test_a_dag_that_is_refused_is_an_error_that_says_why(world: Deployment) -> None:
    say(world, POLICIES)
    world.write("a.py", dag_file("refused"))
    world.write("b.py", dag_file("skipped"))
    world.write("c.py", dag_file("stumbled"))
    world.write("d.py", dag_file("many").replace("task_id=", "retries=9, task_id="))

    work_until_idle(world.processor())

    assert world.active() == []
    errors = world.errors()
    assert "refused has no owner that we know" in errors["a.py"]
    assert "b.py" not in errors
    assert "ZeroDivisionError: of the policy" in errors["c.py"]
    assert "a tries too often" in errors["d.py"]


def test_other_dags_of_the_file_stay(world: Deployment) -> None:
    say(world, POLICIES)
    world.write("both.py", dag_file("refused") + dag_file("kept"))

    work_until_idle(world.processor())

    assert world.active() == ["kept"]


def test_policies_that_cannot_be_imported_let_no_dag_pass(world: Deployment) -> None:
    say(world, "import nowhere_to_be_found")
    world.write("one.py", dag_file("one"))

    work_until_idle(world.processor())

    assert world.active() == []
    assert "nowhere_to_be_found" in world.errors()["one.py"]


def test_a_changed_policy_is_applied_to_files_that_did_not_change(world: Deployment) -> None:
    say(world, POLICIES.replace("QUEUE", "before"))
    world.write("one.py", dag_file("one"))
    processor = world.processor()
    work_until_idle(processor)

    say(world, POLICIES.replace("QUEUE", "afterwards"))
    look_and_work(processor)

    assert [task.queue for task in world.dag("one").tasks] == ["afterwards"]


def test_a_policy_says_how_long_a_file_may_take(world: Deployment) -> None:
    say(world, "def get_dagbag_import_timeout(dag_file_path):\n    return 0.05 if 'slow' in dag_file_path else 30\n")
    world.write("slow.py", "import time\ntime.sleep(20)\n" + dag_file("slow"))
    world.write("quick.py", dag_file("quick"))

    work_until_idle(world.processor())

    assert world.active() == ["quick"]
    assert "0.05" in world.errors()["slow.py"]
