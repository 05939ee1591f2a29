"""Finding plugins, in the plugins folder and in installed packages, and taking what running tasks need of them.

That is their listeners and their macros (`{{ macros.my_plugin.my_function() }}`). Where tasks run this is called once,
before the DAG file is imported.
"""

import importlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from tradewind.compat.adapters.dag_files import list_py_file_paths
from tradewind.compat.adapters.listeners import get_listener_manager
from tradewind.compat.adapters.plugins import AirflowPlugin
from tradewind.sdk.entry_points import entry_points_with_dist

log = logging.getLogger(__name__)

GROUP: Final = "airflow.plugins"
_MACROS: Final = "tradewind.sdk.macros"


def prepare() -> None:
    """Look through the metadata of all packages now, before the process forks, so that no fork has to."""
    _ = list(entry_points_with_dist(GROUP))


def load_plugins(folder: str | None = None) -> list[type[AirflowPlugin]]:
    """Load all plugins, those of packages first. One that is broken is told in the log, and left out."""
    loaded: dict[str, type[AirflowPlugin]] = {}
    for plugin in (*_of_packages(), *_of_folder(folder)):
        try:
            plugin.validate()
            if str(plugin.name) in loaded:
                continue
            plugin.on_load()
            _take(plugin)
        except Exception:
            log.exception("The plugin %s cannot be loaded", plugin.__name__)
        else:
            loaded[str(plugin.name)] = plugin
    return list(loaded.values())


def _take(plugin: type[AirflowPlugin]) -> None:
    for listener in plugin.listeners:
        get_listener_manager().add_listener(listener)
    if plugin.macros:
        macros = ModuleType(f"{_MACROS}.{plugin.name}")
        vars(macros).update({macro.__name__: macro for macro in plugin.macros})
        setattr(importlib.import_module(_MACROS), str(plugin.name), macros)


def _of_packages() -> Iterator[type[AirflowPlugin]]:
    for entry_point, _ in entry_points_with_dist(GROUP):
        try:
            plugin: Any = entry_point.load()
        except Exception:
            log.exception("The plugin %s of an installed package cannot be loaded", entry_point.value)
            continue
        if _is_plugin(plugin):
            yield plugin


def _of_folder(folder: str | None) -> Iterator[type[AirflowPlugin]]:
    if not folder or not Path(folder).is_dir():
        return
    if folder not in sys.path:
        sys.path.append(folder)
    paths = [path for path in list_py_file_paths(folder, safe_mode=False) if path.endswith(".py")]
    for path in sorted(paths):
        name = ".".join(Path(path).relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
        try:
            module = importlib.import_module(name)
        except Exception:
            log.exception("The plugin file %s cannot be imported", path)
            continue
        # Those that it only imports are found where they are made.
        yield from (value for value in vars(module).values() if _is_plugin(value) and value.__module__ == name)


def _is_plugin(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, AirflowPlugin) and value is not AirflowPlugin
