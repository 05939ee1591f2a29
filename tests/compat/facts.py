"""What Airflow 3.3.2 does with import statements, from `airflow_imports.txt`."""

from pathlib import Path
from typing import NamedTuple


class Statement(NamedTuple):
    """`from module import name`, and how it went: ok, deprecated, star (fails, but 2.x files use it a lot) or fails."""

    module: str
    name: str
    status: str

    def __str__(self) -> str:
        return f"{self.module}:{self.name}"


def statements(*status: str) -> list[Statement]:
    """The statements that went so."""
    lines = Path(__file__).with_name("airflow_imports.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return [Statement(module, name, went) for module, went, *names in rows for name in names if went in status]
