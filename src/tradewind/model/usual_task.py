"""What is usual of a task."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UsualTask:
    """How a task went in the last runs that succeeded, on average."""

    seconds: float
    """From its start to its end; of a mapped one, each copy."""
    map_length: int | None = None
    """How many elements it returned, where tasks are mapped over them."""
