"""Changes as those see them who watch: what changed, and what it is now."""

from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

MOST_NAMED: Final = 200
"""More than so many of one kind in one transaction are told of as a number."""


class LiveKind(StrEnum):
    """What something happened to."""

    DAG = "dag"
    DAG_RUN = "dag_run"
    TASK_INSTANCE = "task_instance"
    ASSET = "asset"
    IMPORT_ERROR = "import_error"
    JOB = "job"
    POOL = "pool"


class LiveEntry(NamedTuple):
    """What one transaction did to one thing, or to many of the same kind in the same way."""

    kind: LiveKind
    state: str
    """What it is now: its state, or a word such as `paused`, `deleted`."""
    name: str | None = None
    """The id of the DAG, or the name of the pool, the file or the service. Absent: of too many DAGs to name them, of
    the run that `run_key` names, or of assets."""
    run_id: str | None = None
    run_key: int | None = None
    tasks: tuple[tuple[str, int], ...] = ()
    """Id and map index of each. None of them although it is about task instances: too many to name them."""
    number: int = 1
    """How many there are."""


class LiveRow(NamedTuple):
    """What one transaction did."""

    key: int
    at: datetime
    entries: list[LiveEntry]
