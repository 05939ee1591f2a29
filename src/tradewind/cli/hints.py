"""What helps people on who cannot know better yet."""

import difflib
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from tradewind.errors import NotFound, UnknownDag

if TYPE_CHECKING:
    from tradewind.bootstrap import Wiring


@contextmanager
def naming_dags(wiring: "Wiring") -> Iterator[None]:
    """Whoever asks within the block for a DAG that there is not is told of those with nearly that name."""
    try:
        yield
    except UnknownDag as error:
        hint = _near(wiring, error.dag_id)
        if hint is None:
            raise
        raise NotFound(f"{error}{hint}") from error


def tell_how_to_unpause(dag_id: str, what: str) -> None:
    """To the error stream: who reads the rest by a program need not see it."""
    command = f"tradewind dags unpause {shlex.quote(dag_id)}"
    typer.echo(f"DAG {dag_id!r} is paused, so {what} until somebody says: {command}", err=True)


def _near(wiring: "Wiring", dag_id: str) -> str | None:
    known = wiring.database.read(lambda tx: [record.dag_id for record in tx.dags.all() if not record.is_stale])
    if not known:
        return "; there are no DAGs at all: a DAG processor has to find and read their files first"
    folded = {name.casefold(): name for name in known}
    near = [folded[name] for name in difflib.get_close_matches(dag_id.casefold(), folded, n=3)]
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else None
