"""Rows of values for people and for programs."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

import typer


class Output(StrEnum):
    """How rows are written."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    PLAIN = "plain"


def write_rows(rows: Sequence[Mapping[str, object]], output: Output, *, when_empty: str = "nothing found") -> None:
    """Write rows that all have the same keys."""
    match output:
        case Output.JSON:
            typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        case Output.YAML:
            # Every JSON scalar is a YAML scalar.
            lines = [
                f"{'- ' if i == 0 else '  '}{key}: {_scalar(row[key])}" for row in rows for i, key in enumerate(row)
            ]
            typer.echo("\n".join(lines) if lines else "[]")
        case Output.PLAIN | Output.TABLE if not rows:
            typer.echo(when_empty, err=True)
        case Output.PLAIN:
            typer.echo("\n".join("\t".join(_cell(value) for value in row.values()) for row in rows))
        case Output.TABLE:
            typer.echo(_table(rows))


def instant_text(instant: datetime | None) -> str | None:
    """An instant as every command writes it: ISO 8601, in UTC."""
    return None if instant is None else instant.isoformat()


def _table(rows: Sequence[Mapping[str, object]]) -> str:
    header = list(rows[0])
    cells = [header, *([_cell(row[key]) for key in header] for row in rows)]
    widths = [max(len(line) for row in cells for line in row[i].split("\n")) for i in range(len(header))]
    rule = "-+-".join("-" * width for width in widths)
    lines = [_table_row(row, widths) for row in cells]
    return "\n".join([lines[0], rule, *lines[1:]])


def _table_row(row: Sequence[str], widths: Sequence[int]) -> str:
    parts = [cell.split("\n") for cell in row]
    height = max(len(part) for part in parts)
    padded = [[*part, *[""] * (height - len(part))] for part in parts]
    return "\n".join(
        " | ".join(padded[i][line].ljust(width) for i, width in enumerate(widths)).rstrip() for line in range(height)
    )


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _scalar(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
