"""What all tasks of a test share besides its database."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tradewind.model.task_answers import (
    AssetEventResult,
    ConnectionResult,
    HITLDetailRequest,
    HITLDetailResponse,
)
from tradewind.sdk.connection import Connection
from tradewind.sdk.connection_text import from_fields, parse_connection

GivenConnection = Connection | ConnectionResult | Mapping[str, Any] | str
"""A connection, its fields, its URI, or its JSON."""


@dataclass(slots=True)
class Memory:
    """Filled by the author of the test, then by the tasks."""

    variables: dict[str, str] = field(default_factory=dict)
    connections: dict[str, ConnectionResult] = field(default_factory=dict)
    asset_events: Sequence[AssetEventResult] = ()
    """What happened before the test."""
    questions: dict[str, HITLDetailRequest] = field(default_factory=dict)
    responses: dict[str, HITLDetailResponse] = field(default_factory=dict)


def as_connection(conn_id: str, given: GivenConnection) -> ConnectionResult:
    """A connection, however it was written down."""
    if isinstance(given, ConnectionResult):
        return given
    if isinstance(given, Connection):
        fields = given.to_dict(prune_empty=True, validate=False)
        fields.pop("conn_id", None)
        return from_fields(fields, conn_id)
    if isinstance(given, str):
        return parse_connection(given, conn_id)
    return from_fields(dict(given), conn_id)


def as_variable(value: object) -> str:
    """The text of a variable; whatever is no text is JSON."""
    return value if isinstance(value, str) else json.dumps(value)
