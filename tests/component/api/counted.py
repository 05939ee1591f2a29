"""How often the database is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from tests.component.world import World


@contextmanager
def counted(world: World) -> Iterator[list[str]]:
    """The statements of the block, but for those that only begin a transaction."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: Any) -> None:
        if not statement.startswith("BEGIN"):
            asked.append(statement)

    engine = world.database.engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)
