"""Python environments of their own, with Tradewind in them, for tests of what installing does."""

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def packages(self) -> Path:
        """Where its packages lie."""
        return Path(sysconfig.get_path("purelib", vars={"base": str(self.folder)}))

    def run(
        self, *arguments: str, cwd: Path | None = None, path: str | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run its Python, somewhere else than in this repository; `path` is where it looks for programs."""
        environ = {**os.environ, "PATH": os.defpath if path is None else path}
        return subprocess.run(
            [str(self.python), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd or self.folder,
            env=environ,
            timeout=600,
        )

    def says(self, code: str) -> str:
        """What a program prints; it must not fail."""
        ran = self.run("-c", code)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()


def make_environment(folder: Path) -> Environment:
    """An environment with nothing in it."""
    venv.create(folder, with_pip=False, symlinks=True)
    return Environment(folder)


def borrow_packages(environment: Environment) -> None:
    """Let it see what this environment has, such as the libraries that Tradewind needs; without its `.pth` files."""
    here = sysconfig.get_path("purelib")
    (environment.packages / "zz_borrowed.pth").write_text(f"{here}\n", encoding="utf-8")


def build_wheel(folder: Path, kind: str = "wheel") -> Path:
    """Tradewind as a wheel, without its pages; `editable` for one that points into this repository."""
    code = f"import hatchling.build; print(hatchling.build.build_{kind}({str(folder)!r}))"
    command = [sys.executable, "-c", code]
    environ = {**os.environ, "TRADEWIND_BUILD_PAGES": "0"}
    built = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=300, env=environ)
    return folder / built.stdout.strip().splitlines()[-1]


def install_wheel(environment: Environment, wheel: Path) -> None:
    """Install a wheel without what it requires."""
    command = [sys.executable, "-m", "pip", "--python", str(environment.python), "install", "--quiet", "--no-deps"]
    subprocess.run([*command, "--no-index", str(wheel)], capture_output=True, check=True, timeout=300)
