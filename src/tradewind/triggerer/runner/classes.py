"""Finding the class of a trigger, in an installed package or in the files of its DAG's bundle, and the DAG itself.

A process that lives long meets several states of the same files. Each state is a generation: a file that changed begins
a new one, whose modules are imported anew; triggers that run keep the classes that they have. Bundles, and versions of
them, have generations of their own, so modules of the same name do not meet.
"""

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tradewind.compat.adapters.listeners import get_listener_manager
from tradewind.compat.plugin_loading import load_plugins
from tradewind.dag_files.fingerprint import ABSENT, Signature, hash_bytes, signature_of
from tradewind.dag_files.load import LocalImports, members_of, module_name, run_module
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.dags import DAG
from tradewind.sdk.module_loading import import_string
from tradewind.triggerer.protocol import Code


class _Imported(NamedTuple):
    """A file as it was when it was imported."""

    signature: Signature | None
    """None: it was not there, or is another already."""
    content: str
    """Its hash, or `ABSENT`."""


class _Generation:
    """One state of an author's files, as far as they were imported."""

    def __init__(self) -> None:
        self.classes: dict[tuple[str, str], Any] = {}
        self.modules: dict[str, ModuleType] = {}
        self.files: dict[str, _Imported] = {}
        self.dags: dict[str, dict[str, DAG] | Exception] = {}
        """By DAG file; or why it cannot be imported."""

    def note(self, files: Mapping[str, str]) -> None:
        """These were imported, with contents of these hashes; or looked for in vain."""
        for path, content in files.items():
            signature = _signature(path)
            # Who saved it a moment ago was faster than this: then the signature is that of another content.
            self.files[path] = _Imported(signature if _content(path) == content else None, content)

    def has_changed(self) -> bool:
        """Whether a file that was imported is not as it was.

        One that was only written anew is: who checks out a branch and comes back, or copies a folder again, must not
        have everything imported and every watcher started once more.
        """
        for path, imported in self.files.items():
            signature = _signature(path)
            if signature == imported.signature:
                continue
            if _content(path) != imported.content:
                return True
            self.files[path] = _Imported(signature, imported.content)
        return False


class TriggerClasses:
    """All classes that were asked for."""

    def __init__(self) -> None:
        self._imports = LocalImports(())
        self._imports.install()
        self._generations: dict[tuple[str, str], _Generation] = {}
        self._entered: _Generation | None = None
        self._plugins: set[str] = set()
        """Folders of plugins that were loaded."""

    def find(self, class_path: str, code: Code | None) -> Any:
        """The class, as its files say now.

        Raises:
            ImportError: there is none of that name, or whatever the author's modules raise.
        """
        if code is None:
            return import_string(class_path)
        generation = self._generation(code)
        key = (class_path, code.path)
        if key not in generation.classes:
            with self._inside(generation, (code.root, code.plugins)):
                generation.classes[key] = self._load(class_path, code)
        return generation.classes[key]

    def dags(self, code: Code) -> Mapping[str, DAG]:
        """The DAGs of its DAG file, as that says now.

        Raises:
            ImportError: it cannot be imported; the cause is what it raised.
        """
        generation = self._generation(code)
        if code.path not in generation.dags:
            with self._inside(generation, (code.root, code.plugins)):
                try:
                    generation.dags[code.path] = self._load_dags(code)
                except Exception as error:  # thousands of tasks may ask, and the file may take long to fail
                    generation.dags[code.path] = error
        found = generation.dags[code.path]
        if isinstance(found, Exception):
            raise ImportError(f"the DAG file {code.path} cannot be imported") from found  # noqa: TRY004 - not its type is wrong
        return found

    def are_tasks_listened_to(self, code: Code | None) -> bool:
        """Whether a plugin has listeners. Loads the plugins, if nobody has yet."""
        if code is not None and code.plugins not in self._plugins:
            with self._inside(self._generation(code), (code.root, code.plugins)):
                self._load_plugins(code.plugins)
        return get_listener_manager().has_listeners

    def _generation(self, code: Code) -> _Generation:
        roots = (code.root, code.plugins)
        generation = self._generations.get(roots)
        if generation is None or generation.has_changed():
            generation = self._generations[roots] = _Generation()
        return generation

    @contextmanager
    def _inside(self, generation: _Generation, roots: tuple[str, str]) -> Iterator[None]:
        """Imports find the modules of this generation, and of no other. They stay until another one is entered:
        a trigger may import something while it runs."""
        if self._entered is not generation:
            self._leave()
            self._imports.roots = tuple(dict.fromkeys((*self._imports.roots, *filter(None, roots))))
            sys.path[:] = [*(path for path in sys.path if path not in self._imports.roots), *filter(None, roots)]
            importlib.invalidate_caches()
            sys.modules.update(generation.modules)
            self._entered = generation
        self._imports.files.clear()
        try:
            yield
        finally:
            # Also after an import that failed: another state of the files may do better.
            generation.note(self._imports.files)
            generation.modules = {name: sys.modules[name] for name in self._local_modules()}

    def _load(self, class_path: str, code: Code) -> Any:
        module = module_name(code.bundle, code.path)
        if class_path.startswith(f"{module}.") and module not in sys.modules:
            file = f"{code.root}/{code.path}"
            content = Path(file).read_bytes()
            self._imports.files[file] = hash_bytes(content)
            with collecting_dags():
                run_module(module, file, compile(content, file, "exec", dont_inherit=True))
        return import_string(class_path)

    def _load_dags(self, code: Code) -> dict[str, DAG]:
        self._load_plugins(code.plugins)
        path = Path(code.root, code.path)
        content = path.read_bytes()
        self._imports.files[str(path)] = hash_bytes(content)
        if path.suffix == ".zip" and str(path) not in sys.path:
            sys.path.insert(0, str(path))
        with collecting_dags() as registered:
            modules = [
                run_module(
                    module_name(code.bundle, name.removeprefix(f"{code.root}/")),
                    name,
                    compile(text, name, "exec", dont_inherit=True),
                )
                for name, text in members_of(path, content)
            ]
        named = (value for module in modules for value in vars(module).values() if isinstance(value, DAG))
        return {dag.dag_id: dag for dag in (*registered, *named)}

    def _load_plugins(self, folder: str) -> None:
        if folder not in self._plugins:
            self._plugins.add(folder)
            load_plugins(folder)

    def _leave(self) -> None:
        for name in self._local_modules():
            del sys.modules[name]

    def _local_modules(self) -> list[str]:
        return [name for name in list(sys.modules) if self._imports.has(name)]


def _signature(path: str) -> Signature | None:
    try:
        return signature_of(os.stat(path))  # noqa: PTH116 - called for each file whenever a trigger starts
    except OSError:
        return None


def _content(path: str) -> str:
    """The hash of the file, however large it is."""
    try:
        return hash_bytes(Path(path).read_bytes())
    except OSError:
        return ABSENT
