"""Small JSON values that outlive an attempt of a task, or a run: `context["task_state_store"]` and the asset one."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final

from tradewind.sdk.assets import Asset, AssetAlias, AssetNameRef, AssetUriRef
from tradewind.sdk.configuration import conf
from tradewind.sdk.in_thread import in_thread
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.state_store_backend import AssetScope, BaseStoreBackend, TaskScope, worker_backend

log = logging.getLogger(__name__)

NEVER_EXPIRE: Final = timedelta.max
"""The retention of a value that is kept until somebody removes it."""

# Marks a value that a backend keeps elsewhere. Airflow's word, so that stored values can be read by both.
_REFERENCE_KEY: Final = "__airflow_state_ref__"


def _checked(key: str, value: Any) -> None:
    """Refuse what JSON cannot say, and warn about what is too large for a database row."""
    if value is None:
        raise ValueError(f"{key!r} cannot be set to None; delete it instead")
    try:
        size = len(json.dumps(value))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{key!r} has to be set to a JSON value: {error}") from error
    limit = conf.getint("state_store", "max_value_storage_bytes", fallback=65535)
    if 0 < limit < size and worker_backend() is None:
        log.warning(
            "the value of %r has %d bytes, more than [state_store] max_value_storage_bytes = %d:"
            " keep large values elsewhere with [workers] state_store_backend",
            key,
            size,
            limit,
        )


class TaskStateStoreAccessor:
    """Values of the running task instance. They are still there when it is retried."""

    def __init__(self, scope: TaskScope) -> None:
        self._scope = scope

    def __repr__(self) -> str:
        return f"<TaskStateStoreAccessor of task {self._scope.task_id!r} in run {self._scope.run_id!r}>"

    def get(self, key: str, default: Any = None) -> Any:
        """The value; without one, the default."""
        stored = current_runtime().get_task_state(key)
        if stored is None:
            return default
        backend, reference = worker_backend(), _reference(stored)
        if backend is None or reference is None:
            return stored
        return backend.deserialize_task_state_store_from_ref(reference)

    def set(self, key: str, value: Any, *, retention: timedelta | None = None) -> None:
        """Store a JSON value. Without a retention it is kept for `[state_store] default_retention_days`."""
        _checked(key, value)
        backend = worker_backend()
        if backend is not None:
            reference = backend.serialize_task_state_store_to_ref(value=value, key=key, scope=self._scope)
            value = {_REFERENCE_KEY: reference}
        current_runtime().set_task_state(key, value, retention)

    def delete(self, key: str) -> None:
        """Remove a value; nothing happens if there is none."""
        # The reference first: if the backend fails after that, setting the key again finds and replaces the value.
        current_runtime().delete_task_state(key)
        if (backend := worker_backend()) is not None:
            backend.delete(self._scope, key)

    def clear(self) -> None:
        """Remove all values of this task instance."""
        current_runtime().clear_task_state()
        self.clear_backend()

    def clear_backend(self) -> None:
        """Remove only what a backend keeps: for when the server already removed the rest."""
        if (backend := worker_backend()) is not None:
            backend.clear(self._scope)

    # Airflow's own example of an asynchronous task uses these, though Airflow 3.3 has them for assets only.

    async def aget(self, key: str, default: Any = None) -> Any:
        """`get` for coroutines."""
        return await in_thread(self.get, key, default)

    async def aset(self, key: str, value: Any, *, retention: timedelta | None = None) -> None:
        """`set` for coroutines."""
        await in_thread(lambda: self.set(key, value, retention=retention))

    async def adelete(self, key: str) -> None:
        """`delete` for coroutines."""
        await in_thread(self.delete, key)

    async def aclear(self) -> None:
        """`clear` for coroutines."""
        await in_thread(self.clear)


class AssetStateStoreAccessor:
    """Values of one asset. They are there for all tasks and watchers that have the asset as inlet or outlet."""

    def __init__(self, *, name: str | None = None, uri: str | None = None) -> None:
        if not name and not uri:
            raise ValueError("the values of an asset need its name or its uri")
        self._which: dict[str, str | None] = {"name": name, "uri": None if name else uri}

    def __repr__(self) -> str:
        kind, value = next((kind, value) for kind, value in self._which.items() if value)
        return f"<AssetStateStoreAccessor {kind}={value!r}>"

    def _scope(self) -> AssetScope:
        return AssetScope(**self._which)  # type: ignore[arg-type]

    def get(self, key: str, default: Any = None) -> Any:
        """The value; without one, the default."""
        stored = current_runtime().get_asset_state(key, **self._which)
        if stored is None:
            return default
        backend, reference = worker_backend(), _reference(stored)
        if backend is None or reference is None:
            return stored
        return backend.deserialize_asset_state_store_from_ref(reference)

    def set(self, key: str, value: Any) -> None:
        """Store a JSON value."""
        _checked(key, value)
        backend = worker_backend()
        if backend is not None:
            reference = backend.serialize_asset_state_store_to_ref(value=value, key=key, scope=self._scope())
            value = {_REFERENCE_KEY: reference}
        current_runtime().set_asset_state(key, value, **self._which)

    def delete(self, key: str) -> None:
        """Remove a value; nothing happens if there is none."""
        current_runtime().delete_asset_state(key, **self._which)
        if (backend := worker_backend()) is not None:
            backend.delete(self._scope(), key)

    def clear(self) -> None:
        """Remove all values of this asset."""
        current_runtime().clear_asset_state(**self._which)
        if (backend := worker_backend()) is not None:
            backend.clear(self._scope())

    async def aget(self, key: str, default: Any = None) -> Any:
        """`get` for coroutines."""
        return await in_thread(self.get, key, default)

    async def aset(self, key: str, value: Any) -> None:
        """`set` for coroutines."""
        await in_thread(self.set, key, value)

    async def adelete(self, key: str) -> None:
        """`delete` for coroutines."""
        await in_thread(self.delete, key)

    async def aclear(self) -> None:
        """`clear` for coroutines."""
        await in_thread(self.clear)


class AssetStateStoreAccessors:
    """The values of all inlets and outlets of a task, by asset. With a single one it need not be named."""

    def __init__(self, inlets: Iterable[Any], outlets: Iterable[Any] | None = None) -> None:
        self._by_name: dict[str, AssetStateStoreAccessor] = {}
        self._by_uri: dict[str, AssetStateStoreAccessor] = {}
        for inlet in inlets:
            if isinstance(inlet, AssetAlias):
                for asset in current_runtime().get_assets_by_alias(inlet.name):
                    self._by_name[asset.name] = AssetStateStoreAccessor(name=asset.name)
            else:
                self._add(inlet)
        # What an alias in the outlets stands for is not known before the task ends.
        for outlet in outlets or ():
            self._add(outlet)

    def _add(self, asset: Any) -> None:
        if isinstance(asset, Asset | AssetNameRef):
            self._by_name.setdefault(asset.name, AssetStateStoreAccessor(name=asset.name))
        elif isinstance(asset, AssetUriRef):
            self._by_uri.setdefault(asset.uri, AssetStateStoreAccessor(uri=asset.uri))

    def __getitem__(self, key: Any) -> AssetStateStoreAccessor:
        if isinstance(key, Asset | AssetNameRef):
            found = self._by_name.get(key.name)
        elif isinstance(key, AssetUriRef):
            found = self._by_uri.get(key.uri)
        else:
            raise TypeError(f"the values are found by Asset or Asset.ref(...), not by {type(key).__name__}")
        if found is None:
            raise KeyError(f"{key!r} is not among the inlets and outlets of this task")
        return found

    def __len__(self) -> int:
        return len(self._by_name) + len(self._by_uri)

    def __repr__(self) -> str:
        names = [f"name={name!r}" for name in self._by_name] + [f"uri={uri!r}" for uri in self._by_uri]
        return f"<AssetStateStoreAccessors [{', '.join(names)}]>"

    def _only(self) -> AssetStateStoreAccessor:
        if len(self) != 1:
            raise ValueError(
                f"this task has {len(self)} assets among its inlets and outlets: say which one, as in"
                " context['asset_state_store'][asset]"
            )
        return next(iter((*self._by_name.values(), *self._by_uri.values())))

    def get(self, key: str, default: Any = None) -> Any:
        """The value; without one, the default."""
        return self._only().get(key, default)

    def set(self, key: str, value: Any) -> None:
        """Store a JSON value."""
        self._only().set(key, value)

    def delete(self, key: str) -> None:
        """Remove a value."""
        self._only().delete(key)

    def clear(self) -> None:
        """Remove all values."""
        self._only().clear()

    async def aget(self, key: str, default: Any = None) -> Any:
        """`get` for coroutines."""
        return await self._only().aget(key, default)

    async def aset(self, key: str, value: Any) -> None:
        """`set` for coroutines."""
        await self._only().aset(key, value)

    async def adelete(self, key: str) -> None:
        """`delete` for coroutines."""
        await self._only().adelete(key)

    async def aclear(self) -> None:
        """`clear` for coroutines."""
        await self._only().aclear()


def _reference(stored: Any) -> str | None:
    reference = stored.get(_REFERENCE_KEY) if isinstance(stored, dict) else None
    return reference if isinstance(reference, str) else None


__all__ = [
    "NEVER_EXPIRE",
    "AssetScope",
    "AssetStateStoreAccessor",
    "AssetStateStoreAccessors",
    "BaseStoreBackend",
    "TaskScope",
    "TaskStateStoreAccessor",
]
