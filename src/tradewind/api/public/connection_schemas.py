"""Connections as clients send them and see them."""

import json
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from tradewind.api.public.teams import Team

HIGHEST_PORT = 65_535


def _not_empty(conn_type: str) -> str:
    if not conn_type:
        raise ValueError("a connection needs a type")
    return conn_type


def _json_object(text: str) -> str:
    """Nothing is an object without fields, as in Airflow."""
    if not text:
        return "{}"
    try:
        is_object = isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        raise ValueError('the extra of a connection is a JSON object, such as {"key": "value"}')
    return text


def _possible(port: int) -> int:
    if not 0 <= port <= HIGHEST_PORT:
        raise ValueError(f"a port is a number from 0 to {HIGHEST_PORT}")
    return port


class ConnectionBody(BaseModel):
    """A connection to be."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())
    connection_id: Annotated[str, Field(max_length=200, pattern=r"^[\w.-]+$")]
    conn_type: Annotated[str, AfterValidator(_not_empty)]
    description: str | None = None
    host: str | None = None
    login: str | None = None
    schema_: Annotated[str | None, Field(alias="schema")] = None
    port: Annotated[int, AfterValidator(_possible)] | None = None
    password: str | None = None
    extra: Annotated[str, AfterValidator(_json_object)] | None = None
    team_name: Team | None = None


class ConnectionTestRequestBody(ConnectionBody):
    """A connection to try out where tasks run."""

    commit_on_success: bool = False
    executor: str | None = None
    queue: str | None = None


class ConnectionResponse(BaseModel):
    """A connection, as far as it may be shown."""

    connection_id: str
    conn_type: str
    description: str | None
    host: str | None
    login: str | None
    schema_: Annotated[str | None, Field(alias="schema")]
    port: int | None
    password: str | None
    extra: str | None
    team_name: str | None


class ConnectionCollectionResponse(BaseModel):
    """A page of connections."""

    connections: list[ConnectionResponse]
    total_entries: int


class ConnectionTestResponse(BaseModel):
    """What came of trying it out."""

    status: bool
    message: str


class ConnectionTestQueuedResponse(BaseModel):
    """A test that is to come."""

    token: str
    connection_id: str
    state: str


class AsyncConnectionTestResponse(BaseModel):
    """How far a test has come."""

    token: str
    connection_id: str
    state: str
    result_message: str | None = None
    created_at: datetime
