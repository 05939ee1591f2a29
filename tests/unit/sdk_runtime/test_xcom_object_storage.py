"""XComs on object stores: what the tasks see, and what lies where (D2)."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.instants import utc
from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tests.unit.task_life.attempts import attempt, one_task
from tradewind.sdk.exceptions import AirflowConfigException
from tradewind.sdk.lineage import get_hook_lineage_collector
from tradewind.sdk.xcom import BaseXCom, resolve_xcom_backend

PLACE: dict[str, Any] = {"dag_id": "d", "task_id": "t", "run_id": "manual__2026-01-31T00:00:00+00:00"}
LARGE = {"rows": list(range(100)), "at": utc("2026-01-31")}


@pytest.fixture(params=["tradewind.sdk.xcom_object_storage", "airflow.providers.common.io.xcom.backend"])
def store(
    request: pytest.FixtureRequest, runtime: MemoryRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A folder where values of a hundred bytes and more go."""
    monkeypatch.setenv("AIRFLOW__CORE__XCOM_BACKEND", f"{request.param}.XComObjectStorageBackend")
    monkeypatch.setenv("AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_PATH", f"file://{tmp_path}")
    monkeypatch.setenv("AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_THRESHOLD", "100")
    return tmp_path


def backend() -> type[BaseXCom]:
    return resolve_xcom_backend()


def files(store: Path) -> list[Path]:
    return [path for path in store.rglob("*") if path.is_file()]


def stored(runtime: MemoryRuntime, key: str = "k") -> Any:
    return runtime.xcoms["d", PLACE["run_id"], "t", key][-1]


def test_large_values_go_to_the_store_and_come_back(store: Path, runtime: MemoryRuntime) -> None:
    backend().set("k", LARGE, **PLACE)

    (file,) = files(store)
    assert stored(runtime) == f"file://{file}"
    assert file.parent == store / "d" / PLACE["run_id"] / "t"
    assert json.loads(file.read_text())["rows"] == LARGE["rows"]
    assert backend().get_one(key="k", **PLACE) == LARGE


def test_small_values_stay(store: Path, runtime: MemoryRuntime) -> None:
    backend().set("k", {"n": 1}, **PLACE)

    assert (files(store), stored(runtime)) == ([], {"n": 1})
    assert backend().get_one(key="k", **PLACE) == {"n": 1}


def test_files_are_removed_with_their_values(store: Path) -> None:
    backend().set("k", LARGE, **PLACE)

    backend().delete("k", **PLACE)

    assert files(store) == []


def test_files_may_be_compressed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_COMPRESSION", "gzip")

    backend().set("k", LARGE, **PLACE)

    (file,) = files(store)
    assert file.suffix == ".gz"
    assert json.loads(gzip.decompress(file.read_bytes()))["rows"] == LARGE["rows"]
    assert backend().get_one(key="k", **PLACE) == LARGE


def test_a_compression_that_is_not_available_is_named(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_COMPRESSION", "magic")

    with pytest.raises(AirflowConfigException, match=r"'magic' is not available; there is .*gzip"):
        backend().set("k", LARGE, **PLACE)


@pytest.mark.parametrize(
    "text", ["file:///etc/hostname", "file://{store}/../secret", "file://{store}/gone", "s3://x/y"]
)
def test_a_text_that_looks_like_a_path_is_a_text(store: Path, runtime: MemoryRuntime, text: str) -> None:
    (store.parent / "secret").write_text('"secret"')
    value = text.format(store=store)
    backend().set("k", value, **PLACE)

    assert backend().get_one(key="k", **PLACE) == value
    backend().delete("k", **PLACE)
    assert (store.parent / "secret").exists()


def test_a_folder_without_a_protocol_is_a_store_too(
    store: Path, runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_PATH", str(store))

    backend().set("k", LARGE, **PLACE)

    assert stored(runtime) == str(files(store)[0])
    assert backend().get_one(key="k", **PLACE) == LARGE


def test_ids_of_dots_do_not_lead_out_of_the_store(store: Path) -> None:
    backend().set("k", LARGE, **{**PLACE, "dag_id": "..", "run_id": ".."})

    (file,) = files(store)
    assert file.parent == store / "%2E%2E" / "%2E%2E" / "t"


def test_without_a_place_the_option_is_named(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_PATH", "")

    with pytest.raises(AirflowConfigException, match="xcom_objectstorage_path"):
        backend().set("k", LARGE, **PLACE)


def test_a_task_returns_and_pulls_a_large_value(store: Path) -> None:
    runtime = MemoryRuntime()
    before = len(get_hook_lineage_collector().collected_assets.inputs)

    attempt(one_task(lambda _: LARGE), runtime=runtime)
    pulled: list[Any] = []
    attempt(one_task(lambda context: pulled.append(context["ti"].xcom_pull(task_ids="t"))), runtime=runtime)

    assert pulled == [LARGE]
    assert len(get_hook_lineage_collector().collected_assets.inputs) == before
    attempt(one_task(), runtime=runtime, xcoms_to_clear=["return_value"])
    assert files(store) == []
