"""Deployments whose workers and tasks are troubled, one of each sort per kind of database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.deployment import Deployment
from tests.databases import DatabaseKind, DatabaseUrls
from tests.faults.worker_processes import ALERT, CALM, troubled


@pytest.fixture(scope="session")
def home(database_kind: DatabaseKind, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each."""
    return tmp_path_factory.mktemp(f"home_{database_kind}")


@pytest.fixture(scope="session")
def alert(database_urls: DatabaseUrls, database_kind: DatabaseKind, home: Path) -> Iterator[Deployment]:
    """A deployment that notices soon what falls silent."""
    with troubled(home / "alert", database_urls(database_kind), ALERT) as made:
        yield made


@pytest.fixture(scope="session")
def calm(database_urls: DatabaseUrls, database_kind: DatabaseKind, home: Path) -> Iterator[Deployment]:
    """A deployment that waits as long as is usual."""
    with troubled(home / "calm", database_urls(database_kind), CALM) as made:
        yield made
