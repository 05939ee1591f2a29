"""Which executors there are: the words of `[core] executor`, and who they mean.

The grammar is Airflow's: names with commas between them, the first being the default. A name is that of an executor
that comes with Tradewind, the dotted path of a class, or `alias:` and one of both.
"""

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tradewind.errors import SettingsError
from tradewind.executors.context import ExecutorContext
from tradewind.executors.interface import Executor
from tradewind.executors.local import LocalExecutor, SequentialExecutor
from tradewind.settings import CoreSettings

_LOCAL: Final = "LocalExecutor"
_SEQUENTIAL: Final = "SequentialExecutor"
_BUILT_IN: Final[dict[str, Callable[[ExecutorContext], Executor]]] = {
    _LOCAL: LocalExecutor,
    _SEQUENTIAL: SequentialExecutor,
}
_AIRFLOW_PATHS: Final = {
    "airflow.executors.local_executor.LocalExecutor": _LOCAL,
    "airflow.executors.sequential_executor.SequentialExecutor": _SEQUENTIAL,
}
_UNAVAILABLE: Final = {
    "CeleryExecutor": "it comes with the extra celery, which is not available yet",
    "KubernetesExecutor": "it comes with the extra kubernetes, which is not available yet",
    "EdgeExecutor": "it comes with the extra edge, which is not available yet",
    "DebugExecutor": "call dag.test() to run a DAG in one process",
    "LocalKubernetesExecutor": "name both executors, with a comma between them",
    "CeleryKubernetesExecutor": "name both executors, with a comma between them",
}
_PATH: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_ALIAS: Final = re.compile(r"\w[\w.-]*")
"""Also the name of a folder."""


@dataclass(frozen=True, slots=True)
class ExecutorEntry:
    """One executor of the configuration."""

    name: str
    """What it is called everywhere inside."""
    path: str
    """A name of `_BUILT_IN`, or the dotted path of a class."""
    words: frozenset[str]
    """What tasks may call it in `executor=`: its alias, its class, its whole path."""


class ExecutorNames:
    """The executors of one configuration, in order."""

    def __init__(self, entries: Sequence[ExecutorEntry]) -> None:
        self.entries = tuple(entries)

    def find(self, word: str) -> ExecutorEntry | None:
        """Whom a task, or a person, means by this word."""
        name = self.words().get(word)
        return next((entry for entry in self.entries if entry.name == name), None)

    def words(self) -> dict[str, str]:
        """The name for each word that a task may use. An entry's own name goes before what others might be called."""
        every = {word: entry.name for entry in reversed(self.entries) for word in entry.words}
        return every | {entry.name: entry.name for entry in self.entries}


def read_executors(text: str) -> ExecutorNames:
    """The entries of `[core] executor`.

    Raises:
        SettingsError: it cannot be understood, or names an executor that there is not; the message says what is
            possible.
    """
    if ";" in text or "=" in text:
        raise _refusal(text, "executors of teams are not available yet")
    entries = [_read_entry(text, word.strip()) for word in text.split(",")]
    names = [entry.name for entry in entries]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _refusal(text, f"{twice} is named twice; an alias (alias:{twice}) tells them apart")
    return ExecutorNames(entries)


def make_executor(entry: ExecutorEntry, context: ExecutorContext) -> Executor:
    """The executor itself.

    Raises:
        SettingsError: there is no such class, or it cannot be made.
    """
    made = _BUILT_IN[entry.path] if entry.path in _BUILT_IN else _load(entry.path)
    executor: Executor = made(context)
    return executor


def has_worker(entry: ExecutorEntry) -> bool:
    """Whether its attempts are run by a supervisor of this machine."""
    return entry.path in _BUILT_IN


def most_at_once(entry: ExecutorEntry, core: CoreSettings) -> int:
    """How many attempts a supervisor of this executor runs at the same time."""
    return 1 if entry.path == _SEQUENTIAL else core.parallelism


def _read_entry(text: str, word: str) -> ExecutorEntry:
    alias, _, path = word.rpartition(":")
    if not _PATH.fullmatch(path) or (":" in word and not _ALIAS.fullmatch(alias)):
        raise _refusal(text, f"{word!r} is neither a name, nor a path, nor alias:path")
    path = _AIRFLOW_PATHS.get(path, path)
    class_name = path.rpartition(".")[2]
    is_airflows = "." not in path or path.startswith("airflow.")
    if path not in _BUILT_IN and is_airflows:
        reason = _UNAVAILABLE.get(class_name, "there is no such executor here; executors of Airflow itself do not run")
        raise _refusal(text, f"{path}: {reason}")
    name = alias or class_name
    airflows = (airflow_path for airflow_path, built_in in _AIRFLOW_PATHS.items() if built_in == path)
    return ExecutorEntry(name, path, frozenset({name, path, class_name, *airflows}))


def _load(path: str) -> Callable[[ExecutorContext], Executor]:
    module_name, _, class_name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError) as error:
        raise SettingsError(f"[core] executor names {path}, which cannot be loaded: {error}") from error
    if not callable(found):
        raise SettingsError(f"[core] executor names {path}, which is no class")
    made: Callable[[ExecutorContext], Executor] = found
    return made


def _refusal(text: str, reason: str) -> SettingsError:
    possible = f"{', '.join(_BUILT_IN)}, the dotted path of a class, alias:path, or several with commas between them"
    return SettingsError(f"[core] executor is {text!r}: {reason}; possible are {possible}")
