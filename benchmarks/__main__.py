"""`python -m benchmarks`: measure, print a table, write it as JSON."""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from benchmarks.api_lists import api_lists
from benchmarks.asset_flood import asset_flood
from benchmarks.asset_runs import asset_runs
from benchmarks.authoring import authoring
from benchmarks.dag_processing import dag_processing
from benchmarks.figures import Figure
from benchmarks.growth import growth
from benchmarks.harness import Plan, Scale
from benchmarks.history import history
from benchmarks.hop import hop
from benchmarks.idle import idle
from benchmarks.machine import describe_machine, git_revision
from benchmarks.memory import memory
from benchmarks.report import (
    FOLDER,
    README,
    RESULTS,
    make_results,
    read_results,
    summary,
    text_table,
    write_readme,
    write_results,
)
from benchmarks.running import running
from benchmarks.schedules import schedules
from benchmarks.throughput import throughput
from benchmarks.two_schedulers import two_schedulers
from benchmarks.ui import ui
from benchmarks.waiting import waiting
from tests.databases import DATABASE_KINDS, DatabaseKind, Databases, DatabaseUnavailable

BENCHMARKS: Final[Mapping[str, Callable[[Plan], Iterator[Figure]]]] = {
    "throughput": throughput,
    "growth": growth,
    "history": history,
    "idle": idle,
    "two_schedulers": two_schedulers,
    "memory": memory,
    "hop": hop,
    "schedules": schedules,
    "asset_flood": asset_flood,
    "asset_runs": asset_runs,
    "authoring": authoring,
    "dag_processing": dag_processing,
    "running": running,
    "waiting": waiting,
    "api_lists": api_lists,
    "ui": ui,
}
_QUICK_KINDS: Final = ("sqlite", "postgres")
_LAST: Final = FOLDER / "results" / "last.json"


def main(arguments: Sequence[str], now: datetime) -> int:
    """Do what the command line says. Returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    if options.write_readme:
        write_readme(read_results(options.output or RESULTS))
        print(f"wrote the table into {README.name}")
        return 0
    names = options.names or list(BENCHMARKS)
    scale = Scale.QUICK if options.quick else Scale.FULL
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, Databases(Path(folder)) as databases:
        kinds = _present(databases, options.databases or (_QUICK_KINDS if options.quick else DATABASE_KINDS))
        machine = describe_machine(databases, kinds)
        plan = Plan(databases, kinds, scale)
        results = make_results(machine, date=now, git_revision=git_revision(), scale=scale.value)
        for name in names:
            results["figures"].extend(figure.record() for figure in _told(name, BENCHMARKS[name](plan)))
            write_results(results, _LAST)  # what there is, should one of the others fail
    print(text_table(results["figures"]), summary(results), sep="\n\n")
    is_complete = scale is Scale.FULL and set(names) == set(BENCHMARKS) and set(kinds) == set(DATABASE_KINDS)
    output: Path = options.output or (RESULTS if is_complete else _LAST)
    write_results(results, output)
    print(f"Written to {output}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which of: {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="smaller work, under a minute, rough figures")
    parser.add_argument("--databases", type=_kinds, help="comma list of sqlite, postgres, mysql")
    parser.add_argument(
        "--output",
        type=Path,
        help=f"the JSON file; default {RESULTS.name} for a complete run, results/{_LAST.name} for any other",
    )
    parser.add_argument(
        "--write-readme", action="store_true", help="measure nothing; put the JSON file's figures there"
    )
    return parser


def _kinds(text: str) -> list[DatabaseKind]:
    kinds = text.split(",")
    if unknown := set(kinds) - set(DATABASE_KINDS):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return [cast("DatabaseKind", kind) for kind in kinds]


def _present(databases: Databases, kinds: Sequence[DatabaseKind]) -> list[DatabaseKind]:
    """Those that this machine has, with a word about the others."""
    present = []
    for kind in kinds:
        try:
            with databases.temporary(kind):
                present.append(kind)
        except DatabaseUnavailable as error:
            print(f"left out: {error}", file=sys.stderr)
    return present


def _told(name: str, figures: Iterator[Figure]) -> Iterator[Figure]:
    """The figures as they come, told to whoever waits for them."""
    began = time.perf_counter()
    for figure in figures:
        spent_s = time.perf_counter() - began
        what = f"{figure.benchmark}: {figure.case}, {figure.database}"
        print(f"[{spent_s:5.1f} s] {what}: {figure.median:,.4g} {figure.unit}", file=sys.stderr, flush=True)
        yield figure
    print(f"[{time.perf_counter() - began:5.1f} s] {name} done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    # Also when told to end: the databases and processes made so far must go.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    sys.exit(main(sys.argv[1:], datetime.now(UTC)))
