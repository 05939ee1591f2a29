"""One deployment per kind of database for all tests that trouble workers."""

from collections.abc import Iterator

import pytest

from tests.acceptance.deployment import Deployment
from tests.databases import DatabaseKind, Databases, DatabaseUnavailable
from tests.faults.worker_processes import troubled


@pytest.fixture(scope="session")
def deployment(
    databases: Databases, database_kind: DatabaseKind, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """A DAG processor, a scheduler and a worker, and the DAGs of `dags/`."""
    try:
        url = databases.fresh(database_kind)
    except DatabaseUnavailable as error:
        pytest.skip(str(error))
    with troubled(tmp_path_factory.mktemp("home") / database_kind, url) as made:
        yield made
