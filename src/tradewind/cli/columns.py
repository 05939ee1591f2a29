"""Choosing the columns of a list."""

from collections.abc import Mapping, Sequence

import typer


def choose_columns(
    rows: Sequence[Mapping[str, object]], wanted: str | None, known: Sequence[str]
) -> list[dict[str, object]]:
    """Rows with these columns only, in this order: names with commas between them."""
    names = [name.strip() for name in (wanted or "").split(",") if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise typer.BadParameter(f"there is no column {unknown[0]!r}, only {', '.join(known)}", param_hint="--columns")
    return [{name: row.get(name) for name in names or known} for row in rows]
