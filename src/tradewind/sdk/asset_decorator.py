"""`@asset`: one function that is one task, one DAG and one asset at once; `@asset.multi` is for several assets."""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tradewind.model.json_value import JsonValue
from tradewind.sdk.asset_events import resolve_asset_ref
from tradewind.sdk.assets import Asset, AssetAll, AssetWatcher, BaseAsset
from tradewind.sdk.dags import DAG
from tradewind.sdk.param import ParamsDict
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.taskflow import TaskDecorator

Function = Callable[..., Any]

# What a function may ask for besides assets, and does not name an asset by.
_OWN_NAMES = ("self", "context", "outlet_events")


class AssetMainOperator(PythonOperator):
    """The task of `@asset`. Arguments of its function are assets of that name."""

    def __init__(self, *, definition_name: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._definition_name = definition_name

    def determine_kwargs(self, context: Mapping[str, Any]) -> Mapping[str, Any]:
        """The assets that the arguments name, this asset for `self`, and the context and the events as such."""
        parameters = inspect.signature(self.python_callable).parameters.values()
        needed = [each.name for each in parameters if each.default is inspect.Parameter.empty]
        return {name: self._argument(name, context) for name in needed}

    def _argument(self, name: str, context: Mapping[str, Any]) -> Any:
        if name == "context":
            return context
        if name == "outlet_events":
            return context["outlet_events"]
        return resolve_asset_ref(Asset.ref(name=self._definition_name if name == "self" else name))


class AssetDefinition(Asset):
    """What `@asset` makes of a function: an asset, with a DAG whose one task updates it."""

    def __init__(self, function: Function, source: "asset") -> None:
        name = source.name or function.__name__
        super().__init__(name, source.uri, group=source.group, extra=source.extra, watchers=source.watchers_of(name))
        self._function = function
        self._source = source
        with source.create_dag(default_dag_id=name):
            _make_task(function, name, list(self.iter_outlets()))

    def iter_outlets(self) -> Iterator[BaseAsset]:
        """What the task updates."""
        yield self


class MultiAssetDefinition(AssetAll):
    """What `@asset.multi` makes of a function: all its assets, with a DAG whose one task updates them."""

    def __init__(self, function: Function, source: "_AssetMulti") -> None:
        super().__init__(*source.outlets)
        self.name = function.__name__
        self._function = function
        self._source = source
        with source.create_dag(default_dag_id=self.name):
            _make_task(function, self.name, list(self.iter_outlets()))

    def iter_outlets(self) -> Iterator[BaseAsset]:
        """What the task updates."""
        yield from self.objects


@dataclass(kw_only=True)
class _DagArguments:
    """What the DAG is told. The names are those of `DAG`."""

    schedule: Any
    is_paused_upon_creation: bool | None = None
    dag_id: str | None = None
    dag_display_name: str | None = None
    description: str | None = None
    params: ParamsDict | None = None
    on_success_callback: Any = None
    on_failure_callback: Any = None
    access_control: dict[str, dict[str, Collection[str]]] | None = None
    owner_links: dict[str, str] = field(default_factory=dict)
    tags: Collection[str] = field(default_factory=set)

    def create_dag(self, *, default_dag_id: str) -> DAG:
        """The DAG, still without its task."""
        dag_id = self.dag_id or default_dag_id
        return DAG(
            dag_id,
            schedule=self.schedule,
            is_paused_upon_creation=self.is_paused_upon_creation,
            catchup=False,
            dag_display_name=self.dag_display_name or dag_id,
            description=self.description,
            params=self.params,
            on_success_callback=self.on_success_callback,
            on_failure_callback=self.on_failure_callback,
            access_control=self.access_control,
            owner_links=self.owner_links,
            tags=self.tags,
            auto_register=True,
        )


@dataclass(kw_only=True)
class _AssetMulti(_DagArguments):
    """A DAG of one task that updates several assets."""

    outlets: Collection[BaseAsset]

    def __call__(self, f: Function) -> MultiAssetDefinition:
        _refuse_nested(f)
        if not self.outlets:
            raise ValueError(f"@asset.multi on {f.__name__!r} needs outlets: the assets that it updates")
        return MultiAssetDefinition(f, self)


@dataclass(kw_only=True)
class asset(_DagArguments):  # noqa: N801 - a decorator, and Airflow's name
    """A DAG of one task that updates one asset, called like the function unless `name` is given."""

    name: str | None = None
    uri: Any = None
    group: str = Asset.asset_type
    extra: dict[str, JsonValue] = field(default_factory=dict)
    watchers: list[Any] = field(default_factory=list)

    multi: ClassVar[type[_AssetMulti]] = _AssetMulti

    def __call__(self, f: Function) -> AssetDefinition:
        _refuse_nested(f)
        return AssetDefinition(f, self)

    def watchers_of(self, name: str) -> list[AssetWatcher]:
        """The watchers; a bare trigger gets a name. (Airflow takes the argument and forgets it.)"""
        return [
            each if isinstance(each, AssetWatcher) else AssetWatcher(f"{name}_watcher_{number}", each)
            for number, each in enumerate(self.watchers)
        ]


def _make_task(function: Function, name: str, outlets: list[BaseAsset]) -> None:
    if isinstance(function, TaskDecorator):
        if "outlets" in function.kwargs:
            raise TypeError(f"the task {function.kwargs['task_id']!r} under @asset cannot have outlets of its own")
        function.kwargs["outlets"] = outlets
        function()
        return
    AssetMainOperator(
        task_id=function.__name__,
        inlets=[Asset.ref(name=inlet) for inlet in _inlet_names(function)],
        outlets=outlets,
        python_callable=function,
        definition_name=name,
    )


def _inlet_names(function: Function) -> Iterator[str]:
    for name, parameter in inspect.signature(function).parameters.items():
        has_default = parameter.default is not inspect.Parameter.empty
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise TypeError(f"the function {function.__name__!r} under @asset cannot have the argument {parameter}")
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY and not has_default:
            raise TypeError(
                f"the argument {name!r} of {function.__name__!r} cannot be for positions only: @asset gives it by name"
            )
        if not has_default and name not in _OWN_NAMES:
            yield name


def _refuse_nested(function: Function) -> None:
    if function.__name__ != function.__qualname__:
        raise ValueError(
            f"@asset works on functions of a module, but {function.__qualname__!r} is inside another thing"
        )
