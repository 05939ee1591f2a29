"""Loading the DAG files of a folder into a test, and telling which of them are broken."""

import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from tradewind.dag_files.load import module_name
from tradewind.dag_processor.compile import compile_dag
from tradewind.dag_processor.discover import Discovery
from tradewind.dag_processor.heuristic import might_contain_dag
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.dags import DAG


class BrokenDagFiles(AssertionError):
    """Some files cannot be read; the message has the traceback of each."""


@dataclass
class LoadedDags(Mapping[str, DAG]):
    """The DAGs of a folder by id, and what is wrong with its files."""

    folder: Path
    dags: dict[str, DAG] = field(default_factory=dict)
    import_errors: dict[str, str] = field(default_factory=dict)
    """By path, as seen from the folder: the traceback."""

    def __getitem__(self, dag_id: str) -> DAG:
        if dag_id not in self.dags:
            raise KeyError(f"the files in {self.folder} have no DAG {dag_id!r}, only {sorted(self.dags)}")
        return self.dags[dag_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.dags)

    def __len__(self) -> int:
        return len(self.dags)

    def check(self) -> "LoadedDags":
        """Itself, if all files could be read; otherwise an `AssertionError` that says what is wrong with which."""
        if self.import_errors:
            told = [f"--- {path}\n{text}" for path, text in self.import_errors.items()]
            raise BrokenDagFiles("\n".join([f"{len(told)} DAG files in {self.folder} cannot be read", *told]))
        return self


def load_dags(folder: str | Path, *, safe_mode: bool = True) -> LoadedDags:
    """Read all DAG files of a folder, as the DAG processor would, but in this process.

    Files that `.airflowignore` names are left out, and with `safe_mode` those that do not look like DAG files. Each DAG
    is also compiled, so that what the scheduler could not read counts as an error of its file.
    """
    loaded = LoadedDags(Path(folder).resolve())
    discovery = Discovery(loaded.folder)
    with _importable(loaded.folder):
        for path in discovery.find(0):
            file = loaded.folder / path
            if file.suffix == ".py" and (not safe_mode or might_contain_dag(file.read_bytes())):
                _load_file(loaded, path)
    loaded.import_errors.update(discovery.problems)
    return loaded


def load_dag_file(folder: str | Path, path: str) -> LoadedDags:
    """Read one DAG file, which may import what lies in the folder, in this process."""
    loaded = LoadedDags(Path(folder).resolve())
    sys.path.insert(0, str(loaded.folder))  # tasks import when they run, too
    _load_file(loaded, path)
    return loaded


def _load_file(loaded: LoadedDags, path: str) -> None:
    try:
        with collecting_dags() as registered:
            module = _run(loaded.folder, path)
        for dag in _dags_of(module, registered):
            compile_dag(dag)
            if dag.dag_id in loaded.dags:
                raise ValueError(f"another file, {loaded.dags[dag.dag_id].fileloc}, has a DAG {dag.dag_id!r} too")
            dag.relative_fileloc = path
            loaded.dags[dag.dag_id] = dag
    except (Exception, SystemExit):  # whatever an author's file raises is what is wrong with it
        loaded.import_errors[path] = traceback.format_exc()


def _run(folder: Path, path: str) -> Any:
    name = module_name(str(folder), path)
    spec = spec_from_file_location(name, folder / path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _dags_of(module: Any, registered: list[DAG]) -> list[DAG]:
    """Those that registered themselves, and those that a name of the module leads to."""
    named = [value for value in vars(module).values() if isinstance(value, DAG)]
    return list({id(dag): dag for dag in [*registered, *named]}.values())


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """DAG files import modules that stand beside them."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
