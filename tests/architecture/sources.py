"""The source files that the architecture tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tradewind"


def python_files(folder: str) -> list[Path]:
    """Every Python file below a top folder of the repository, in a fixed order."""
    return sorted((ROOT / folder).rglob("*.py"))


def relative(path: Path) -> str:
    """The path as a reader would type it from the root of the repository."""
    return path.relative_to(ROOT).as_posix()
