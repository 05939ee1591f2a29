"""`tradewind db export-archived` and `drop-archived`: what `db clean` kept copies of."""

import csv
import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import opened
from tradewind.cli.options import Yes
from tradewind.cli.progress import shown_progress

if TYPE_CHECKING:
    from tradewind.bootstrap import Wiring
    from tradewind.operations import prune_history
    from tradewind.storage.interface.pruning_store import Archived
else:
    prune_history = Deferred("tradewind.operations.prune_history")


class ExportFormat(StrEnum):
    """How copies are written."""

    CSV = "csv"


Tables = Annotated[
    str | None, typer.Option("--tables", "-t", metavar="NAMES", help="only copies of these tables, with commas")
]


def export(
    output_path: Annotated[
        Path, typer.Option("--output-path", metavar="FOLDER", exists=True, file_okay=False, help="where to write")
    ],
    export_format: Annotated[ExportFormat, typer.Option(help="what to write")] = ExportFormat.CSV,
    tables: Tables = None,
    drop_archives: Annotated[bool, typer.Option("--drop-archives", help="drop the copies afterwards")] = False,
    yes: Yes = False,
) -> None:
    """Write what db clean kept copies of, a file for each table."""
    with opened() as wiring:
        found = _found(wiring, tables)
        if drop_archives and found and not yes:
            _confirm(found)
        with shown_progress("export", len(found)) as advance:
            for archived in found:
                path = output_path / f"{archived.name}.{export_format}"
                count = _export(wiring, archived, path)
                typer.echo(f"{path}: {count} rows of {archived.table}")
                advance(1)
        if drop_archives:
            _drop(wiring, found)


def drop(tables: Tables = None, yes: Yes = False) -> None:
    """Drop what db clean kept copies of."""
    with opened() as wiring:
        found = _found(wiring, tables)
        if found and not yes:
            _confirm(found)
        _drop(wiring, found)


def split_names(text: str | None) -> tuple[str, ...]:
    """Of a list with commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _found(wiring: "Wiring", tables: str | None) -> "list[Archived]":
    found = wiring.database.read(lambda tx: prune_history.find_archives(tx, split_names(tables)))
    if not found:
        typer.echo("nothing is archived")
    return found


def _export(wiring: "Wiring", archived: "Archived", path: Path) -> int:
    """Returns how many rows it were. Only their owner may read them: they were not for everybody in the database."""
    private = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(private, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)

        def write(rows: Iterable[Sequence[object]]) -> int:
            count = -1
            for count, row in enumerate(rows):  # noqa: B007 - the first one are the names of the columns
                writer.writerow([value.isoformat() if isinstance(value, datetime) else value for value in row])
            return count

        return wiring.database.read(lambda tx: write(tx.archives.rows(archived)))


def _confirm(found: "Sequence[Archived]") -> None:
    typer.echo("\n".join(each.name for each in found))
    typer.confirm(f"Drop these {len(found)} tables for ever?", abort=True)


def _drop(wiring: "Wiring", found: "Sequence[Archived]") -> None:
    wiring.database.transact(lambda tx: tx.archives.drop([each.name for each in found]))
    for each in found:
        typer.echo(f"dropped {each.name}")
