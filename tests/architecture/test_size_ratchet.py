"""Files, classes and functions stay small; what is above a hard stop is listed, and the list only shrinks."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import pytest

from tests.architecture.sources import ROOT, python_files, relative

Measure = Literal["file_lines", "class_lines", "class_methods", "function_lines", "function_branches"]
Sizes = dict[tuple[str, str], int]

HARD_STOPS: dict[Measure, int] = {
    "file_lines": 600,
    "class_lines": 500,
    "class_methods": 25,
    "function_lines": 60,
    "function_branches": 12,
}
TEST_FILE_LINES = 800

# What a file should have; a tree that stays pleasant keeps nearly all of its files below.
FILE_BUDGET_LINES = 250
SHARE_OVER_BUDGET = 0.25

# Raise this only with a reason in the commit message; lower it whenever an entry goes.
MOST_EXCEPTIONS = 0
EXCEPTIONS_FILE = Path(__file__).with_name("size_exceptions.txt")

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
    ast.comprehension,
)


@dataclass(frozen=True, slots=True)
class Size:
    """One measured thing: `where` is a path, with `::qualified.name` for a class or a function."""

    measure: Measure
    where: str
    value: int

    @property
    def limit(self) -> int:
        if self.measure == "file_lines" and self.where.startswith("tests/"):
            return TEST_FILE_LINES
        return HARD_STOPS[self.measure]


@cache
def all_sizes() -> tuple[Size, ...]:
    return tuple(_measured())


def _measured() -> Iterator[Size]:
    for folder in ("src", "tests", "benchmarks"):
        for path in python_files(folder):
            # A migration is a flat list of statements and is never edited once it is released.
            if "migrations" not in path.parts:
                yield from sizes_of(path.read_text(encoding="utf-8"), relative(path))


def sizes_of(source: str, where: str) -> Iterator[Size]:
    yield Size("file_lines", where, len(source.splitlines()))
    yield from _sizes_below(ast.parse(source), f"{where}::")


def _sizes_below(parent: ast.AST, prefix: str) -> Iterator[Size]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ClassDef):
            where = prefix + node.name
            methods = [child for child in node.body if isinstance(child, FUNCTIONS)]
            yield Size("class_lines", where, _line_count(node))
            yield Size("class_methods", where, len(methods))
            yield from _sizes_below(node, f"{where}.")
        elif isinstance(node, FUNCTIONS):
            where = prefix + node.name
            yield Size("function_lines", where, _body_lines(node))
            yield Size("function_branches", where, sum(1 for _ in _branches_of(node)))
            yield from _sizes_below(node, f"{where}.")
        else:
            yield from _sizes_below(node, prefix)


def _branches_of(function: ast.AST) -> Iterator[ast.AST]:
    """The decision points of a function; those of a function inside it are its own."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, FUNCTIONS):
            continue
        if isinstance(node, BRANCHES):
            yield node
        yield from _branches_of(node)


def _line_count(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """What a function does. Neither explaining it nor naming its arguments, one a line, counts against it."""
    statements = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or function.lineno) - statements[0].lineno + 1 if statements else 0


def listed_exceptions() -> Sizes:
    entries: Sizes = {}
    for line in EXCEPTIONS_FILE.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            measure, where, value = line.split()
            entries[measure, where] = int(value)
    return entries


def problems_of(sizes: list[Size], listed: Sizes) -> list[str]:
    """What the author must do, one line each; empty when the tree keeps to its sizes."""
    problems = []
    over = {(size.measure, size.where): size for size in sizes if size.value > size.limit}
    for key, size in over.items():
        if key not in listed:
            problems.append(f"{size.where}: {size.measure} is {size.value}, the hard stop is {size.limit}")
        elif size.value > listed[key]:
            problems.append(f"{size.where}: {size.measure} grew from {listed[key]} to {size.value}")
        elif size.value < listed[key]:
            problems.append(f"{size.where}: {size.measure} shrank to {size.value}: lower its entry")
    problems += [
        f"{where}: {measure} is within the limit: remove its entry"
        for measure, where in listed
        if (measure, where) not in over
    ]
    return problems


def test_nothing_is_larger_than_its_hard_stop() -> None:
    assert problems_of(list(all_sizes()), listed_exceptions()) == []


def test_list_of_exceptions_only_shrinks() -> None:
    assert len(listed_exceptions()) <= MOST_EXCEPTIONS


def test_most_files_are_within_the_budget() -> None:
    lines = {size.where: size.value for size in all_sizes() if size.where.startswith("src/")}
    files = {where: value for where, value in lines.items() if "::" not in where}
    over = sorted(where for where, value in files.items() if value > FILE_BUDGET_LINES)

    assert len(over) <= SHARE_OVER_BUDGET * len(files), over


@pytest.mark.parametrize(
    ("value", "listed", "expected"),
    [
        pytest.param(60, None, None, id="within the limit"),
        pytest.param(61, None, "hard stop is 60", id="too long and not listed"),
        pytest.param(70, 70, None, id="listed"),
        pytest.param(71, 70, "grew from 70 to 71", id="grew"),
        pytest.param(65, 70, "lower its entry", id="shrank"),
        pytest.param(60, 70, "remove its entry", id="no longer needed"),
    ],
)
def test_ratchet_turns_one_way(value: int, listed: int | None, expected: str | None) -> None:
    entries: Sizes = {} if listed is None else {("function_lines", "src/a.py::f"): listed}

    problems = problems_of([Size("function_lines", "src/a.py::f", value)], entries)

    assert (problems == []) if expected is None else (expected in problems[0])


def test_sizes_count_branches_methods_and_lines_without_docstrings() -> None:
    source = (ROOT / "tests" / "architecture" / "size_sample.txt").read_text(encoding="utf-8")
    sizes = {(size.measure, size.where): size.value for size in sizes_of(source, "a.py")}

    assert sizes == {
        ("file_lines", "a.py"): 20,
        ("class_lines", "a.py::Box"): 2,
        ("class_methods", "a.py::Box"): 1,
        ("function_lines", "a.py::Box.empty"): 1,
        ("function_branches", "a.py::Box.empty"): 0,
        ("function_lines", "a.py::outer"): 8,
        ("function_branches", "a.py::outer"): 4,
        ("function_lines", "a.py::outer.inner"): 1,
        ("function_branches", "a.py::outer.inner"): 1,
    }
