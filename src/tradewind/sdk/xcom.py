"""XComs: values that tasks leave for one another. `BaseXCom` is also the interface of XCom backends."""

from __future__ import annotations

from typing import Any, Protocol

from tradewind.model.task_answers import XComResult
from tradewind.sdk.configuration import conf
from tradewind.sdk.in_thread import in_thread
from tradewind.sdk.module_loading import import_string
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.serde import deserialize, serialize
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY


class TIKeyProtocol(Protocol):
    """Names a task instance."""

    @property
    def dag_id(self) -> str:
        """The DAG."""

    @property
    def task_id(self) -> str:
        """The task."""

    @property
    def run_id(self) -> str:
        """The run."""

    @property
    def map_index(self) -> int:
        """Which of a mapped task; -1 if it is not mapped."""


class BaseXCom:
    """Stores values where Tradewind stores everything.

    A backend is a subclass whose `serialize_value` puts the value elsewhere and returns where it is, whose
    `deserialize_value` fetches it, and whose `purge` removes it.
    """

    XCOM_RETURN_KEY = XCOM_RETURN_KEY

    @classmethod
    def set(
        cls,
        key: str,
        value: Any,
        *,
        dag_id: str,
        task_id: str,
        run_id: str,
        map_index: int = -1,
        dag_result: bool = False,
        _mapped_length: int | None = None,
    ) -> None:
        """Store a value."""
        stored = cls.serialize_value(value, key=key, task_id=task_id, dag_id=dag_id, run_id=run_id, map_index=map_index)
        current_runtime().set_xcom(
            dag_id=dag_id,
            run_id=run_id,
            task_id=task_id,
            key=key,
            value=stored,
            map_index=map_index,
            dag_result=dag_result,
            mapped_length=_mapped_length,
        )

    @classmethod
    async def aset(cls, key: str, value: Any, **where: Any) -> None:
        """`set` for coroutines, with the same arguments."""
        await in_thread(cls.set, key, value, **where)

    @classmethod
    def get_one(
        cls,
        *,
        key: str,
        dag_id: str,
        task_id: str,
        run_id: str,
        map_index: int | None = None,
        include_prior_dates: bool = False,
    ) -> Any:
        """One value, `None` if there is none; with prior dates, the latest of this run and of earlier ones."""
        found = current_runtime().get_xcom(
            dag_id=dag_id,
            run_id=run_id,
            task_id=task_id,
            key=key,
            map_index=map_index,
            include_prior_dates=include_prior_dates,
        )
        return None if found is None or found.value is None else cls.deserialize_value(found)

    @classmethod
    async def aget_one(cls, **which: Any) -> Any:
        """`get_one` for coroutines, with the same arguments."""
        return await in_thread(lambda: cls.get_one(**which))

    @classmethod
    def get_value(cls, *, ti_key: TIKeyProtocol, key: str) -> Any:
        """The value of a task instance."""
        return cls.get_one(
            key=key, task_id=ti_key.task_id, dag_id=ti_key.dag_id, run_id=ti_key.run_id, map_index=ti_key.map_index
        )

    @classmethod
    async def aget_value(cls, *, ti_key: TIKeyProtocol, key: str) -> Any:
        """`get_value` for coroutines."""
        return await in_thread(lambda: cls.get_value(ti_key=ti_key, key=key))

    @classmethod
    def get_all(
        cls, *, key: str, dag_id: str, task_id: str, run_id: str, include_prior_dates: bool = False
    ) -> list[Any] | None:
        """The values of all map indexes in their order; `None` if there are none."""
        values = current_runtime().get_xcom_slice(
            dag_id=dag_id, run_id=run_id, task_id=task_id, key=key, include_prior_dates=include_prior_dates
        )
        return [cls.deserialize_value(XComResult(key, value)) for value in values] or None

    @classmethod
    async def aget_all(cls, **which: Any) -> list[Any] | None:
        """`get_all` for coroutines, with the same arguments."""
        return await in_thread(lambda: cls.get_all(**which))

    @classmethod
    def delete(cls, key: str, task_id: str, dag_id: str, run_id: str, map_index: int | None = None) -> None:
        """Remove a value, and what a backend keeps of it elsewhere."""
        runtime = current_runtime()
        found = runtime.get_xcom(dag_id=dag_id, run_id=run_id, task_id=task_id, key=key, map_index=map_index)
        if found is not None:
            cls.purge(found)
        runtime.delete_xcom(dag_id=dag_id, run_id=run_id, task_id=task_id, key=key, map_index=map_index)

    @classmethod
    def purge(cls, xcom: XComResult, *args: Any) -> None:
        """Remove what a backend keeps elsewhere."""

    @staticmethod
    def serialize_value(
        value: Any,
        *,
        key: str | None = None,  # noqa: ARG004 - for backends
        task_id: str | None = None,  # noqa: ARG004 - for backends
        dag_id: str | None = None,  # noqa: ARG004 - for backends
        run_id: str | None = None,  # noqa: ARG004 - for backends
        map_index: int | None = None,  # noqa: ARG004 - for backends
    ) -> Any:
        """What is stored in place of the value: plain JSON."""
        return serialize(value)

    @staticmethod
    def deserialize_value(result: Any) -> Any:
        """The value of what was stored; `result` has it as its attribute `value`."""
        return deserialize(result.value)


def resolve_xcom_backend() -> type[BaseXCom]:
    """The class that `[core] xcom_backend` names."""
    path = _backend_path()
    if not path:
        return BaseXCom
    backend = import_string(path)
    if not (isinstance(backend, type) and issubclass(backend, BaseXCom)):
        raise TypeError(f"[core] xcom_backend = {path} has to be a subclass of BaseXCom")
    return backend


def is_foreign_backend() -> bool:
    """Whether that is somebody else's class. It is not loaded to find out."""
    return bool(_backend_path())


def _backend_path() -> str:
    path: str = conf.get("core", "xcom_backend", fallback="") or ""
    return "" if path in _OWN_PATHS else path


_OWN_PATHS = frozenset(
    {"airflow.sdk.execution_time.xcom.BaseXCom", "airflow.sdk.bases.xcom.BaseXCom", "tradewind.sdk.xcom.BaseXCom"}
)


def __getattr__(name: str) -> Any:
    """`XCom` is the configured backend. It is looked up when somebody first asks, since it may be the author's code."""
    if name == "XCom":
        backend = resolve_xcom_backend()
        globals()["XCom"] = backend
        return backend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
