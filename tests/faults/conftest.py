"""Deployments whose workers and tasks are troubled, one of each sort per kind of database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.deployment import Deployment
from tests.databases import DatabaseKind, Databases, DatabaseUnavailable
from tests.faults.worker_processes import ALERT, CALM, troubled


@pytest.fixture(scope="session")
def home(database_kind: DatabaseKind, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each."""
    return tmp_path_factory.mktemp(f"home_{database_kind}")


def _new_database(databases: Databases, kind: DatabaseKind) -> str:
    try:
        return databases.fresh(kind)
    except DatabaseUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def alert(databases: Databases, database_kind: DatabaseKind, home: Path) -> Iterator[Deployment]:
    """A deployment that notices soon what falls silent."""
    with troubled(home / "alert", _new_database(databases, database_kind), ALERT) as made:
        yield made


@pytest.fixture(scope="session")
def calm(databases: Databases, database_kind: DatabaseKind, home: Path) -> Iterator[Deployment]:
    """A deployment that waits as long as is usual."""
    with troubled(home / "calm", _new_database(databases, database_kind), CALM) as made:
        yield made
