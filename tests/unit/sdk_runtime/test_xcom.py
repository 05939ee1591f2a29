"""XComs: what tasks leave for one another, and backends that keep it elsewhere (D3)."""

import asyncio
import datetime as dt
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import XComResult
from tradewind.sdk import xcom
from tradewind.sdk.operator_link import TaskInstanceKey
from tradewind.sdk.xcom import BaseXCom, resolve_xcom_backend
from tradewind.sdk.xcom_sequence import PAGE_SIZE, LazyXComSequence

PLACE: dict[str, Any] = {"dag_id": "d", "run_id": "r2", "task_id": "t"}


class ShelfXCom(BaseXCom):
    """Keeps values on a shelf, and stores where."""

    shelf: ClassVar[dict[str, Any]] = {}

    @staticmethod
    def serialize_value(value: Any, *, key: str | None = None, **_: Any) -> Any:
        ShelfXCom.shelf[f"ref-{key}"] = value
        return f"ref-{key}"

    @staticmethod
    def deserialize_value(result: Any) -> Any:
        return ShelfXCom.shelf[result.value]

    @classmethod
    def purge(cls, xcom: XComResult, *args: Any) -> None:
        del cls.shelf[str(xcom.value)]


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The configured backend is the shelf."""
    monkeypatch.setenv("TRADEWIND__CORE__XCOM_BACKEND", f"{__name__}.ShelfXCom")
    ShelfXCom.shelf.clear()
    yield ShelfXCom.shelf
    vars(xcom).pop("XCom", None)


def push(runtime: MemoryRuntime, count: int) -> LazyXComSequence:
    for index in range(count):
        BaseXCom.set("return_value", (index,), **PLACE, map_index=index)
    return LazyXComSequence(**PLACE)


def test_value_is_stored_as_json_and_comes_back(runtime: MemoryRuntime) -> None:
    value = {"at": dt.date(2026, 1, 31), "pair": (1, 2)}

    BaseXCom.set("k", value, **PLACE)

    assert runtime.xcoms["d", "r2", "t", "k"][-1]["pair"]["__classname__"] == "builtins.tuple"
    assert BaseXCom.get_one(key="k", **PLACE) == value
    assert BaseXCom.get_value(ti_key=TaskInstanceKey("d", "t", "r2"), key="k") == value


def test_missing_value_is_none(runtime: MemoryRuntime) -> None:
    assert BaseXCom.get_one(key="k", **PLACE) is None
    assert BaseXCom.get_all(key="k", **PLACE) is None


def test_earlier_runs_are_looked_at_only_if_asked(runtime: MemoryRuntime) -> None:
    BaseXCom.set("k", "old", dag_id="d", run_id="r1", task_id="t")

    assert BaseXCom.get_one(key="k", **PLACE) is None
    assert BaseXCom.get_one(key="k", **PLACE, include_prior_dates=True) == "old"


def test_value_of_a_map_index_and_all_of_them(runtime: MemoryRuntime) -> None:
    push(runtime, 3)

    assert BaseXCom.get_one(key="return_value", **PLACE, map_index=1) == (1,)
    assert BaseXCom.get_all(key="return_value", **PLACE) == [(0,), (1,), (2,)]


def test_length_for_mapping_is_told(runtime: MemoryRuntime) -> None:
    BaseXCom.set("k", [1, 2], **PLACE, _mapped_length=2)

    assert runtime.mapped_lengths == [2]


def test_coroutines_use_xcoms_too(runtime: MemoryRuntime) -> None:
    async def use() -> tuple[Any, Any, Any]:
        await BaseXCom.aset("k", (1,), **PLACE)
        one = await BaseXCom.aget_one(key="k", **PLACE)
        value = await BaseXCom.aget_value(ti_key=TaskInstanceKey("d", "t", "r2"), key="k")
        return one, value, await BaseXCom.aget_all(key="k", **PLACE)

    assert asyncio.run(use()) == ((1,), (1,), [(1,)])


def test_backend_keeps_values_elsewhere_and_removes_them(
    runtime: MemoryRuntime, shelf: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(vars(xcom), "XCom", raising=False)
    backend = resolve_xcom_backend()
    backend.set("k", object, **PLACE)

    assert runtime.xcoms["d", "r2", "t", "k"] == {-1: "ref-k"}
    assert xcom.XCom.get_one(key="k", **PLACE) is object
    assert LazyXComSequence(**PLACE, key="k")[0] is object

    xcom.XCom.delete("k", **PLACE)

    assert (shelf, runtime.xcoms) == ({}, {})


def test_backend_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__XCOM_BACKEND", "collections.OrderedDict")

    with pytest.raises(TypeError, match="has to be a subclass of BaseXCom"):
        resolve_xcom_backend()


@pytest.mark.parametrize("path", ["airflow.sdk.execution_time.xcom.BaseXCom", "tradewind.sdk.xcom.BaseXCom"])
def test_default_backend_needs_no_import(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__XCOM_BACKEND", path)

    assert resolve_xcom_backend() is BaseXCom


def test_sequence_asks_only_for_what_is_looked_at(runtime: MemoryRuntime) -> None:
    sequence = push(runtime, 5)

    assert (sequence[1], sequence[-1]) == ((1,), (4,))
    assert runtime.asked == ["get_xcom_item", "get_xcom_item"]
    assert len(sequence) == 5
    assert sequence[1:4:2] == [(1,), (3,)]
    assert sequence[::-1][0] == (4,)


def test_sequence_goes_through_pages(runtime: MemoryRuntime) -> None:
    sequence = push(runtime, 2 * PAGE_SIZE + 1)

    assert list(sequence) == [(index,) for index in range(2 * PAGE_SIZE + 1)]
    assert runtime.asked.count("get_xcom_slice") == 3


def test_sequence_behaves_like_a_list(runtime: MemoryRuntime) -> None:
    sequence = push(runtime, 2)

    assert sequence == [(0,), (1,)]
    assert sequence != [(0,)]
    assert (1,) in sequence
    assert list(reversed(sequence)) == [(1,), (0,)]
    with pytest.raises(IndexError):
        sequence[2]
    with pytest.raises(ValueError, match="step"):
        sequence[::0]
    with pytest.raises(TypeError):
        sequence["a"]  # type: ignore[call-overload]


def test_sequence_shows_its_length_once_it_is_known(runtime: MemoryRuntime) -> None:
    sequence = push(runtime, 1)

    assert repr(sequence) == "LazyXComSequence(<unevaluated length>)"
    assert len(sequence) == 1
    assert repr(sequence) == "LazyXComSequence([1 item])"
