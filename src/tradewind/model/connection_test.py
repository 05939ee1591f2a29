"""A connection that somebody wants to have tried out where tasks run."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, NewType

from tradewind.model.task_answers import ConnectionResult

ConnectionTestKey = NewType("ConnectionTestKey", int)
"""The database's own number of such a wish; the one who has it knows a token."""

LONGEST_MESSAGE: Final = 2_000


class ConnectionTestState(StrEnum):
    """How far it has come. Each follows one before it, and none comes again."""

    PENDING = "pending"
    """No executor has it."""
    QUEUED = "queued"
    """An executor has it."""
    RUNNING = "running"
    """A worker has begun it."""
    SUCCESS = "success"
    FAILED = "failed"
    """The connection does not work, or nobody found out in time."""


UNDER_WAY: Final = frozenset({ConnectionTestState.QUEUED, ConnectionTestState.RUNNING})
"""Of these there may be only so many at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTest:
    """The test, without what it tests."""

    key: ConnectionTestKey
    conn_id: str
    state: ConnectionTestState
    executor: str | None
    """None: the default one."""
    saves: bool
    """Whether the connection is stored if it works."""
    message: str | None
    created_at: datetime
    updated_at: datetime
    """When it came into its state."""


class ConnectionTestItem(NamedTuple):
    """What an executor hands to a worker."""

    key: ConnectionTestKey
    token: str = ""
    """With which a worker that has no database may begin and end it."""


@dataclass(frozen=True, slots=True)
class ConnectionTestOrder:
    """A test that its worker has begun."""

    key: ConnectionTestKey
    connection: ConnectionResult


class ConnectionTestEnd(NamedTuple):
    """What came of it."""

    key: ConnectionTestKey
    works: bool
    message: str
    duration_s: float
