"""What is installed has the pages in it, on a machine that has only Python (A8)."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

_PAGES = "tradewind/api/ui/pages"
_CALLS = "import hatchling.build as b; print(b.get_requires_for_build_{kind}(), b.build_{kind}({folder!r}), sep='\\n')"


def _packed(kind: str, sources: Path, folder: Path) -> Path:
    """As pip does it, where no npm can be found: whatever has to be built fails."""
    environ = {name: value for name, value in os.environ.items() if name != "TRADEWIND_BUILD_PAGES"}
    command = [sys.executable, "-c", _CALLS.format(kind=kind, folder=str(folder))]
    done = subprocess.run(
        command, cwd=sources, env={**environ, "PATH": ""}, capture_output=True, text=True, check=True, timeout=120
    )
    required, name = done.stdout.splitlines()[-2:]
    assert required == "[]", "nothing has to be fetched"
    return folder / name


def _pages_of(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as packed:
        return {
            name.removeprefix(f"{_PAGES}/"): packed.read(name)
            for name in packed.namelist()
            if name.startswith(f"{_PAGES}/")
        }


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, built_pages: None) -> Path:
    """Of the sources."""
    return _packed("sdist", ROOT, tmp_path_factory.mktemp("archive"))


def test_the_archive_of_the_sources_has_the_pages_and_no_packages_of_others(archive: Path) -> None:
    """Who installs it needs neither Node nor a registry of its packages."""
    with tarfile.open(archive) as packed:
        names = packed.getnames()

    assert any(name.endswith(f"/src/{_PAGES}/index.html") for name in names)
    assert any(name.endswith("/ui/src/main.tsx") for name in names)
    assert [name for name in names if "node_modules" in name or name.endswith("openapi.json")] == []


def test_a_wheel_made_from_the_archive_has_every_file_of_the_pages(archive: Path, tmp_path: Path) -> None:
    """The very ones that were built; index.html names nothing that is missing."""
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (sources,) = tmp_path.iterdir()

    pages = _pages_of(_packed("wheel", sources, tmp_path))

    built = ROOT / "src" / _PAGES
    assert pages == {
        file.relative_to(built).as_posix(): file.read_bytes() for file in built.rglob("*") if file.is_file()
    }
    named = re.findall(r'(?:src|href)="/(static/[^"]+)"', pages["index.html"].decode())
    assert len(named) > 1
    assert set(named) <= set(pages)
    assert {f"{name}.gz" for name in named} <= set(pages)
