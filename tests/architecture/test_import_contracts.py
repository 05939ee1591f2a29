"""The import contracts hold, and the table behind them finds each kind of forbidden import."""

import subprocess
import sys
from pathlib import Path

import grimp
import pytest
from importlinter.api import read_configuration

from tests.architecture.contracts import AllowedImports, NeverReaches, parse_row
from tests.architecture.sources import PACKAGE, ROOT

SESSION = {"root_packages": ["tradewind"]}
CONTRACTS = {
    options["id"]: options for options in read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]
}


def graph_of(*imports: str) -> grimp.ImportGraph:
    """A graph from `importer -> imported` lines, with the packages around each of our modules."""
    graph = grimp.ImportGraph()
    for line in imports:
        importer, imported = line.split(" -> ")
        for name in (importer, imported):
            parts = name.split(".")
            for length in range(1, len(parts) + 1):
                graph.add_module(".".join(parts[:length]))
        graph.add_import(importer=importer, imported=imported, line_number=1, line_contents=line)
    return graph


def allowed_imports() -> AllowedImports:
    return AllowedImports("allowed imports", SESSION, CONTRACTS["allowed-imports"])


def never_reaches(identifier: str) -> NeverReaches:
    return NeverReaches(identifier, SESSION, CONTRACTS[identifier])


def test_import_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]

    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    "forbidden",
    [
        "tradewind.model.run -> tradewind.errors",
        "tradewind.model.run -> msgspec",
        "tradewind.model.run -> logging",
        "tradewind.decide.retry -> random",
        "tradewind.decide.retry -> time",
        "tradewind.decide.retry -> tradewind.errors",
        "tradewind.decide.retry -> tradewind.runtime.clock",
        "tradewind.sdk.dags -> tradewind.decide.retry",
        "tradewind.compat.table -> tradewind.storage.interface",
        "tradewind.storage.interface -> sqlalchemy",
        "tradewind.storage.interface -> tradewind.storage.schema",
        "tradewind.storage.runs -> tradewind.decide.retry",
        "tradewind.operations.trigger_run -> sqlalchemy",
        "tradewind.operations.trigger_run -> tradewind.runtime.clock",
        "tradewind.operations.trigger_run -> tradewind.storage.runs",
        "tradewind.scheduler.service -> alembic",
        "tradewind.scheduler.service -> tradewind.executors.local",
        "tradewind.scheduler.service -> tradewind.sdk.dags",
        "tradewind.scheduler.service -> tradewind.storage.runs",
        "tradewind.scheduler.service -> tradewind.triggerer.service",
        "tradewind.worker.supervisor -> tradewind.executors.local",
        "tradewind.worker.supervisor -> tradewind.storage.interface",
        "tradewind.worker.child -> tradewind.worker.supervisor",
        "tradewind.api.app -> tradewind.sdk.dags",
        "tradewind.api.app -> tradewind.scheduler.service",
        "tradewind.cli.runs -> tradewind.storage.runs",
        "tradewind.bootstrap -> tradewind.cli.main",
    ],
)
def test_forbidden_import_is_found(forbidden: str) -> None:
    importer, imported = forbidden.split(" -> ")

    check = allowed_imports().check(graph_of(forbidden), verbose=False)

    assert check.metadata["problems"] == [f"{importer} may not import {imported} (line 1)"]


@pytest.mark.parametrize(
    "allowed",
    [
        "tradewind.model.run -> tradewind.model.states",
        "tradewind.model.run -> dataclasses",
        "tradewind.decide.timetables -> zoneinfo",
        "tradewind.operations.trigger_run -> tradewind.storage.interface",
        "tradewind.scheduler.service -> tradewind.executors.interface",
        "tradewind.storage.schema -> sqlalchemy",
        "tradewind.worker.supervisor -> tradewind.worker.protocol",
        "tradewind.bootstrap -> tradewind.storage.engine",
        "tradewind.testing.factories -> tradewind.storage.engine",
    ],
)
def test_allowed_import_is_kept(allowed: str) -> None:
    assert allowed_imports().check(graph_of(allowed), verbose=False).kept


def test_package_without_a_row_is_found() -> None:
    check = allowed_imports().check(graph_of("tradewind.novelty.thing -> dataclasses"), verbose=False)

    assert check.metadata["problems"] == [
        "tradewind.novelty has no row in [tool.importlinter]: say there what it may import"
    ]


def test_every_package_of_the_tree_has_a_row() -> None:
    rows = {parse_row(line).name for line in CONTRACTS["allowed-imports"]["rows"]}
    packages = {init.parent.name for init in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}

    assert (packages | modules) - rows == set()


def test_user_code_that_reaches_the_database_by_a_detour_is_found() -> None:
    graph = graph_of("tradewind.worker.child -> tradewind.runtime.lease", "tradewind.runtime.lease -> sqlalchemy")

    check = never_reaches("user-code-without-storage").check(graph, verbose=False)

    assert check.metadata["problems"] == ["tradewind.worker.child -> tradewind.runtime.lease -> sqlalchemy"]


def test_control_plane_that_reaches_the_sdk_by_a_detour_is_found() -> None:
    graph = graph_of(
        "tradewind.scheduler.service -> tradewind.runtime.load",
        "tradewind.runtime.load -> tradewind.sdk.dags",
    )

    check = never_reaches("control-plane-without-user-code").check(graph, verbose=False)

    assert not check.kept


def test_modules_that_do_not_exist_yet_break_nothing() -> None:
    graph = graph_of("tradewind.model.run -> dataclasses")

    assert never_reaches("user-code-without-storage").check(graph, verbose=False).kept
