"""Finding the class of a trigger: in an installed package, or in the files of its DAG's bundle.

A process that lives long meets several states of the same files. Each state is a generation: a file that changed begins
a new one, whose modules are imported anew; triggers that run keep the classes that they have. Bundles, and versions of
them, have generations of their own, so modules of the same name do not meet.
"""

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from tradewind.dag_files.fingerprint import Signature, hash_bytes, signature_of
from tradewind.dag_files.load import LocalImports, module_name, run_module
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.module_loading import import_string
from tradewind.triggerer.protocol import Code


class _Generation:
    """One state of an author's files, as far as they were imported."""

    def __init__(self) -> None:
        self.classes: dict[tuple[str, str], Any] = {}
        self.modules: dict[str, ModuleType] = {}
        self.files: dict[str, Signature | None] = {}

    def has_changed(self) -> bool:
        """Whether a file that was imported is not as it was."""
        return any(_signature(path) != signature for path, signature in self.files.items())


class TriggerClasses:
    """All classes that were asked for."""

    def __init__(self) -> None:
        self._imports = LocalImports(())
        self._imports.install()
        self._generations: dict[tuple[str, str], _Generation] = {}
        self._entered: _Generation | None = None

    def find(self, class_path: str, code: Code | None) -> Any:
        """The class, as its files say now.

        Raises:
            ImportError: there is none of that name, or whatever the author's modules raise.
        """
        if code is None:
            return import_string(class_path)
        roots = (code.root, code.plugins)
        generation = self._generations.get(roots)
        if generation is None or generation.has_changed():
            generation = self._generations[roots] = _Generation()
        key = (class_path, code.path)
        if key not in generation.classes:
            with self._inside(generation, roots):
                generation.classes[key] = self._load(class_path, code)
        return generation.classes[key]

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
            generation.files |= {path: _signature(path) for path in self._imports.files}
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
