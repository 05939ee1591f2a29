"""Values that outlive an attempt or a run: the state stores of tasks and assets (D3)."""

import asyncio
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, ClassVar

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import AssetResult
from tradewind.sdk.assets import Asset, AssetAlias
from tradewind.sdk.state_store import (
    NEVER_EXPIRE,
    AssetScope,
    AssetStateStoreAccessor,
    AssetStateStoreAccessors,
    BaseStoreBackend,
    TaskScope,
    TaskStateStoreAccessor,
)
from tradewind.sdk.state_store_backend import StoreScope, worker_backend

ONE, OTHER = Asset("one"), Asset("other")


class ShelfBackend(BaseStoreBackend):
    """Keeps values on a shelf."""

    shelf: ClassVar[dict[str, Any]] = {}

    def get(self, scope: StoreScope, key: str, *, session: Any = None) -> str | None:
        return None

    def set(self, scope: StoreScope, key: str, value: str, *, expires_at: Any = None, session: Any = None) -> None:
        raise AssertionError("a worker stores references")

    def delete(self, scope: StoreScope, key: str, *, session: Any = None) -> None:
        del self.shelf[key]

    def clear(self, scope: StoreScope, *, all_map_indices: bool = False, session: Any = None) -> None:
        self.shelf.clear()

    def serialize_task_state_store_to_ref(self, *, value: Any, key: str, scope: TaskScope) -> str:
        self.shelf[key] = value
        return key

    def deserialize_task_state_store_from_ref(self, stored: str) -> Any:
        return self.shelf[stored]

    def serialize_asset_state_store_to_ref(self, *, value: Any, key: str, scope: AssetScope) -> str:
        self.shelf[key] = value
        return key

    def deserialize_asset_state_store_from_ref(self, stored: str) -> Any:
        return self.shelf[stored]


