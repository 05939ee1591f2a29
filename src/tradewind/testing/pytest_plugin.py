"""Fixtures for tests of DAGs. Installed with Tradewind: pytest finds them by itself."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

# Imported when a fixture is first used: pytest loads this module in every project where Tradewind is installed.
if TYPE_CHECKING:
    from tradewind.testing.dag_files import LoadedDags
    from tradewind.testing.memory.contents import GivenConnection
    from tradewind.testing.result import RunResult


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the DAG files of the project are."""
    parser.addini("dags_folder", "The folder with the DAG files, for the fixture `dag_bag`", default="dags")


@pytest.fixture
def connections() -> "dict[str, GivenConnection]":
    """The connections that tasks find, by id: add to it. Each is a URI, JSON, a dict of fields or a `Connection`."""
    return {}


@pytest.fixture
def variables() -> dict[str, Any]:
    """The variables that tasks find, by key: add to it."""
    return {}


@pytest.fixture
def run_dag(connections: "dict[str, GivenConnection]", variables: dict[str, Any]) -> "Callable[..., RunResult]":
    """`tradewind.testing.run_dag` with the connections and variables of the fixtures of these names."""
    from tradewind.testing.running import run_dag  # noqa: PLC0415 - see above

    def run(dag: Any, **arguments: Any) -> "RunResult":
        own_connections = {**connections, **(arguments.pop("connections", None) or {})}
        own_variables = {**variables, **(arguments.pop("variables", None) or {})}
        return run_dag(dag, connections=own_connections, variables=own_variables, **arguments)

    return run


@pytest.fixture(scope="session")
def dag_bag(pytestconfig: pytest.Config) -> "LoadedDags":
    """The DAGs in the folder that the ini option `dags_folder` names. Fails if a file of it cannot be read."""
    from tradewind.testing.dag_files import load_dags  # noqa: PLC0415 - see above

    return load_dags(Path(pytestconfig.rootpath, str(pytestconfig.getini("dags_folder")))).check()
