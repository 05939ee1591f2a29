"""What looks out for updates of assets that happen elsewhere."""

import hashlib
import json
from dataclasses import dataclass
from typing import NamedTuple, NewType

from tradewind.model.asset import AssetKey
from tradewind.model.json_value import JsonValue

WatcherKey = NewType("WatcherKey", int)
"""The database's own number of a watcher."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWatcher:
    """A trigger that runs for as long as somebody wants to know what it sees."""

    identity: str
    """The same for the same trigger: whoever declares it, it runs once."""
    class_path: str
    kwargs: str
    """JSON, serialized by the SDK; encrypted where there is a key."""
    is_encrypted: bool
    bundle_name: str | None
    """None: it was declared by a DAG that comes from no file."""
    path: str | None
    """Of the DAG file, relative to its bundle."""


class WatcherUse(NamedTuple):
    """A DAG says that an asset has a watcher."""

    dag_id: str
    asset_key: AssetKey
    identity: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedWatcher:
    """A watcher that a triggerer has claimed."""

    key: WatcherKey
    class_path: str
    kwargs: str
    is_encrypted: bool
    bundle_name: str | None
    bundle_version: str | None
    """The newest of its bundle. None: its files are taken as they are."""
    path: str | None
    stored: int
    """How many of its events were stored, ever. The next one has the number after that."""
    failures: int
    """How often it failed since it last said something."""
    blocks: int = 0
    """How often it held up others."""


class WatchedEvent(NamedTuple):
    """What a watcher saw."""

    watcher: WatcherKey
    number: int
    payload: JsonValue
    """Serialized by the SDK."""
    message_id: str | None = None
    """How its source names what the event was made of: what it hands out again has the same name."""


class SeenMessage(NamedTuple):
    """A message that a watcher saw, and the number of the event that it became."""

    watcher: WatcherKey
    message_hash: str
    number: int


def message_hash(message_id: str) -> str:
    """Of a name, however long it is."""
    return hashlib.sha256(message_id.encode("utf-8", "surrogatepass")).hexdigest()


def watcher_identity(class_path: str, arguments: JsonValue, bundle_name: str | None) -> str:
    """Equal triggers are one watcher. Modules of two bundles may share a name without being the same."""
    text = json.dumps([class_path, arguments, bundle_name], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
