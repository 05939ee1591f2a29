"""Which schema a database has, and which one is needed.

Every process asks that at its start, so it is asked without Alembic, which is slow to load.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from tradewind.errors import DatabaseError, MigrationNeeded
from tradewind.storage.database import create_engine
from tradewind.storage.failures import translated

SCRIPTS: Final = Path(__file__).with_name("migrations")
_REVISION: Final = re.compile(r'^revision = "(\w+)"$', re.MULTILINE)
_FOLLOWS: Final = re.compile(r'^down_revision = "(\w+)"$', re.MULTILINE)
_TABLE: Final = "alembic_version"


def current_revision(url: str) -> str | None:
    """The revision that the database is at; None: it has no schema of ours, or is a file that does not exist."""
    given = sa.make_url(url)
    if given.get_backend_name() == "sqlite" and given.database and not Path(given.database).exists():
        return None  # asking must not create it
    engine = create_engine(url, pool_size=1)
    try:
        with translated(), engine.connect() as connection:
            return revision_of(connection)
    finally:
        engine.dispose()


def revision_of(connection: sa.Connection) -> str | None:
    """The same by a connection."""
    if not sa.inspect(connection).has_table(_TABLE):
        return None
    found = connection.execute(sa.select(sa.column("version_num")).select_from(sa.table(_TABLE))).scalar()
    return None if found is None else str(found)


def needed_revision() -> str:
    """The revision that this version of Tradewind works with."""
    (newest,) = known_revisions().keys() - known_revisions().values()
    return newest


def check_schema(url: str) -> None:
    """Raise unless the database is at the revision that this version works with.

    Raises:
        MigrationNeeded: it is older; the message says which command helps.
        DatabaseError: it is newer than this version of Tradewind.
    """
    found, needed = current_revision(url), needed_revision()
    if found == needed:
        return
    refuse_newer(found)
    raise MigrationNeeded(found, needed)


def refuse_newer(found: str | None) -> None:
    """Raises `DatabaseError` for a revision that this version does not know: a newer one, or another program's."""
    if found is not None and found not in known_revisions():
        raise DatabaseError(
            f"the database is at schema revision {found}, which this version of Tradewind does not know; "
            "use the version that migrated it, or another database"
        )


@cache
def known_revisions() -> dict[str, str | None]:
    """By each revision that there is a migration to, the one before it."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((SCRIPTS / "versions").glob("*.py"))]
    return {found[1]: _before(text) for text in texts if (found := _REVISION.search(text))}


def _before(text: str) -> str | None:
    found = _FOLLOWS.search(text)
    return None if found is None else found[1]
