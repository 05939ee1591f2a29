"""`DagBag`: import DAG files in this process and see what they define. People's tests of DAG files are built on it.

The DAG processor does not use it: there each file is imported in a process of its own, with limits.
"""

import importlib.util
import os
import sys
import traceback
import zipimport
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any, NamedTuple

from tradewind.compat.adapters.dag_files import get_unique_dag_module_name, list_py_file_paths
from tradewind.sdk.configuration import conf
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.dags import DAG
from tradewind.sdk.log import LoggingMixin
from tradewind.sdk.notset import NOTSET
from tradewind.sdk.server_exceptions import AirflowDagDuplicatedIdException


class FileLoadStat(NamedTuple):
    """What importing one file brought, and how long it took."""

    file: str
    duration: timedelta
    dag_num: int
    task_num: int
    dags: str
    warning_num: int = 0
    bundle_path: Path | None = None
    bundle_name: str | None = None


class DagBag(LoggingMixin):
    """The DAGs of a folder or file by id, and the errors of the files that could not be imported, by path."""

    def __init__(
        self,
        dag_folder: str | os.PathLike[str] | None = None,
        include_examples: Any = NOTSET,
        safe_mode: Any = NOTSET,
        load_op_links: bool = True,
        collect_dags: bool = True,
        known_pools: set[str] | None = None,
        bundle_path: Path | None = None,
        *,
        bundle_name: str | None = None,
        read_dags_from_db: bool = False,
    ) -> None:
        if read_dags_from_db:
            raise ValueError("DagBag reads files only: the database cannot be reached from here")
        super().__init__()
        self.dag_folder = str(dag_folder or conf.get("core", "dags_folder"))
        self.known_pools = known_pools
        self.bundle_path = bundle_path
        self.bundle_name = bundle_name
        self.dags: dict[str, DAG] = {}
        self.import_errors: dict[str, str] = {}
        self.dagbag_stats: list[FileLoadStat] = []
        self._changed_at: dict[str, float] = {}
        if collect_dags:
            self.collect_dags(self.dag_folder, safe_mode=safe_mode)

    @property
    def dag_ids(self) -> list[str]:
        """The ids of all DAGs."""
        return sorted(self.dags)

    def size(self) -> int:
        """How many DAGs there are."""
        return len(self.dags)

    def get_dag(self, dag_id: str, session: Any = None) -> DAG | None:
        """The DAG of that id, if there is one."""
        return self.dags.get(dag_id)

    def bag_dag(self, dag: DAG) -> None:
        """Take a DAG in, after a look whether it contradicts itself or a DAG of another file has its id."""
        dag.validate()
        known = self.dags.get(dag.dag_id)
        if known is not None and known is not dag and known.fileloc != dag.fileloc:
            raise AirflowDagDuplicatedIdException(dag.dag_id, dag.fileloc, known.fileloc)
        self.dags[dag.dag_id] = dag

    def collect_dags(
        self,
        dag_folder: str | os.PathLike[str] | None = None,
        only_if_updated: bool = True,
        include_examples: Any = NOTSET,
        safe_mode: Any = NOTSET,
    ) -> None:
        """Import every file of the folder."""
        for path in list_py_file_paths(dag_folder or self.dag_folder, safe_mode):
            started = perf_counter()
            found = self.process_file(path, only_if_updated)
            self.dagbag_stats.append(
                FileLoadStat(
                    file=path,
                    duration=timedelta(seconds=perf_counter() - started),
                    dag_num=len(found),
                    task_num=sum(len(dag.tasks) for dag in found),
                    dags=str([dag.dag_id for dag in found]),
                    bundle_path=self.bundle_path,
                    bundle_name=self.bundle_name,
                )
            )

    def process_file(self, filepath: str, only_if_updated: bool = True, safe_mode: bool = True) -> list[DAG]:
        """Import one file, or all files of a zip file, and take in the DAGs that it defines."""
        if not Path(filepath).is_file():
            return []
        changed_at = Path(filepath).stat().st_mtime
        if only_if_updated and self._changed_at.get(filepath) == changed_at:
            return []
        self._changed_at[filepath] = changed_at
        self.import_errors.pop(filepath, None)
        bagged: list[DAG] = []
        for dag in self._import(filepath):
            try:
                self.bag_dag(dag)
                bagged.append(dag)
            except Exception as error:
                self.import_errors[filepath] = f"{type(error).__name__}: {error}"
        return bagged

    def _import(self, filepath: str) -> list[DAG]:
        folder = filepath if filepath.endswith(".zip") else str(Path(filepath).parent)
        found: dict[int, DAG] = {}
        with collecting_dags() as registered, _importable(self.dag_folder, folder):
            for name in _module_names(filepath):
                try:
                    module = _load(filepath, name)
                except (Exception, SystemExit):
                    self.import_errors[filepath] = traceback.format_exc()
                    continue
                found.update((id(value), value) for value in vars(module).values() if isinstance(value, DAG))
        found.update((id(dag), dag) for dag in registered if dag.auto_register)
        for dag in found.values():
            dag.fileloc = dag.fileloc or filepath
        return list(found.values())

    def dagbag_report(self) -> str:
        """A table of how long each file took."""
        rows = [
            f"{stat.file}  {stat.duration}  {stat.dag_num} DAGs  {stat.task_num} tasks" for stat in self.dagbag_stats
        ]
        return "\n".join([f"{self.size()} DAGs of {self.dag_folder}", *rows])


@contextmanager
def _importable(*folders: str) -> Iterator[None]:
    """DAG files import modules that lie beside them and in the DAG folder."""
    added = [folder for folder in folders if folder not in sys.path]
    sys.path.extend(added)
    try:
        yield
    finally:
        for folder in added:
            sys.path.remove(folder)


def _module_names(filepath: str) -> list[str]:
    if not filepath.endswith(".zip"):
        return [get_unique_dag_module_name(filepath)]
    names = zipimport.zipimporter(filepath)
    files: dict[str, Any] = names._files  # type: ignore[attr-defined] # noqa: SLF001 - zipimport has no public list
    return sorted(name[:-3] for name in files if name.endswith(".py") and os.sep not in name)


def _load(filepath: str, name: str) -> ModuleType:
    sys.modules.pop(name, None)
    if filepath.endswith(".zip"):
        spec = zipimport.zipimporter(filepath).find_spec(name)
    else:
        spec = importlib.util.spec_from_file_location(name, filepath)
    if spec is None or spec.loader is None:
        raise ImportError(f"{filepath} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
