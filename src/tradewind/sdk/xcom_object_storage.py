"""`XComObjectStorageBackend`: large XComs on an object store, small ones where all others are.

Set `[core] xcom_backend` to it, under our path or under that of Airflow's provider package `common-io`. The section
`[common.io]` says where the store is (`xcom_objectstorage_path`), from how many bytes on it is used
(`xcom_objectstorage_threshold`; by default never), and whether files are compressed
(`xcom_objectstorage_compression`). The database has the path.
"""

from __future__ import annotations

import json
import uuid
from typing import Any, Final

from fsspec.utils import compressions  # type: ignore[import-untyped]

from tradewind.sdk.configuration import conf
from tradewind.sdk.exceptions import AirflowConfigException
from tradewind.sdk.object_storage import ObjectStoragePath
from tradewind.sdk.serde import deserialize, serialize
from tradewind.sdk.xcom import BaseXCom

_SECTION: Final = "common.io"


class XComObjectStorageBackend(BaseXCom):
    """Puts values whose JSON is not smaller than the threshold into files on an object store."""

    @staticmethod
    def serialize_value(
        value: Any,
        *,
        key: str | None = None,  # noqa: ARG004 - the same for all keys
        task_id: str | None = None,
        dag_id: str | None = None,
        run_id: str | None = None,
        map_index: int | None = None,  # noqa: ARG004 - each file has a name of its own
    ) -> Any:
        """The value as JSON, or the path of the file that has it."""
        plain = serialize(value)
        threshold = conf.getint(_SECTION, "xcom_objectstorage_threshold", fallback=-1)
        if threshold < 0:
            return plain
        content = json.dumps(plain).encode()
        if len(content) < threshold:
            return plain
        compression = conf.get(_SECTION, "xcom_objectstorage_compression", fallback=None) or None
        folder = _base().joinpath(_part(dag_id, "DAG"), _part(run_id, "RUN"), _part(task_id, "TASK"))
        path = folder / f"{uuid.uuid4()}{_suffix(compression)}"
        folder.mkdir(parents=True, exist_ok=True)
        # Not `path.open`: what Tradewind keeps for itself is no asset of the author's.
        with path.fs.open(path.path, "wb", compression=compression) as file:
            file.write(content)
        return str(path)

    @staticmethod
    def deserialize_value(result: Any) -> Any:
        """The value. A text that only looks like one of our paths is what it is."""
        path = _stored_at(result.value)
        if path is None:
            return deserialize(result.value)
        try:
            with path.fs.open(path.path, "rb", compression="infer") as file:
                return deserialize(json.load(file))
        except FileNotFoundError:
            return result.value

    @classmethod
    def purge(cls, xcom: Any, *_: Any) -> None:
        """Remove the file of a value."""
        path = _stored_at(xcom.value)
        if path is not None:
            path.unlink(missing_ok=True)


def _base() -> ObjectStoragePath:
    path = conf.get(_SECTION, "xcom_objectstorage_path", fallback="") or ""
    if not path:
        raise AirflowConfigException(
            f"[{_SECTION}] xcom_objectstorage_path has to say where large XComs go: xcom_objectstorage_threshold is set"
        )
    return ObjectStoragePath(path)


def _stored_at(value: Any) -> ObjectStoragePath | None:
    """The path, if the value is one below the base. Nothing else may be opened: a value is what some task says."""
    if not isinstance(value, str) or not conf.get(_SECTION, "xcom_objectstorage_path", fallback=""):
        return None
    base = str(_base()).rstrip("/") + "/"
    if not value.startswith(base) or ".." in value.removeprefix(base).split("/"):
        return None
    return ObjectStoragePath(value)


def _suffix(compression: str | None) -> str:
    if compression is None:
        return ""
    for suffix, name in compressions.items():
        if name == compression:
            return f".{suffix}"
    known = ", ".join(sorted({name for name in compressions.values() if name}))
    raise AirflowConfigException(
        f"[{_SECTION}] xcom_objectstorage_compression {compression!r} is not available; there is {known}"
    )


def _part(name: str | None, what: str) -> str:
    """A part of the path. Ids may consist of dots, which mean something else in paths."""
    if name is None:
        return f"NO_{what}_ID"
    return name.replace(".", "%2E") if set(name) == {"."} else name
