"""Importing the file of an attempt's DAG, and knowing whether what was imported is still what lies on disk."""

import os
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISSOCK
from types import ModuleType
from typing import Final, cast

from tradewind.compat.adapters.listeners import ListenerManager, get_listener_manager
from tradewind.compat.cluster_policies import passes, policy_folder
from tradewind.compat.plugin_loading import load_plugins
from tradewind.dag_files.fingerprint import Signature, signature_of
from tradewind.dag_files.load import LocalImports, members_of, module_name, run_module
from tradewind.dag_files.observe import Observer
from tradewind.sdk.configuration import conf
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.dags import DAG
from tradewind.sdk.environment_runtime import EnvironmentRuntime
from tradewind.sdk.runtime import Runtime, set_process_runtime
from tradewind.sdk.standard.python import is_async_callable
from tradewind.sdk.taskflow import call_parameters
from tradewind.worker.protocol import DagFile
from tradewind.worker.task_life.allowed_classes import allow_declared_classes

_ABSENT: Final = Signature(0, 0, 0)


@dataclass(slots=True)
class ImportedFile:
    """What a DAG file said when it was imported."""

    file: DagFile
    dags: dict[str, DAG] = field(default_factory=dict)
    error: str = ""
    """The traceback, if it could not be imported."""
    listeners: ListenerManager | None = None
    """Who wants to hear of its tasks, if anybody does."""
    clears_state: bool = False
    """See `TaskLife`."""
    why_alone: str = ""
    """Why children must not be forked from it."""
    _touched: list[tuple[str, Signature]] = field(default_factory=list)

    def has_changed(self) -> bool:
        """Whether a file that the import touched is not as it was."""
        return any(_signature(path) != signature for path, signature in self._touched)

    def watch(self, paths: Mapping[str, object]) -> None:
        """Remember the state of these."""
        self._touched = [(path, _signature(path)) for path in paths]


def import_file(file: DagFile, runtime: Runtime | None = None) -> ImportedFile:
    """Import the file in this process, which is used up thereby: nothing is taken back.

    With a runtime, the file gets its variables and connections there. Without one it gets none, and must be imported by
    each child alone if it wants any.
    """
    imported = ImportedFile(file)
    roots = tuple(root.rstrip("/") for root in (file.root, file.plugins, policy_folder()) if root)
    imports, observer = LocalImports(roots), Observer(roots)
    asked = _Asked()
    set_process_runtime(runtime or cast("Runtime", asked))
    imports.install()
    observer.install()
    before = _signature(f"{file.root}/{file.path}")
    try:
        load_plugins(file.plugins)
        with collecting_dags() as registered:
            modules = list(_run(file))
        named = (value for module in modules for value in vars(module).values() if isinstance(value, DAG))
        found = {dag.dag_id: dag for dag in (*registered, *named)}
        imported.dags = {dag_id: dag for dag_id, dag in found.items() if passes(dag)}
    except BaseException as error:  # whatever an author's file raises
        imported.error = "".join(traceback.format_exception(error))
    observer.stop()
    _prepare(imported.dags.values())
    imported.clears_state = conf.getboolean("state_store", "clear_on_success", fallback=False)
    manager = get_listener_manager()
    imported.listeners = manager if manager.has_listeners else None
    touched = {**imports.files, **observer.paths}
    imported.watch(touched)
    imported._touched.append((f"{file.root}/{file.path}", before))  # noqa: SLF001 - still making it
    imported.why_alone = asked.why or _why_unsafe(observer)
    if asked.why:
        imported.error = ""  # it may be that it lacks what only a child can ask for
    return imported


def _prepare(dags: Iterable[DAG]) -> None:
    """Do here what would otherwise be done in every child: it depends on the DAG alone."""
    for dag in dags:
        allow_declared_classes(dag)
        for task in dag.tasks:
            function = getattr(task, "python_callable", None)
            if function is not None:
                with suppress(Exception):  # then the task meets it
                    call_parameters(function)
                    is_async_callable(function)


def _run(file: DagFile) -> Iterator[ModuleType]:
    path = Path(file.root, file.path)
    if path.suffix == ".zip":
        sys.path.insert(0, str(path))
    for name, content in members_of(path, _content(path, file)):
        module = module_name(file.bundle, name.removeprefix(f"{file.root}/"))
        yield run_module(module, name, compile(content, name, "exec", dont_inherit=True))


def _content(path: Path, file: DagFile) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{file.path} is not in {file.root}: does [core] dags_folder say to this worker what it says to the DAG"
            " processor?"
        ) from None


class _Asked(EnvironmentRuntime):
    """Notes that the file asks for something while it is imported, which may be another thing next time."""

    def __init__(self) -> None:
        super().__init__({})
        self.why = ""

    def get_variable(self, key: str) -> str | None:
        self._note(f"asks for variable {key!r}")
        return None

    def get_connection(self, conn_id: str) -> None:
        self._note(f"asks for connection {conn_id!r}")

    def get_variable_keys(self, prefix: str | None = None) -> list[str]:
        self._note("asks for variables")
        return []

    def _note(self, what: str) -> None:
        self.why = self.why or f"it {what} while it is imported"


def _why_unsafe(observer: Observer) -> str:
    """Why a copy of this process would not be as good as a new one."""
    for contact in observer.contacts:
        return f"it {contact.what} while it is imported"
    if threading.active_count() > 1 or _kernel_threads() > 1:
        return "its import has started threads"
    if _open_sockets() > 1:  # one is ours
        return "its import has opened sockets"
    return ""


def _kernel_threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208
    except OSError:
        return 1


def _open_sockets() -> int:
    found = 0
    with suppress(OSError):
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
            with suppress(OSError):  # that of the listing itself
                found += S_ISSOCK(os.fstat(int(name)).st_mode)
    return found


def _signature(path: str) -> Signature:
    try:
        return signature_of(os.stat(path))  # noqa: PTH116 - called for each file before each fork
    except OSError:
        return _ABSENT
