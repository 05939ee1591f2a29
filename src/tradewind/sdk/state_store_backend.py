"""State store backends: where the values of tasks and assets are kept, if not with everything else."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from tradewind.sdk.configuration import conf
from tradewind.sdk.in_thread import in_thread
from tradewind.sdk.module_loading import import_string


@dataclass(frozen=True)
class TaskScope:
    """Whose values: those of one task instance, through all its attempts."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = -1


@dataclass(frozen=True)
class AssetScope:
    """Whose values: those of one asset. The server knows its number, a worker its name or URI."""

    asset_id: int | None = None
    name: str | None = None
    uri: str | None = None

    def __post_init__(self) -> None:
        if self.asset_id is None and self.name is None and self.uri is None:
            raise ValueError("AssetScope needs an asset_id, a name or a uri")


StoreScope = TaskScope | AssetScope


class BaseStoreBackend(ABC):
    """Where values are kept, if not with everything else: `[workers] state_store_backend` names a subclass.

    `get` and `set` deal in JSON text.
    """

    @abstractmethod
    def get(self, scope: StoreScope, key: str, *, session: Any = None) -> str | None:
        """The text, if there is one."""

    @abstractmethod
    def set(
        self, scope: StoreScope, key: str, value: str, *, expires_at: datetime | None = None, session: Any = None
    ) -> None:
        """Store a text."""

    @abstractmethod
    def delete(self, scope: StoreScope, key: str, *, session: Any = None) -> None:
        """Remove a text; nothing happens if there is none."""

    @abstractmethod
    def clear(self, scope: StoreScope, *, all_map_indices: bool = False, session: Any = None) -> None:
        """Remove all texts; `all_map_indices`: of every instance of a mapped task."""

    async def aget(self, scope: StoreScope, key: str, *, session: Any = None) -> str | None:
        """`get` for coroutines."""
        return await in_thread(self.get, scope, key)

    async def aset(
        self, scope: StoreScope, key: str, value: str, *, expires_at: datetime | None = None, session: Any = None
    ) -> None:
        """`set` for coroutines."""
        await in_thread(self.set, scope, key, value, expires_at=expires_at)

    async def adelete(self, scope: StoreScope, key: str, *, session: Any = None) -> None:
        """`delete` for coroutines."""
        await in_thread(self.delete, scope, key)

    async def aclear(self, scope: StoreScope, *, all_map_indices: bool = False, session: Any = None) -> None:
        """`clear` for coroutines."""
        await in_thread(self.clear, scope, all_map_indices=all_map_indices)

    def cleanup(self) -> None:  # noqa: B027 - not every backend has anything to do
        """Remove what has expired."""

    # What a worker stores with everything else in place of the value: where the backend put it. The same key of the
    # same scope must always give the same reference, or nobody can remove the value.

    def serialize_task_state_store_to_ref(self, *, value: Any, key: str, scope: TaskScope) -> str:
        """Put a value of a task elsewhere, and say where."""
        return json.dumps(value)

    def deserialize_task_state_store_from_ref(self, stored: str) -> Any:
        """The value of a task that is there."""
        return json.loads(stored)

    def serialize_asset_state_store_to_ref(self, *, value: Any, key: str, scope: AssetScope) -> str:
        """Put a value of an asset elsewhere, and say where."""
        return json.dumps(value)

    def deserialize_asset_state_store_from_ref(self, stored: str) -> Any:
        """The value of an asset that is there."""
        return json.loads(stored)


@cache
def worker_backend() -> BaseStoreBackend | None:
    """The configured backend, if there is one."""
    path = conf.get("workers", "state_store_backend", fallback="") or ""
    if not path:
        return None
    try:
        backend: BaseStoreBackend = import_string(path)()
    except ImportError as error:
        raise ValueError(f"[workers] state_store_backend = {path} cannot be imported: {error}") from error
    return backend
