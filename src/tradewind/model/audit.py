"""What the audit log says: who changed what."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change."""

    event: str
    """The operation: `trigger_dag_run` of the REST API, `cli_dags_trigger` of the command line."""
    owner: str | None
    """Who did it."""
    at: datetime
    dag_id: str | None = None
    task_id: str | None = None
    run_id: str | None = None
    map_index: int | None = None
    try_number: int | None = None
    logical_date: datetime | None = None
    extra: str | None = None
    """What was asked for, as JSON, without secrets."""
