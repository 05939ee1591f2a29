"""Answers `import airflow` and every path below it.

In a Tradewind process `install()` puts the finder first, so that DAG files mean Tradewind whether or not
apache-airflow is installed beside it. Everywhere else `tradewind.startup` asks `find_where_no_airflow_is`, which
leaves a real Airflow alone.

Three kinds of modules:
- those of the table are ours, and so is all of `airflow.providers.standard`;
- `airflow.providers.*` comes from the installed provider packages. They bring folders `airflow/providers/...` without
  an `__init__`, so our `airflow.providers` has the path that such a package would have: every one of these folders;
- a few names of provider packages that DAG files use without asking (`airflow.providers.common.compat.sdk`) are ours
  only where the package is not installed.
"""

import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final, cast, overload

from tradewind.compat.adapters.context_keys import old_context_values
from tradewind.compat.module import AirflowModule, fill
from tradewind.compat.table import MODULES, OPTIONAL_MODULES, PACKAGES, gone, provider_of
from tradewind.errors import TradewindError
from tradewind.providers import task_decorators
from tradewind.sdk.context_sources import register_context_source
from tradewind.sdk.standard.task_decorators import register_decorator_source

if TYPE_CHECKING:
    from importlib.abc import Loader

ROOT: Final = "airflow"
_PROVIDERS: Final = "airflow.providers"
_STANDARD: Final = "airflow.providers.standard"
# Files that come with Airflow's packages and that nothing here replaces: read from wherever they are.
_LEFT_TO_OTHERS: Final = ("airflow.example_dags", "airflow.providers.standard.example_dags")


class AirflowAlreadyImported(TradewindError):
    """apache-airflow was imported in this process before Tradewind could answer for it."""

    def __init__(self) -> None:
        super().__init__(
            "apache-airflow is already imported in this process, so DAG files would mean that one:"
            " call tradewind.compat.install() before the first `import airflow`"
        )


class Folders(Sequence[str]):
    """The folders of one package of Airflow on `sys.path`, found again whenever that has changed."""

    def __init__(self, package: str) -> None:
        self._below = Path(*package.split("."))
        self._of: tuple[str, ...] | None = None
        self._found: list[str] = []

    def _folders(self) -> list[str]:
        path = tuple(sys.path)
        if path != self._of:
            folders = [Path(entry) / self._below for entry in path]
            self._found = list(dict.fromkeys(str(folder) for folder in folders if folder.is_dir()))
            self._of = path
        return self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders())

    def __len__(self) -> int:
        return len(self._folders())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._folders()[index]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._folders()})"


class TableLoader:
    """Makes the modules of the table. Not a subclass of `importlib.abc.Loader`: that module takes long to load."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return AirflowModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        fill(module)


class AirflowFinder:
    """Finds `airflow` and what is below it."""

    def __init__(self) -> None:
        self._loader = TableLoader()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(ROOT):
            return None
        if fullname in MODULES:
            return self._ours(fullname)
        if not fullname.startswith(f"{ROOT}.") or fullname.startswith(_LEFT_TO_OTHERS):
            return None
        if fullname.startswith(f"{_PROVIDERS}.") and not fullname.startswith(f"{_STANDARD}."):
            return self._of_a_provider(fullname, path)
        # Not merely "not found": an Airflow installed beside would be asked next, and its modules do not fit ours.
        hint = gone(fullname)
        raise ModuleNotFoundError(f"there is no module {fullname!r}{f': {hint}' if hint else ''}", name=fullname)

    def _ours(self, fullname: str) -> ModuleSpec:
        spec = ModuleSpec(fullname, cast("Loader", self._loader), is_package=fullname in PACKAGES)
        if fullname in {ROOT, _PROVIDERS, _STANDARD}:
            # A list is what the type says; a sequence is what the import system needs.
            spec.submodule_search_locations = Folders(fullname)  # type: ignore[assignment]
        return spec

    def _of_a_provider(self, fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
        spec = _found_by_others(fullname, path)
        if spec is not None:
            return spec
        if fullname in OPTIONAL_MODULES:
            return self._ours(fullname)
        name = provider_of(fullname)
        if name is None:
            # A group such as `airflow.providers.cncf`: which provider is missing shows one level below.
            return ModuleSpec(fullname, cast("Loader", self._loader), is_package=True)
        package = sys.modules.get(f"{_PROVIDERS}.{name}")
        if package is None or isinstance(package, AirflowModule):
            raise ModuleNotFoundError(
                f"there is no module {fullname!r}: its provider package is not installed;"
                f" `tradewind providers install {name}` installs it",
                name=fullname,
            )
        return None


FINDER: Final = AirflowFinder()


def install() -> None:
    """Answer for `airflow` in this process from now on. Calling it again changes nothing."""
    loaded = sys.modules.get(ROOT)
    if loaded is not None and not isinstance(loaded, AirflowModule):
        raise AirflowAlreadyImported
    if FINDER in sys.meta_path:
        return
    sys.meta_path.insert(0, FINDER)
    register_decorator_source(task_decorators)
    register_context_source(old_context_values)


def find_where_no_airflow_is() -> ModuleSpec | None:
    """The spec of `airflow` for a process that is not Tradewind's; nothing where a real Airflow is installed.

    Provider packages alone make `airflow` a namespace package, which has no file of its own.
    """
    real = _found_by_others(ROOT, None)
    if real is not None and real.origin is not None:
        return None
    install()
    return FINDER.find_spec(ROOT, None)


def _found_by_others(fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """What Python would find without us: files on `sys.path`, and whatever editable installs bring finders for."""
    others = (finder for finder in sys.meta_path if finder is not FINDER and not getattr(finder, "IS_TRADEWIND", False))
    specs = (finder.find_spec(fullname, path) for finder in others)
    return next((spec for spec in specs if spec is not None), None)
