"""What tasks leave behind and find: XComs, environments, folders, other Pythons (D2, D3)."""

import sys
from pathlib import Path

import pytest

from tests.acceptance.conftest import Runs
from tests.acceptance.deployment import Deployment

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)


@pytest.mark.parametrize(
    ("task_id", "value"),
    [
        ("last_line", "last"),
        ("no_output", ""),
        ("first_failure", "goes on"),
        ("only_this", "no home given"),
        ("and_this", "home given"),
        ("of_the_task", "shell of_the_task"),
        ("cwd", "/usr"),
        ("latin_1", "café"),
        ("template", "shell param"),
        ("error_stream", "to the error stream"),
        ("processed", 17),
        ("decorated", "from a function"),
    ],
)
def test_a_command_leaves_its_last_line(runs: Runs, task_id: str, value: object) -> None:
    """D2: the last line is the XCom; environment, cwd and encoding are as the task says."""
    assert runs["shell"].value(task_id) == value


@pytest.mark.parametrize("task_id", ["not_pushed", "exit_99", "exit_1", "no_such_cwd"])
def test_a_command_that_pushes_nothing_leaves_nothing(runs: Runs, task_id: str) -> None:
    shell = runs["shell"]

    assert shell.tasks[task_id].try_number == 1
    assert [key for key in shell.values if key[0] == task_id] == []


def test_mapped_tasks_get_their_element_and_leave_a_list(runs: Runs) -> None:
    """D3: expand, expand_kwargs, zip, map, partial, product."""
    mapped = runs["mapped"]

    assert mapped.value("total") == 12
    assert [mapped.value("product", map_index=index) for index in range(6)] == [11, 21, 31, 12, 22, 32]
    assert [mapped.value("zipped", map_index=index) for index in range(4)] == [0, 2, 4, 6]
    assert [mapped.value("partly", map_index=index) for index in range(4)] == [100, 101, 102, 103]
    assert [mapped.value("commands", map_index=index) for index in range(2)] == ["one", "two"]


def test_what_follows_mapped_tasks_gets_the_values_that_there_are(runs: Runs) -> None:
    assert runs["mapped_and_skipping"].value("with_all_done") == 2
    assert runs["mapped_over_nothing"].value("with_all_done") == 0
    assert runs["mapped_groups"].value("with_all_done") == 4


def test_a_triggered_dag_gets_its_conf(runs: Runs, deployment: Deployment) -> None:
    """D2: with and without waiting for its end."""
    assert runs["trigger_and_leave"].state == "success"
    left = deployment.find("target", "left_asked_0")
    assert left is not None
    assert deployment.ended(left).value("read") == "trigger_and_leave"

    waited = deployment.find("target", str(runs["trigger_and_wait"].value("after")))
    assert waited is not None
    ended = deployment.seen(waited)
    assert (ended.state, ended.value("read")) == ("success", "waited")


def test_what_a_sensor_found_is_passed_on(runs: Runs) -> None:
    assert runs["pokes"].value("take") == "what was found"


def test_functions_run_in_environments_that_are_built_and_kept(runs: Runs, deployment: Deployment) -> None:
    """D2: a cached environment is built once; one that is not cached is gone afterwards."""
    elsewhere = runs["elsewhere"]

    version, fresh = _pair(elsewhere.value("fresh"))
    assert version == "1.0"
    assert not Path(fresh).exists()
    assert elsewhere.value("cached") == elsewhere.value("cached_again")
    _, cached = _pair(elsewhere.value("cached"))
    assert Path(cached).is_relative_to(deployment.notes / "cache")
    assert [each.name for each in (deployment.notes / "cache").iterdir() if each.is_dir()] == [Path(cached).name]
    assert elsewhere.value("other_python") == 42
    assert Path(sys.prefix) != Path(cached)


def _pair(value: object) -> tuple[str, str]:
    assert isinstance(value, list)
    first, second = value
    return str(first), str(second)
