"""Builds the context of a running task."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pendulum

from tradewind.sdk.asset_events import InletEventsAccessors, OutletEventAccessors, TriggeringAssetEventsAccessor
from tradewind.sdk.assets import Asset, AssetAlias, AssetRef
from tradewind.sdk.context_accessors import ConnectionAccessor, MacrosAccessor, VariableAccessors
from tradewind.sdk.context_sources import extend_context
from tradewind.sdk.param import process_params
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.state_store import AssetStateStoreAccessors, TaskScope, TaskStateStoreAccessor

if TYPE_CHECKING:
    from tradewind.sdk.context import Context
    from tradewind.sdk.task_instance import RuntimeTaskInstance


class LateValue:
    """A value that is asked for when somebody uses it. Behaves like the value."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self.__dict__["_ask"] = ask

    def _late_value(self) -> Any:
        known = self.__dict__
        if "_known" not in known:
            known["_known"] = known["_ask"]()
        return known["_known"]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._late_value(), name)

    def __str__(self) -> str:
        return str(self._late_value())

    def __repr__(self) -> str:
        return repr(self._late_value())

    def __format__(self, spec: str) -> str:
        return format(self._late_value(), spec)

    def __bool__(self) -> bool:
        return bool(self._late_value())

    def __hash__(self) -> int:
        return hash(self._late_value())

    def __eq__(self, other: object) -> bool:
        return bool(self._late_value() == _value_of(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self._late_value() < _value_of(other))

    def __le__(self, other: Any) -> bool:
        return bool(self._late_value() <= _value_of(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self._late_value() > _value_of(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self._late_value() >= _value_of(other))

    def __add__(self, other: Any) -> Any:
        return self._late_value() + other

    def __radd__(self, other: Any) -> Any:
        return other + self._late_value()

    def __sub__(self, other: Any) -> Any:
        return operator.sub(self._late_value(), _value_of(other))

    def __rsub__(self, other: Any) -> Any:
        return other - self._late_value()


def _value_of(value: Any) -> Any:
    return value._late_value() if isinstance(value, LateValue) else value  # noqa: SLF001 - of this module


class TaskContext(dict[str, Any]):
    """A context most of which is worked out when the first value that is not there yet is looked up by its key.

    Many tasks look up none, and one that does nothing would spend a good part of its life on them. Whoever hands the
    context to user code completes it before (`whole`). Some values are late even then: they have to be asked for.
    Looked up by key, they are the values themselves; `f(**context)` and copies hand them on as they are, for a function
    with `**context` asks for nothing by that.
    """

    def __init__(self, known: Mapping[str, Any], rest: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__(known)
        self._rest: Callable[[], Mapping[str, Any]] | None = rest

    def complete(self) -> None:
        """Work the rest out. What was set in the meantime stays."""
        rest, self._rest = self._rest, None
        if rest is not None:
            for key, value in rest().items():
                super().setdefault(key, value)

    def __missing__(self, key: str) -> Any:
        if self._rest is None:
            raise KeyError(key)
        self.complete()
        return super().__getitem__(key)

    def __getitem__(self, key: str) -> Any:
        return _value_of(super().__getitem__(key))

    def __contains__(self, key: object) -> bool:
        self.complete()
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value; without one, the default."""
        try:
            return self[key]
        except KeyError:
            return default


def build_context(ti: RuntimeTaskInstance) -> Context:
    """All that a task may know while it runs."""
    task, run = ti.task, ti.dag_run
    known: dict[str, Any] = {
        "dag": task.dag,
        "dag_run": run,
        "task": task,
        "ti": ti,
        "task_instance": ti,
        "run_id": ti.run_id,
        "outlet_events": OutletEventAccessors(),
        "map_index_template": getattr(task, "map_index_template", None),
    }
    if task.params or getattr(task.dag, "params", None) or run.conf:
        # At once: a value that is not allowed fails the task before it begins.
        known["params"] = process_params(task.dag, task, dict(run.conf or {}), suppress_exception=False)
    return cast("Context", TaskContext(known, partial(_rest, ti, task, known)))


def _rest(ti: RuntimeTaskInstance, task: Any, known: Mapping[str, Any]) -> Mapping[str, Any]:
    """What few tasks look at."""
    run = ti.dag_run
    inlets, outlets = list(task.inlets or ()), list(task.outlets or ())
    context = dict(
        known,
        task_instance_key_str=f"{ti.dag_id}__{ti.task_id}__{ti.run_id}",
        try_number=ti.try_number,
        test_mode=ti.test_mode,
        partition_key=run.partition_key,
        partition_date=_pendulum(run.partition_date),
        var=VariableAccessors(),
        conn=ConnectionAccessor(),
        macros=MacrosAccessor(),
        inlets=inlets,
        outlets=outlets,
        inlet_events=InletEventsAccessors(inlets),
        triggering_asset_events=TriggeringAssetEventsAccessor(run.consumed_asset_events),
        task_state_store=TaskStateStoreAccessor(TaskScope(ti.dag_id, ti.run_id, ti.task_id, ti.map_index)),
        expanded_ti_count=ti.expanded_ti_count,
        task_reschedule_count=ti.task_reschedule_count,
    )
    context.setdefault("params", {})
    if any(isinstance(thing, Asset | AssetRef | AssetAlias) for thing in (*inlets, *outlets)):
        context["asset_state_store"] = AssetStateStoreAccessors(inlets, outlets)
    context.update(_dates(ti))
    extend_context(context)
    return context


def _dates(ti: RuntimeTaskInstance) -> dict[str, Any]:
    """The dates of the run. Those of its data are absent if it has no logical date."""
    previous = LateValue(lambda: current_runtime().get_previous_successful_dag_run())
    dates: dict[str, Any] = {
        "prev_start_date_success": LateValue(lambda: _pendulum(previous.start_date)),
        "prev_end_date_success": LateValue(lambda: _pendulum(previous.end_date)),
    }
    date = _pendulum(ti.dag_run.logical_date)
    if date is None:
        return dates
    ts = date.isoformat()
    ds = date.strftime("%Y-%m-%d")
    ds_nodash = ds.replace("-", "")
    return {
        **dates,
        "logical_date": date,
        "ds": ds,
        "ds_nodash": ds_nodash,
        "ts": ts,
        "ts_nodash": date.strftime("%Y%m%dT%H%M%S"),
        "ts_nodash_with_tz": ts.replace("-", "").replace(":", ""),
        "task_instance_key_str": f"{ti.dag_id}__{ti.task_id}__{ds_nodash}",
        "data_interval_start": _pendulum(ti.dag_run.data_interval_start),
        "data_interval_end": _pendulum(ti.dag_run.data_interval_end),
        "prev_data_interval_start_success": LateValue(lambda: _pendulum(previous.data_interval_start)),
        "prev_data_interval_end_success": LateValue(lambda: _pendulum(previous.data_interval_end)),
    }


def _pendulum(moment: datetime | None) -> pendulum.DateTime | None:
    return None if moment is None else pendulum.instance(moment)
