"""The benchmarks still work: tiny sizes, so no figure means anything (D7)."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.__main__ import main
from benchmarks.api_lists import api_lists
from benchmarks.asset_flood import asset_flood
from benchmarks.dag_processing import dag_processing
from benchmarks.figures import Figure, Verdict, at_least, at_most
from benchmarks.harness import Plan, Scale
from benchmarks.history import history
from benchmarks.machine import Machine
from benchmarks.memory import memory
from benchmarks.throughput import throughput
from tests.databases import Databases

MACHINE = Machine(
    cpu="Abacus",
    cores=2,
    memory_gb=0.5,
    system="Linux",
    python="3.11",
    databases={"sqlite": "SQLite 3"},
    fsync_ms=0.1,
    load_average=0.0,
)
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "benchmark",
    [
        pytest.param(throughput, id="a scheduler in this process"),
        pytest.param(memory, id="a scheduler in a process of its own"),
        pytest.param(history, id="a database full of history"),
        pytest.param(dag_processing, id="a DAG processor"),
        pytest.param(asset_flood, id="updates of an asset at a steady pace"),
        pytest.param(api_lists, id="lists of a web server"),
    ],
)
def test_a_benchmark_yields_figures(benchmark: Callable[[Plan], Iterator[Figure]], databases: Databases) -> None:
    figures = list(benchmark(Plan(databases, ["sqlite"], Scale.TINY)))

    assert figures
    # A processor that idles for a moment uses less than a tick of the clock that counts its CPU time.
    assert all(figure.median > 0 for figure in figures if "idle" not in figure.case)


def test_a_figure_is_judged_by_its_median() -> None:
    values = (1.0, 2.0, 9.0)

    verdicts = [
        Figure("speed", "case", "sqlite", "tasks/s", values, target).verdict
        for target in (None, at_least(2), at_least(3), at_most(2), at_most(1))
    ]

    passed, short = Verdict.PASS, Verdict.SHORT
    assert verdicts == [Verdict.NO_TARGET, passed, short, passed, short]


def test_what_is_written_is_read_back_and_put_into_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = tmp_path / "README.md"
    monkeypatch.setattr(report, "README", readme)
    readme.write_text(f"before\n{report.BEGIN}\nstale\n{report.END}\nafter\n", encoding="utf-8")
    figure = Figure("speed", "case", "sqlite", "tasks/s", [4_000.0], at_least(2_000), 1_500.0, {"CPU ms": 0.25})
    results = report.make_results(MACHINE, date=NOW, git_revision="abc", scale="tiny")
    results["figures"].append(figure.record())

    report.write_results(results, tmp_path / "results.json")
    report.write_readme(report.read_results(tmp_path / "results.json"))

    written = readme.read_text(encoding="utf-8")
    assert "| speed | case | sqlite | 4,000 | tasks/s | ≥ 2,000 | pass | 1,500 |" in written
    assert "Abacus, 2 cores" in written
    assert "stale" not in written
    assert written.startswith("before\n")
    assert written.endswith("\nafter\n")


def test_an_unknown_benchmark_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sped"], NOW)

    assert "sped" in capsys.readouterr().err
