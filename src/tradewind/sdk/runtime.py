"""What running user code may ask for. The boundary between the SDK and whoever runs a task.

A worker answers over its pipe, tests from memory, and where no task runs (DAG files being read, a plain Python shell)
the environment variables do. Arguments and answers are plain values. Whatever an answer is absent for is `None`; the
SDK turns that into the error or default that its callers expect. "The running task" is never named: a runtime belongs
to one task instance.

A runtime is called from any thread of the task; the asynchronous methods of the SDK call it from a thread of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar, Token
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

from tradewind.sdk.lazy_module import LazyModule

if TYPE_CHECKING:
    from tradewind.model.task_answers import (
        AssetEventResult,
        AssetResult,
        ConnectionResult,
        DagResult,
        DagRunResult,
        HITLDetailRequest,
        HITLDetailResponse,
        InactiveAssetResult,
        PreviousTIResult,
        PrevSuccessfulDagRunResult,
        WebhookMessage,
        XComElement,
        XComResult,
    )
    from tradewind.sdk import environment_runtime as _environment
else:
    _environment = LazyModule("tradewind.sdk.environment_runtime")


class SecretsRuntime(Protocol):
    """Variables, connections, and what must not appear in logs."""

    def get_variable(self, key: str) -> str | None:
        """The stored text."""

    def set_variable(self, key: str, value: str, description: str | None = None) -> None:
        """Create or replace."""

    def delete_variable(self, key: str) -> None:
        """Remove; nothing happens if there is none."""

    def get_variable_keys(self, prefix: str | None = None) -> Sequence[str]:
        """The keys that start with `prefix`, in order."""

    def get_connection(self, conn_id: str) -> ConnectionResult | None:
        """The connection of that id."""

    def mask_secret(self, secret: Any, name: str | None = None) -> None:
        """Hide a value in everything that is logged from now on, also by those who read the output of the task."""


class XComRuntime(Protocol):
    """Values that tasks leave for one another, as a backend serialized them."""

    def get_xcom(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        map_index: int | None = None,
        include_prior_dates: bool = False,
    ) -> XComResult | None:
        """One value. Without a map index, any; with prior dates, the latest of this run and of earlier ones."""

    def set_xcom(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        value: Any,
        map_index: int = -1,
        dag_result: bool = False,
        mapped_length: int | None = None,
    ) -> None:
        """Store a value. A length says that tasks are mapped over it; `dag_result`, that it is what the run returns."""

    def delete_xcom(self, *, dag_id: str, run_id: str, task_id: str, key: str, map_index: int | None = None) -> None:
        """Remove a value; nothing happens if there is none."""

    def count_xcoms(self, *, dag_id: str, run_id: str, task_id: str, key: str) -> int:
        """How many instances of a mapped task pushed a value."""

    def get_xcom_item(self, *, dag_id: str, run_id: str, task_id: str, key: str, offset: int) -> XComResult | None:
        """The value at a place in the order of map indexes; a negative offset counts from the end."""

    def get_xcom_element(
        self, *, dag_id: str, run_id: str, task_id: str, key: str, map_index: int, index: int
    ) -> XComElement | None:
        """One element of the list that a map index stored; beyond the last, the first comes again.

        `None` where only the whole value can tell: if it is no list, has no elements, or is not there.
        """

    def get_xcom_slice(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
        include_prior_dates: bool = False,
    ) -> Sequence[Any]:
        """The values of all map indexes in their order, cut as Python cuts a list."""


class StateStoreRuntime(Protocol):
    """JSON that outlives an attempt (of the running task) or a run (of an asset). `None` is never stored."""

    def get_task_state(self, key: str) -> Any:
        """What the running task stored, in this attempt or an earlier one."""

    def set_task_state(self, key: str, value: Any, retention: timedelta | None = None) -> None:
        """Store a value; `None` is the configured retention, `timedelta.max` is for ever."""

    def delete_task_state(self, key: str) -> None:
        """Remove one value."""

    def clear_task_state(self) -> None:
        """Remove all values of the running task."""

    def get_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> Any:
        """What was stored about the asset of that name or URI."""

    def set_asset_state(self, key: str, value: Any, *, name: str | None = None, uri: str | None = None) -> None:
        """Store a value about an asset."""

    def delete_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> None:
        """Remove one value."""

    def clear_asset_state(self, *, name: str | None = None, uri: str | None = None) -> None:
        """Remove all values about an asset."""


class AssetRuntime(Protocol):
    """Assets and their events."""

    def get_asset(self, *, name: str | None = None, uri: str | None = None) -> AssetResult | None:
        """The active asset of that name or URI."""

    def get_assets_by_alias(self, alias_name: str) -> Sequence[AssetResult]:
        """The assets that an alias stands for so far."""

    def get_asset_events(
        self,
        *,
        name: str | None = None,
        uri: str | None = None,
        alias_name: str | None = None,
        after: datetime | None = None,
        before: datetime | None = None,
        ascending: bool = True,
        limit: int | None = None,
    ) -> Sequence[AssetEventResult]:
        """Events of one asset, or of one alias, by time."""

    def get_consumed_asset_events(self, *, after: int = 0, limit: int = 1_000) -> Sequence[AssetEventResult]:
        """What caused the run of the running task, in pages: by id, those after the one with that id. There may be
        fewer than asked for; none, where there are no more."""

    def get_inactive_assets(self) -> Sequence[InactiveAssetResult]:
        """Inlets and outlets of the running task that are no longer active."""


class DagRunRuntime(Protocol):
    """Other runs, of this DAG and of others."""

    def get_dag(self, dag_id: str) -> DagResult | None:
        """The DAG of that id."""

    def get_dag_run(self, dag_id: str, run_id: str) -> DagRunResult | None:
        """The run of that id."""

    def get_dag_run_state(self, dag_id: str, run_id: str) -> str | None:
        """The state of a run."""

    def count_dag_runs(
        self,
        dag_id: str,
        *,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        """How many runs are among these."""

    def get_previous_dag_run(
        self, dag_id: str, *, logical_date: datetime, state: str | None = None
    ) -> DagRunResult | None:
        """The run before that date, of a state if one is given."""

    def get_previous_successful_dag_run(self) -> PrevSuccessfulDagRunResult:
        """The last successful run before the running one."""

    def trigger_dag_run(
        self,
        dag_id: str,
        run_id: str,
        *,
        logical_date: datetime | None = None,
        run_after: datetime | None = None,
        conf: Mapping[str, Any] | None = None,
        reset_dag_run: bool = False,
        partition_key: str | None = None,
        note: str | None = None,
    ) -> bool:
        """Create a run. False if there is one already; `reset_dag_run` clears that one instead and gives True."""


class TaskRuntime(Protocol):
    """Other task instances, and what others see of the running one."""

    def count_task_instances(
        self,
        dag_id: str,
        *,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        """How many task instances are among these."""

    def get_task_states(
        self,
        dag_id: str,
        *,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
    ) -> Mapping[str, Mapping[str, str | None]]:
        """By run id, then by task id (`task_map index` for mapped ones): the state."""

    def get_task_breadcrumbs(self, dag_id: str, run_id: str) -> Sequence[Mapping[str, Any]]:
        """What error trackers show of a run: id, kind, state and duration of each finished task."""

    def get_previous_task_instance(
        self,
        dag_id: str,
        task_id: str,
        *,
        logical_date: datetime | None = None,
        map_index: int = -1,
        state: str | None = None,
    ) -> PreviousTIResult | None:
        """The instance of a task in the latest run before that date, of a state if one is given."""

    def get_first_reschedule_date(self) -> datetime | None:
        """When the running sensor poked first in this try; `None` while it was not rescheduled."""

    def set_rendered_fields(self, fields: Mapping[str, Any]) -> None:
        """Show the template fields of the running task, rendered."""

    def set_rendered_map_index(self, rendered_map_index: str) -> None:
        """Show a name for the running mapped task."""


class HITLRuntime(Protocol):
    """Questions of tasks to people."""

    def upsert_hitl_detail(self, request: HITLDetailRequest) -> None:
        """Ask, or ask again in other words."""

    def update_hitl_detail(
        self, ti_id: str, *, chosen_options: Sequence[str], params_input: Mapping[str, Any]
    ) -> HITLDetailResponse:
        """Answer, in the name of the task itself: the defaults after a timeout."""

    def get_hitl_detail(self, ti_id: str) -> HITLDetailResponse | None:
        """What people answered so far."""


class WebhookRuntime(Protocol):
    """What was posted to webhooks. For watchers of assets."""

    def get_webhook_messages(self, hook: str, *, after: int = 0, limit: int = 100) -> Sequence[WebhookMessage]:
        """Those with a number after this one that nobody is done with, in order."""

    def delete_webhook_messages(self, hook: str, numbers: Sequence[int]) -> None:
        """These are done with."""


class Runtime(
    SecretsRuntime,
    XComRuntime,
    StateStoreRuntime,
    AssetRuntime,
    DagRunRuntime,
    TaskRuntime,
    HITLRuntime,
    WebhookRuntime,
    Protocol,
):
    """All that running user code may ask for."""


class _ProcessRuntime:
    """What answers in threads that no context reaches: those that user code starts by itself."""

    @cached_property
    def runtime(self) -> Runtime:
        """The environment, until somebody else is set. What it does not have it refuses by name when it is called."""
        return cast("Runtime", _environment.EnvironmentRuntime())


_process = _ProcessRuntime()
_current: ContextVar[Runtime | None] = ContextVar("tradewind_runtime", default=None)


def current_runtime() -> Runtime:
    """Who answers here: the innermost `use_runtime`, else the runtime of the process."""
    return _current.get() or _process.runtime


class use_runtime:  # noqa: N801 - used like a function
    """Let `runtime` answer within the block, and in what the block awaits or hands to `asyncio.to_thread`."""

    __slots__ = ("_runtime", "_token")
    _token: Token[Runtime | None]

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def __enter__(self) -> Runtime:
        self._token = _current.set(self._runtime)
        return self._runtime

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)


def set_process_runtime(runtime: Runtime) -> Runtime:
    """Let `runtime` answer in the whole process; returns the one before. For a process that runs a single task."""
    before, _process.runtime = _process.runtime, runtime
    return before


__all__ = ["Runtime", "current_runtime", "set_process_runtime", "use_runtime"]
