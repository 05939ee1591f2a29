"""The benchmark of the pages still works: tiny sizes, so no figure means anything (A8)."""

from benchmarks.harness import Plan, Scale
from benchmarks.ui import ui
from tests.databases import Databases


def test_the_benchmark_of_the_pages_yields_figures(has_browser: None, built_pages: None, databases: Databases) -> None:
    figures = list(ui(Plan(databases, ["sqlite"], Scale.TINY)))

    assert len(figures) == 9
    assert all(figure.median > 0 for figure in figures)
