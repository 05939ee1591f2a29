"""`@asset` and `@asset.multi`: a function as a DAG of one task that updates assets (C2)."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import AssetResult
from tradewind.sdk.asset_decorator import AssetDefinition, AssetMainOperator, MultiAssetDefinition, asset
from tradewind.sdk.asset_events import AssetNotFound
from tradewind.sdk.assets import Asset, AssetAlias, AssetAll, AssetNameRef, AssetWatcher
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.dags import DAG
from tradewind.sdk.param import ParamsDict
from tradewind.sdk.runtime import use_runtime
from tradewind.sdk.standard.task_decorators import task
from tradewind.sdk.timetables import AssetTriggeredTimetable
from tradewind.sdk.triggers import BaseEventTrigger, TriggerEvent

A, B = Asset("a"), Asset("b", "file:///b")


class Ticks(BaseEventTrigger):
    def serialize(self) -> tuple[str, dict[str, Any]]:
        return "acme.Ticks", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(None)


def of_module(function: Callable[..., Any]) -> Callable[..., Any]:
    """As if the function stood in a module by itself."""
    function.__qualname__ = function.__name__
    return function


def made_by(decorator: Any, function: Callable[..., Any]) -> tuple[Any, DAG]:
    """What the decorator makes of a function, and the DAG that comes with it."""
    with collecting_dags() as dags:
        made = decorator(of_module(function))
    (dag,) = dags
    return made, dag


def task_of(dag: DAG) -> Any:
    """The one task of a DAG."""
    (only,) = dag.tasks
    return only


def test_a_function_becomes_an_asset_a_dag_and_a_task() -> None:
    def raw(self: Any, context: Any, outlet_events: Any, a: Any, b: Any, limit: int = 3) -> None:
        """Make it."""

    definition, dag = made_by(asset(schedule=A | B, uri="file:///raw", group="lake", extra={"x": 1}), raw)

    assert isinstance(definition, AssetDefinition)
    assert definition == Asset("raw", "file:///raw", group="lake", extra={"x": 1})
    assert dag.dag_id == "raw"
    assert dag.timetable == AssetTriggeredTimetable(A | B)
    assert dag.catchup is False
    operator = task_of(dag)
    assert isinstance(operator, AssetMainOperator)
    assert operator.task_id == "raw"
    assert operator.outlets == [definition]
    assert operator.inlets == [AssetNameRef("a"), AssetNameRef("b")]


def test_names_of_asset_and_dag_may_differ_from_that_of_the_function() -> None:
    def make() -> None: ...

    definition, dag = made_by(asset(schedule=None, name="raw data", dag_id="makes_raw"), make)

    assert (definition.name, definition.uri) == ("raw data", "raw data")
    assert (dag.dag_id, dag.dag_display_name, dag.task_ids) == ("makes_raw", "makes_raw", ["make"])


def test_the_dag_is_told_what_the_author_says() -> None:
    def make() -> None: ...

    def told(context: Any) -> None: ...

    _, dag = made_by(
        asset(
            schedule="@daily",
            is_paused_upon_creation=True,
            dag_display_name="Makes it",
            description="about it",
            params=ParamsDict({"a": 1}),
            on_success_callback=told,
            on_failure_callback=[told],
            owner_links={"me": "https://example.org"},
            tags=["x"],
        ),
        make,
    )

    assert (dag.is_paused_upon_creation, dag.dag_display_name, dag.description) == (True, "Makes it", "about it")
    assert dag.params == {"a": 1}
    assert dag.has_on_success_callback
    assert dag.has_on_failure_callback
    assert (dag.owner_links, dag.tags) == ({"me": "https://example.org"}, {"x"})


def test_watchers_are_not_forgotten() -> None:
    def make() -> None: ...

    named = AssetWatcher("mine", Ticks())

    definition, _ = made_by(asset(schedule=None, watchers=[named, Ticks()]), make)

    assert [watcher.name for watcher in definition.watchers] == ["mine", "make_watcher_1"]


def test_the_assets_of_one_function_may_be_several() -> None:
    def both(a: Any) -> None: ...

    alias = AssetAlias("x")

    definition, dag = made_by(asset.multi(schedule=None, outlets=[A, B, alias]), both)

    assert isinstance(definition, MultiAssetDefinition)
    assert definition.objects == (A, B, alias)
    assert definition & Asset("c") == AssetAll(A, B, alias, Asset("c"))
    assert dag.dag_id == "both"
    assert task_of(dag).outlets == [A, B, alias]
    assert task_of(dag).inlets == [AssetNameRef("a")]


def test_another_dag_may_wait_for_what_a_function_makes() -> None:
    def first() -> None: ...

    def then(first: Any) -> None: ...

    definition, _ = made_by(asset(schedule=None), first)
    _, dag = made_by(asset(schedule=definition), then)

    assert dag.timetable.asset_condition == definition
    assert definition.to_model() == Asset("first").to_model()


def test_another_kind_of_task_may_make_the_asset() -> None:
    def say() -> str:
        return "echo hello"

    bash = task.bash(of_module(say))

    definition, dag = made_by(asset(schedule=None), bash)

    operator = task_of(dag)
    assert operator.task_type == "_BashDecoratedOperator"
    assert operator.outlets == [definition]


def test_a_task_with_outlets_of_its_own_is_refused() -> None:
    def say() -> str:
        return "echo hello"

    with pytest.raises(TypeError, match="the task 'say' under @asset cannot have outlets of its own"):
        asset(schedule=None)(task.bash(outlets=[A])(of_module(say)))


def test_arguments_are_assets_and_what_the_names_say() -> None:
    seen: dict[str, Any] = {}

    def make(self: Any, a: Any, context: Any, outlet_events: Any, limit: int = 3) -> str:
        seen.update(self=self, a=a, context=context, outlet_events=outlet_events, limit=limit)
        return "made"

    _, dag = made_by(asset(schedule=None, name="raw"), make)
    runtime = MemoryRuntime()
    runtime.assets = [AssetResult(name="raw", uri="file:///raw"), AssetResult(name="a", uri="a", extra={"x": 1})]
    context: Any = {"outlet_events": {"raw": 1}, "ds": "2026-01-01"}

    with use_runtime(runtime):
        result = task_of(dag).execute(context)

    assert result == "made"
    assert seen["self"] == Asset("raw", "file:///raw")
    assert seen["a"] == Asset("a", extra={"x": 1})
    assert seen["context"]["ds"] == "2026-01-01"
    assert seen["outlet_events"] == {"raw": 1}
    assert seen["limit"] == 3


def test_an_argument_that_names_no_asset_fails_the_task() -> None:
    def make(nobody: Any) -> None: ...

    _, dag = made_by(asset(schedule=None), make)
    context: Any = {"outlet_events": {}}

    with use_runtime(MemoryRuntime()), pytest.raises(AssetNotFound, match="nobody"):
        task_of(dag).execute(context)


def any_number(*args: Any) -> None: ...


def any_name(**kwargs: Any) -> None: ...


def by_position(a: Any, /) -> None: ...


def by_position_or_not(a: Any = 1, /) -> Any:
    return a


def test_an_argument_with_a_default_keeps_it_wherever_it_stands() -> None:
    _, dag = made_by(asset(schedule=None), by_position_or_not)
    context: Any = {"outlet_events": {}}

    assert task_of(dag).execute(context) == 1
    assert task_of(dag).inlets == []


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (any_number, r"'any_number' under @asset cannot have the argument \*args"),
        (any_name, r"'any_name' under @asset cannot have the argument \*\*kwargs"),
        (by_position, "'a' of 'by_position' cannot be for positions only"),
    ],
)
def test_arguments_that_cannot_be_given_by_name_are_refused(function: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        asset(schedule=None)(function)


def test_a_function_inside_another_is_refused() -> None:
    def inside() -> None: ...

    for decorator in (asset(schedule=None), asset.multi(schedule=None, outlets=[A])):
        with pytest.raises(ValueError, match="works on functions of a module"):
            decorator(inside)


def test_several_assets_are_at_least_one() -> None:
    with pytest.raises(ValueError, match=r"@asset.multi on 'any_name' needs outlets"):
        asset.multi(schedule=None, outlets=[])(any_name)
