"""How many copies of a mapped task there will be, as an expression over lengths known only at run time."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FixedLength:
    """A length that the DAG file itself states."""

    kind: ClassVar[str] = "fixed"
    length: int


@dataclass(frozen=True, slots=True)
class OutputLength:
    """The length of what a task returns; for a mapped task, the number of its copies that succeeded."""

    kind: ClassVar[str] = "output"
    task_id: str


@dataclass(frozen=True, slots=True)
class Product:
    """Every combination: the product of the parts (`expand` over several arguments)."""

    kind: ClassVar[str] = "product"
    parts: tuple["MapLength", ...]


@dataclass(frozen=True, slots=True)
class Zip:
    """Side by side: the shortest part, or the longest when a fill value is given."""

    kind: ClassVar[str] = "zip"
    parts: tuple["MapLength", ...]
    longest: bool = False


@dataclass(frozen=True, slots=True)
class Concat:
    """One after another: the sum of the parts."""

    kind: ClassVar[str] = "concat"
    parts: tuple["MapLength", ...]


MapLength = FixedLength | OutputLength | Product | Zip | Concat
