"""A version of a DAG, as answers show it: by itself, with a run, with a task instance."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel


class DagVersionResponse(BaseModel):
    """A version."""

    id: UUID
    version_number: int
    dag_id: str
    bundle_name: str | None
    bundle_version: str | None
    created_at: datetime
    dag_display_name: str
    bundle_url: str | None


def version_id(version_key: int) -> UUID:
    """The id of a version for clients, who expect a UUID."""
    return UUID(int=version_key)
