"""What listeners of plugins are told of, besides runs and tasks."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

NewsKey = NewType("NewsKey", int)
"""The database's own number of a piece of news."""


class Hook(StrEnum):
    """Of what a listener may want to hear, by the name of its function."""

    STARTING = "on_starting"
    STOPPING = "before_stopping"
    ASSET_CREATED = "on_asset_created"
    ALIAS_CREATED = "on_asset_alias_created"
    ASSET_CHANGED = "on_asset_changed"
    ASSET_EVENT = "on_asset_event_emitted"
    NEW_IMPORT_ERROR = "on_new_dag_import_error"
    EXISTING_IMPORT_ERROR = "on_existing_dag_import_error"


@dataclass(frozen=True, slots=True)
class News:
    """Something that happened."""

    hook: Hook
    facts: Mapping[str, object]
    """JSON, by name."""


@dataclass(frozen=True, slots=True)
class StoredNews:
    """News that nobody has told yet."""

    key: NewsKey
    news: News
    attempts: int
    """How often somebody has begun to tell it, this time included."""
