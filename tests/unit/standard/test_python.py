"""Functions as tasks: what they are given and what becomes of what they return (D2, D3)."""

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Callable, Generator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.standard.running import context_of
from tradewind.sdk import DAG, Asset, AssetAlias, Metadata, PokeReturnValue
from tradewind.sdk.exceptions import AirflowException, AirflowTaskTimeout
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.standard.python_sensor import PythonSensor


def call(function: Callable[..., Any], context: dict[str, Any] | None = None, **kwargs: Any) -> Any:
    """Run a function as a task."""
    with DAG("functions"):
        task = PythonOperator(task_id="function", python_callable=function, **kwargs)
    return task.execute(context_of(task, **(context or {})))


def test_a_function_gets_its_own_arguments_and_the_context_values_it_names() -> None:
    def function(a: int, b: int, ds: str, *, run_id: str) -> tuple[Any, ...]:
        return a, b, ds, run_id

    result = call(function, op_args=[1], op_kwargs={"b": 2})

    assert result == (1, 2, "2026-03-02", "scheduled__2026-03-02T00:00:00+00:00")


def test_own_arguments_win_over_the_context() -> None:
    assert call(lambda ds: ds, op_kwargs={"ds": "mine"}) == "mine"


def test_a_function_with_double_star_gets_everything() -> None:
    given: dict[str, Any] = call(lambda **context: context, op_kwargs={"own": 1}, templates_dict={"sql": "select 1"})

    assert {"ti", "dag_run", "task", "ds", "own"} <= set(given)
    assert given["templates_dict"] == {"sql": "select 1"}


def test_a_generator_yields_metadata_and_returns_its_result() -> None:
    orders, alias = Asset("orders"), AssetAlias("latest")
    added: list[Any] = []
    events = {
        orders: SimpleNamespace(extra={}),
        alias: SimpleNamespace(add=lambda asset, extra: added.append((asset, extra))),
    }

    def function() -> Generator[Any, None, str]:
        yield Metadata(orders, {"rows": 3}, alias=alias)
        yield "something else"
        return "done"

    assert call(function, {"outlet_events": events}) == "done"
    assert events[orders].extra == {"rows": 3}
    assert added == [(orders, {"rows": 3})]


async def answer(ds: str) -> str:
    await asyncio.sleep(0)
    return f"async {ds}"


class AsyncCallable:
    async def __call__(self, ds: str) -> str:
        return await answer(ds)


@pytest.mark.parametrize("function", [answer, functools.partial(answer), AsyncCallable()])
def test_a_coroutine_function_is_awaited(function: Callable[..., Any]) -> None:
    assert call(function) == "async 2026-03-02"


def test_what_an_async_generator_yields_is_its_result() -> None:
    orders = Asset("orders")
    events = {orders: SimpleNamespace(extra={})}

    async def function() -> AsyncIterator[Any]:
        yield 1
        yield Metadata(orders, {"rows": 3})
        yield 2

    assert call(function, {"outlet_events": events}) == [1, 2]
    assert events[orders].extra == {"rows": 3}


def test_a_coroutine_may_not_run_longer_than_the_task_may() -> None:
    async def function() -> None:
        await asyncio.Event().wait()

    with pytest.raises(AirflowTaskTimeout, match=r"'function' ran for longer than 0:00:00\.010000"):
        call(function, execution_timeout=timedelta(milliseconds=10))


def test_a_timeout_of_the_function_itself_is_its_own_error() -> None:
    async def function() -> None:
        raise TimeoutError("the server did not answer")

    with pytest.raises(TimeoutError, match="the server did not answer"):
        call(function, execution_timeout=timedelta(minutes=1))


def test_the_result_is_logged_unless_it_is_not_wanted(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        call(lambda: "shown")
        call(lambda: "hidden", show_return_value_in_logs=False)

    assert "shown" in caplog.text
    assert "hidden" not in caplog.text


def test_only_the_beginning_of_a_large_result_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert len(call(lambda: "x" * 1_000_000)) == 1_000_000

    assert "xxx… and 990000 characters more" in caplog.text
    assert len(caplog.text) < 11_000


def test_something_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(AirflowException, match="python_callable of task 'function' is 5, not a function"):
        call(5)  # type: ignore[arg-type]


def poke(function: Callable[..., Any], **kwargs: Any) -> Any:
    """Look once."""
    with DAG("functions"):
        task = PythonSensor(task_id="wait", python_callable=function, **kwargs)
    context = context_of(task)
    return [task.poke(context) for _ in range(2)][-1]


def test_a_sensor_asks_a_function_with_context_and_arguments() -> None:
    assert poke(lambda ds, limit: ds < limit, op_kwargs={"limit": "2026-04-01"}).is_done is True
    assert poke(lambda limit, ds: ds < limit, op_args=["2026-01-01"]).is_done is False
    assert poke(lambda templates_dict: templates_dict["go"], templates_dict={"go": "yes"}).is_done is True
    assert poke(lambda: PokeReturnValue(True, 5)).xcom_value == 5
