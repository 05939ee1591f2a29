"""`@dag`: a function that builds a DAG."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, overload

from tradewind.sdk.dags import DAG
from tradewind.sdk.notset import NOTSET
from tradewind.sdk.param import DagParam, Param


@overload
def dag(dag_id_or_func: Callable[..., Any]) -> Callable[..., DAG]: ...
@overload
def dag(
    dag_id_or_func: str | None = None, **decorator_kwargs: Any
) -> Callable[[Callable[..., Any]], Callable[..., DAG]]: ...
def dag(dag_id_or_func: str | Callable[..., Any] | None = None, **decorator_kwargs: Any) -> Any:
    """The decorated function, when called, defines the DAG; its parameters are params of the DAG.

    Takes the arguments of `DAG`. Without a `dag_id`, the DAG is called like the function.
    """
    if callable(dag_id_or_func):
        return _builder(dag_id_or_func, "", decorator_kwargs)
    dag_id = dag_id_or_func or decorator_kwargs.pop("dag_id", "")

    def decorate(function: Callable[..., Any]) -> Callable[..., DAG]:
        return _builder(function, dag_id, decorator_kwargs)

    return decorate


def _builder(function: Callable[..., Any], dag_id: str, kwargs: dict[str, Any]) -> Callable[..., DAG]:
    @functools.wraps(function)
    def build(*args: Any, **given: Any) -> DAG:
        bound = inspect.signature(function).bind(*args, **given)
        bound.apply_defaults()
        with DAG(dag_id or function.__name__, **_with_doc(kwargs, function)) as built:
            built.fileloc = inspect.getsourcefile(function) or built.fileloc
            function(**{name: _as_param(built, name, value) for name, value in bound.arguments.items()})
        return built

    return build


def _with_doc(kwargs: dict[str, Any], function: Callable[..., Any]) -> dict[str, Any]:
    """The docstring of the function describes the DAG, unless something else does."""
    if kwargs.get("doc_md") is None and function.__doc__:
        return {**kwargs, "doc_md": inspect.cleandoc(function.__doc__)}
    return dict(kwargs)


def _as_param(built: DAG, name: str, value: Any) -> DagParam:
    """An argument becomes a param: its value here is the default, and each run may bring its own."""
    if isinstance(value, Param):
        built.params[name] = value
        return built.param(name)
    if name in built.params:
        return built.param(name, value if value is not None else NOTSET)
    return built.param(name, value)