@pytest.fixture(autouse=True)
def no_backend() -> Iterator[None]:
    """The configured backend is looked up anew."""
    worker_backend.cache_clear()
    yield
    worker_backend.cache_clear()


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Values are kept on the shelf."""
    monkeypatch.setenv("TRADEWIND__WORKERS__STATE_STORE_BACKEND", f"{__name__}.ShelfBackend")
    ShelfBackend.shelf.clear()
    return ShelfBackend.shelf


@pytest.fixture
def store(runtime: MemoryRuntime) -> TaskStateStoreAccessor:
    """The values of a task."""
    return TaskStateStoreAccessor(TaskScope("d", "r", "t"))


def test_task_stores_reads_and_removes_values(runtime: MemoryRuntime, store: TaskStateStoreAccessor) -> None:
    store.set("job", {"id": [1]})
    store.set("other", False)

    assert store.get("job") == {"id": [1]}
    assert store.get("other") is False
    assert store.get("nope", "default") == "default"
    store.delete("job")
    store.delete("never there")
    assert runtime.task_states == {"other": False}
    store.clear()
    assert runtime.task_states == {}


def test_coroutines_use_the_values_of_their_task(runtime: MemoryRuntime, store: TaskStateStoreAccessor) -> None:
    async def use() -> Any:
        await store.aset("a", 1, retention=timedelta(days=1))
        await store.aset("b", 2)
        await store.adelete("b")
        seen = (await store.aget("a"), await store.aget("b", "gone"))
        await store.aclear()
        return seen

    assert asyncio.run(use()) == (1, "gone")
    assert runtime.retentions["a"] == timedelta(days=1)
    assert runtime.task_states == {}


def test_retention_is_told(runtime: MemoryRuntime, store: TaskStateStoreAccessor) -> None:
    store.set("a", 1)
    store.set("b", 1, retention=timedelta(hours=6))
    store.set("c", 1, retention=NEVER_EXPIRE)

    assert runtime.retentions == {"a": None, "b": timedelta(hours=6), "c": timedelta.max}


@pytest.mark.parametrize(("value", "problem"), [(None, "delete it instead"), (object(), "JSON value")])
def test_what_cannot_be_stored_is_refused(store: TaskStateStoreAccessor, value: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        store.set("k", value)


def test_large_value_is_warned_about(
    store: TaskStateStoreAccessor, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEWIND__STATE_STORE__MAX_VALUE_STORAGE_BYTES", "10")

    with caplog.at_level(logging.WARNING):
        store.set("small", "x")
        store.set("large", "x" * 20)

    (record,) = caplog.records
    assert "the value of 'large' has 22 bytes" in record.getMessage()


def test_backend_keeps_values_elsewhere(
    runtime: MemoryRuntime, shelf: dict[str, Any], store: TaskStateStoreAccessor
) -> None:
    store.set("job", [1, 2])

    assert runtime.task_states == {"job": {"__airflow_state_ref__": "job"}}
    assert store.get("job") == [1, 2]
    store.delete("job")
    assert shelf == {}
    store.set("job", 1)
    store.clear()
    assert (shelf, runtime.task_states) == ({}, {})


def test_value_from_before_there_was_a_backend_is_still_read(
    runtime: MemoryRuntime, shelf: dict[str, Any], store: TaskStateStoreAccessor
) -> None:
    runtime.task_states["job"] = {"id": 1}

    assert store.get("job") == {"id": 1}


def test_backend_that_cannot_be_imported_is_named(
    store: TaskStateStoreAccessor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEWIND__WORKERS__STATE_STORE_BACKEND", "nowhere.Backend")

    with pytest.raises(ValueError, match=r"state_store_backend = nowhere\.Backend cannot be imported"):
        store.set("a", 1)


def test_asset_is_found_among_inlets_and_outlets(runtime: MemoryRuntime) -> None:
    stores = AssetStateStoreAccessors([ONE], [OTHER, Asset.ref(uri="s3://bucket/key")])

    stores[ONE].set("watermark", 1)
    stores[Asset.ref(name="other")].set("watermark", 2)
    stores[Asset.ref(uri="s3://bucket/key")].set("watermark", 3)

    assert runtime.asset_states == {
        "one": {"watermark": 1},
        "other": {"watermark": 2},
        "s3://bucket/key": {"watermark": 3},
    }
    with pytest.raises(KeyError, match="not among the inlets and outlets"):
        stores[Asset("third")]
    with pytest.raises(TypeError, match="not by str"):
        stores["one"]


def test_assets_of_an_alias_are_inlets(runtime: MemoryRuntime) -> None:
    runtime.aliases["alias"] = [AssetResult(name="one", uri="one")]

    stores = AssetStateStoreAccessors([AssetAlias("alias")], [AssetAlias("outlet")])

    assert repr(stores) == "<AssetStateStoreAccessors [name='one']>"
    assert repr(stores[ONE]) == "<AssetStateStoreAccessor name='one'>"


def test_single_asset_need_not_be_named(runtime: MemoryRuntime) -> None:
    stores = AssetStateStoreAccessors([ONE], [ONE])

    stores.set("a", 1)
    stores.set("b", 2)
    stores.delete("a")

    assert (stores.get("a", "gone"), stores.get("b")) == ("gone", 2)
    stores.clear()
    assert runtime.asset_states == {}


def test_one_of_several_assets_has_to_be_named(runtime: MemoryRuntime) -> None:
    with pytest.raises(ValueError, match="this task has 2 assets"):
        AssetStateStoreAccessors([ONE, OTHER]).get("a")
    with pytest.raises(ValueError, match="this task has 0 assets"):
        AssetStateStoreAccessors([]).get("a")


def test_triggers_use_the_values_of_assets_in_coroutines(runtime: MemoryRuntime) -> None:
    stores = AssetStateStoreAccessors([ONE])

    async def use() -> tuple[Any, Any]:
        await stores.aset("a", 1)
        await stores.aset("b", 2)
        await stores.adelete("a")
        found = await stores.aget("a", "gone"), await stores.aget("b")
        await stores.aclear()
        return found

    assert asyncio.run(use()) == ("gone", 2)
    assert runtime.asset_states == {}


def test_backend_keeps_values_of_assets_too(runtime: MemoryRuntime, shelf: dict[str, Any]) -> None:
    accessor = AssetStateStoreAccessor(uri="u")

    accessor.set("k", 1)

    assert runtime.asset_states == {"u": {"k": {"__airflow_state_ref__": "k"}}}
    assert accessor.get("k") == 1
    accessor.delete("k")
    accessor.set("k", 1)
    accessor.clear()
    assert shelf == {}


def test_values_belong_to_somebody() -> None:
    with pytest.raises(ValueError, match="name or its uri"):
        AssetStateStoreAccessor()
    with pytest.raises(ValueError, match="asset_id, a name or a uri"):
        AssetScope()
