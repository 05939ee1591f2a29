"""`[core] executor`: Airflow's grammar, and refusals that say what is possible (E1)."""

from pathlib import Path

import pytest

from tradewind.errors import SettingsError
from tradewind.executors.context import ExecutorContext
from tradewind.executors.instant import InstantExecutor
from tradewind.executors.interface import Executor
from tradewind.executors.local import LocalExecutor, SequentialExecutor
from tradewind.executors.registry import ExecutorEntry, make_executor, most_at_once, read_executors
from tradewind.runtime.clock import SystemClock
from tradewind.settings import CoreSettings, load_settings
from tradewind.telemetry.hub import Hub


def own_executor(context: ExecutorContext) -> Executor:
    """Stands for a class of somebody's own."""
    return InstantExecutor(context.clock.now, name=context.name)


NO_CLASS = "a text"
OWN = f"{__name__}.own_executor"


def made(entry: ExecutorEntry, home: Path) -> Executor:
    settings = load_settings({"TRADEWIND_HOME": str(home)})
    return make_executor(entry, ExecutorContext(entry.name, settings, SystemClock(), Hub(), lambda name: None))


def test_the_default_is_airflows(tmp_path: Path) -> None:
    assert load_settings({"TRADEWIND_HOME": str(tmp_path)}).core.executor == "LocalExecutor"


@pytest.mark.parametrize(
    ("text", "names", "kinds"),
    [
        ("LocalExecutor", ["LocalExecutor"], [LocalExecutor]),
        ("SequentialExecutor", ["SequentialExecutor"], [SequentialExecutor]),
        ("airflow.executors.local_executor.LocalExecutor", ["LocalExecutor"], [LocalExecutor]),
        ("slow:SequentialExecutor , LocalExecutor", ["slow", "LocalExecutor"], [SequentialExecutor, LocalExecutor]),
        (f"LocalExecutor,own:{OWN}", ["LocalExecutor", "own"], [LocalExecutor, InstantExecutor]),
        ("one:LocalExecutor,two:LocalExecutor", ["one", "two"], [LocalExecutor, LocalExecutor]),
    ],
)
def test_executors_come_in_the_order_in_which_they_are_named(
    tmp_path: Path, text: str, names: list[str], kinds: list[type]
) -> None:
    executors = [made(entry, tmp_path) for entry in read_executors(text).entries]

    assert [executor.name for executor in executors] == names
    assert [type(executor) for executor in executors] == kinds


@pytest.mark.parametrize("word", ["quick", "LocalExecutor", "airflow.executors.local_executor.LocalExecutor"])
def test_a_task_may_call_an_executor_by_alias_class_or_path(word: str) -> None:
    names = read_executors("SequentialExecutor,quick:LocalExecutor")

    found = names.find(word)

    assert found is not None
    assert found.name == "quick"
    assert names.find("CeleryExecutor") is None


def test_a_name_means_its_own_entry_and_a_class_the_first_of_its_kind() -> None:
    names = read_executors("a:LocalExecutor,b:LocalExecutor,SequentialExecutor,LocalExecutor")

    words = names.words()
    assert (words["a"], words["b"], words["LocalExecutor"]) == ("a", "b", "LocalExecutor")
    assert words["airflow.executors.local_executor.LocalExecutor"] == "a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CeleryExecutor", "CeleryExecutor: it comes with the extra celery, which is not available yet"),
        (
            "airflow.providers.cncf.kubernetes.executors.kubernetes_executor.KubernetesExecutor",
            "it comes with the extra kubernetes, which is not available yet",
        ),
        ("EdgeExecutor", "it comes with the extra edge, which is not available yet"),
        ("DebugExecutor", "call dag.test()"),
        ("LocalKubernetesExecutor", "name both executors"),
        ("LokalExecutor", "LokalExecutor: there is no such executor here"),
        ("", "'' is neither a name, nor a path, nor alias:path"),
        ("LocalExecutor,", "'' is neither"),
        ("a:b:LocalExecutor", "'a:b:LocalExecutor' is neither"),
        (":LocalExecutor", "':LocalExecutor' is neither"),
        ("../up:LocalExecutor", "'../up:LocalExecutor' is neither"),
        ("LocalExecutor,airflow.executors.local_executor.LocalExecutor", "LocalExecutor is named twice; an alias"),
        ("LocalExecutor;team_a=LocalExecutor", "executors of teams are not available yet"),
    ],
)
def test_what_cannot_be_had_is_refused_with_what_can(text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        read_executors(text)

    assert expected in str(refusal.value)
    assert "possible are LocalExecutor, SequentialExecutor, the dotted path of a class" in str(refusal.value)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("nowhere.at.All", "nowhere.at.All, which cannot be loaded: No module named 'nowhere'"),
        (f"{__name__}.Missing", "which cannot be loaded"),
        (f"{__name__}.NO_CLASS", "which is no class"),
    ],
)
def test_a_class_that_cannot_be_loaded_is_named(tmp_path: Path, path: str, expected: str) -> None:
    (entry,) = read_executors(path).entries

    with pytest.raises(SettingsError, match=expected.replace(".", r"\.")):
        made(entry, tmp_path)


def test_one_attempt_at_a_time_where_that_is_asked_for() -> None:
    sequential, local = read_executors("s:SequentialExecutor,l:LocalExecutor").entries
    core = CoreSettings(parallelism=7)

    assert (most_at_once(sequential, core), most_at_once(local, core)) == (1, 7)
