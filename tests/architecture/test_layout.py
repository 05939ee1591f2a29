"""The tree can be read: every module says what it is for, and none is a drawer for odds and ends."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGE, python_files, relative

DRAWERS = {"base", "common", "core", "helper", "helpers", "misc", "util", "utils"}
DEEPEST = 3


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks"])
def test_every_module_says_what_it_is_for(folder: str) -> None:
    silent = [
        relative(path)
        for path in python_files(folder)
        if ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) is None
    ]

    assert silent == []


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in python_files("src")} - {PACKAGE.parent}
    without_init = [relative(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()]

    # Alembic loads its migrations by path.
    assert [folder for folder in without_init if "/migrations" not in folder] == []


def test_no_module_is_a_drawer() -> None:
    names = [path for path in python_files("src") if {path.stem, path.parent.name} & DRAWERS]

    assert [relative(path) for path in names] == []


def test_tree_is_shallow() -> None:
    deep = [path for path in python_files("src") if _depth(path) > DEEPEST and "migrations" not in path.parts]

    assert [relative(path) for path in deep] == []


def _depth(path: Path) -> int:
    return len(path.relative_to(PACKAGE).parts)
