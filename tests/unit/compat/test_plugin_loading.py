"""Plugins of the plugins folder and of packages: their listeners and macros (D2, Airflow's extension points)."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tradewind.compat import plugin_loading
from tradewind.compat.adapters.listeners import get_listener_manager
from tradewind.compat.plugin_loading import load_plugins
from tradewind.sdk import macros

PLUGIN = """
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

class Listener:
    heard = []

    @hookimpl
    def on_task_instance_success(self, task_instance):
        self.heard.append(task_instance)

def shout(text):
    return text.upper()

class Mine(AirflowPlugin):
    name = "mine"
    listeners = [Listener()]
    macros = [shout]
    loads = []

    @classmethod
    def on_load(cls, *args, **kwargs):
        cls.loads.append(1)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A plugins folder; nothing of it is left in the process afterwards."""
    modules, path, names = set(sys.modules), list(sys.path), set(vars(macros))
    yield tmp_path
    get_listener_manager().clear()
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
    for name in set(vars(macros)) - names:
        delattr(macros, name)


def test_a_plugin_of_the_folder_brings_listeners_and_macros(folder: Path) -> None:
    (folder / "below").mkdir()
    (folder / "below" / "my_plugin.py").write_text(PLUGIN)
    (folder / "uses_it.py").write_text("from below.my_plugin import Mine")

    (plugin,) = load_plugins(str(folder))

    manager: Any = get_listener_manager()
    manager.hook.on_task_instance_success(previous_state=None, task_instance="the task")
    found: Any = plugin
    assert (found.name, found.loads, found.listeners[0].heard) == ("mine", [1], ["the task"])
    assert vars(macros)["mine"].shout("hey") == "HEY"


def test_a_broken_plugin_is_told_and_left_out(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "a_broken.py").write_text("import nothing_like_that")
    (folder / "b_nameless.py").write_text(
        "from airflow.plugins_manager import AirflowPlugin\nclass Nameless(AirflowPlugin): pass"
    )
    (folder / "c_good.py").write_text(PLUGIN)

    with caplog.at_level(logging.ERROR):
        loaded = load_plugins(str(folder))

    assert [plugin.name for plugin in loaded] == ["mine"]
    assert "a_broken.py cannot be imported" in caplog.text
    assert "The plugin Nameless cannot be loaded" in caplog.text


def test_ignored_files_are_no_plugins(folder: Path) -> None:
    (folder / "my_plugin.py").write_text(PLUGIN)
    (folder / ".airflowignore").write_text("my_*\n")

    assert load_plugins(str(folder)) == []


def test_there_need_not_be_a_folder(tmp_path: Path) -> None:
    assert load_plugins(str(tmp_path / "none")) == load_plugins(None) == []


def test_a_package_may_bring_a_plugin_which_wins_over_one_of_the_same_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "installed.py").write_text(PLUGIN)
    (folder / "mine").mkdir()
    (folder / "mine" / "my_plugin.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(plugin_loading, "entry_points_with_dist", lambda _: iter([(_entry_point(), None)]))

    (plugin,) = load_plugins(str(folder / "mine"))

    assert plugin.__module__ == "installed"


def _entry_point() -> Any:
    return sys.modules["importlib.metadata"].EntryPoint("mine", "installed:Mine", plugin_loading.GROUP)
