"""Fixtures and rules of every test run.

Databases, in the order in which a test should prefer them:

- `shared_database_url`: one database per kind and worker, kept for the whole run; empty its tables between
  tests.
- `database_url`: a new, empty database for this test alone.
- `database_urls`: a function `kind -> URL` for tests that need several; all are dropped when the run ends.

The first two run the test once per kind (`database_kind`) and carry the marker of that kind, so that
`-m postgres` selects. To stay on one kind:
`@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)`.

A kind without a server is skipped, loudly, at the end of the run. `TRADEWIND_TEST_REQUIRE` makes it an error:
a comma list of kinds, or `reachable` for every kind that this machine could have used.
"""

import gc
import os
from collections.abc import Iterator
from typing import cast

import hypothesis
import pytest
from xdist.remote import Producer  # type: ignore[import-untyped]

from tests.browser_report import BrowserReport
from tests.database_report import DatabaseReport, required_kinds
from tests.databases import DATABASE_KINDS, DatabaseKind, Databases, DatabaseUnavailable, DatabaseUrls
from tests.order import Scheduling, ordered

# A deadline measures the machine, not the code; the blob makes a failure of another machine replayable.
hypothesis.settings.register_profile("tradewind", deadline=None, print_blob=True)
hypothesis.settings.load_profile("tradewind")


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """The maker of every database of this worker; drops them all at the end."""
    with Databases(tmp_path_factory.mktemp("databases")) as made:
        yield made


@pytest.fixture(scope="session")
def database_urls(databases: Databases) -> DatabaseUrls:
    """Call it with a kind for the URL of a new, empty database; skips the test where there is no server."""

    def fresh(kind: DatabaseKind) -> str:
        try:
            return databases.fresh(kind)
        except DatabaseUnavailable as error:
            pytest.skip(str(error))

    return fresh


@pytest.fixture(scope="session", params=DATABASE_KINDS)
def database_kind(request: pytest.FixtureRequest) -> DatabaseKind:
    """The kind of database that this test runs on: sqlite, postgres or mysql, one after the other."""
    return cast("DatabaseKind", request.param)


@pytest.fixture(scope="session")
def shared_database_url(databases: Databases, database_kind: DatabaseKind) -> str:
    """The URL of this worker's database of the kind; the same one for the whole run."""
    try:
        return databases.shared(database_kind)
    except DatabaseUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def database_url(databases: Databases, database_kind: DatabaseKind) -> Iterator[str]:
    """The URL of a new, empty database of the kind, dropped when the test ends."""
    try:
        with databases.temporary(database_kind) as url:
            yield url
    except DatabaseUnavailable as error:
        pytest.skip(str(error))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What was collected stays until the end: to look through it for garbage, again and again, took a fifth of the
    time of short tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        parameters = getattr(item, "callspec", None)
        if parameters is not None and "database_kind" in parameters.params:
            item.add_marker(parameters.params["database_kind"])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    # After all others have shuffled and grouped them, and before the workers of xdist say what they have.
    session.items[:] = ordered(session.items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_configure(config: pytest.Config) -> None:
    # A worker of xdist sees only its own share of the reports; its controller sees all.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(DatabaseReport(required_kinds(os.environ)))
        config.pluginmanager.register(BrowserReport())
