"""The table for people and the JSON file for programs."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypedDict, cast

from benchmarks.figures import FigureRecord, Verdict
from benchmarks.machine import Machine

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results.json"
"""The figures that the README shows."""
README = FOLDER / "README.md"
BEGIN = "<!-- The lines from here on are made by `python -m benchmarks --write-readme`. -->"
END = "<!-- The lines up to here are made by `python -m benchmarks --write-readme`. -->"
_HEADER = ("benchmark", "case", "database", "median", "unit", "target", "verdict", "cold")
_RIGHT = (3, 7)


class Results(TypedDict):
    """All that one call of the benchmarks found."""

    date: str
    git_revision: str
    scale: str
    machine: Machine
    figures: list[FigureRecord]


def make_results(machine: Machine, *, date: datetime, git_revision: str, scale: str) -> Results:
    """Without any figure yet."""
    return Results(
        date=date.isoformat(timespec="seconds"), git_revision=git_revision, scale=scale, machine=machine, figures=[]
    )


def write_results(results: Results, path: Path) -> None:
    """As JSON, one figure after another, so that a change of one is a change of few lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_results(path: Path) -> Results:
    """What `write_results` wrote."""
    return cast("Results", json.loads(path.read_text(encoding="utf-8")))


def text_table(figures: Sequence[FigureRecord]) -> str:
    """For a terminal."""
    rows = [_HEADER, *(_cells(figure) for figure in figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADER))]
    lines = ["  ".join(_padded(cell, widths[i], i) for i, cell in enumerate(row)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def summary(results: Results) -> str:
    """The machine and how many targets were met, in a line or two."""
    verdicts = [figure["verdict"] for figure in results["figures"]]
    met, missed = verdicts.count(Verdict.PASS.value), verdicts.count(Verdict.SHORT.value)
    return f"{_machine_line(results)}\n{met} targets met, {missed} missed."


def write_readme(results: Results) -> None:
    """Put the figures into the README, between the two marks."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"{README.name} lacks the marks between which the table goes")
    rows = [_HEADER, *(_cells(figure) for figure in results["figures"])]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("---:" if i in _RIGHT else "---" for i in range(len(_HEADER))) + "|")
    parts = (BEGIN, _machine_line(results), "\n".join(lines), *_details(results["figures"]), END)
    README.write_text(before + "\n\n".join(parts) + after, encoding="utf-8")


def _machine_line(results: Results) -> str:
    machine = results["machine"]
    return (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']:g} GB, {machine['system']}, "
        f"Python {machine['python']}, {', '.join(machine['databases'].values())}; the disk takes "
        f"{machine['fsync_ms']:g} ms for an fsync. Load average before the run: {machine['load_average']:g}. "
        f"Measured {results['date'][:10]} at revision {results['git_revision']}, {results['scale']} size."
    )


def _details(figures: Sequence[FigureRecord]) -> Iterable[str]:
    """What explains the figures of which a ratio is all that the table shows."""
    lines = [
        f"- {figure['benchmark']}, {figure['case']}, {figure['database']}: "
        + ", ".join(f"{name} {_number(value)}" for name, value in figure["details"].items())
        for figure in figures
        if figure["details"]
    ]
    if lines:
        yield "Behind the figures:"
        yield "\n".join(lines)


def _cells(figure: FigureRecord) -> tuple[str, ...]:
    cold = "" if figure["cold"] is None else _number(figure["cold"])
    number, unit = _number(figure["median"]), figure["unit"]
    named = (figure["benchmark"], figure["case"], figure["database"])
    return (*named, number, unit, figure["target"] or "", figure["verdict"], cold)


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _padded(cell: str, width: int, column: int) -> str:
    return cell.rjust(width) if column in _RIGHT else cell.ljust(width)
