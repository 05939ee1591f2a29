"""Calling who shall hear that a deadline was missed."""

import asyncio
import inspect
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tradewind.sdk.callback import AsyncCallback, Callback
from tradewind.sdk.dags import DAG
from tradewind.sdk.deadline import DeadlineAlert
from tradewind.sdk.module_loading import import_string


def find_callback(dag: DAG | None, number: int) -> Callback:
    """That of the deadline of this number.

    Raises:
        LookupError: the file has changed since.
    """
    alerts: list[DeadlineAlert] = list(dag.deadline or ()) if dag is not None else []
    if number >= len(alerts):
        raise LookupError("the file has no such deadline any more")
    return alerts[number].callback


def call_back(callback: Callback, context: Mapping[str, Any]) -> None:
    """As Airflow does: a function gets the context besides its arguments, a notifier is made and then told."""
    found: Any = import_string(callback.path)
    if isinstance(callback, AsyncCallback):
        asyncio.run(_awaited(found, callback.kwargs, context))
    elif inspect.isclass(found):
        made: Any = found(**callback.kwargs)
        made(context)
    else:
        found(**_arguments(found, callback.kwargs, context))


def context_of(dag_run: Mapping[str, Any], deadline_id: int, due_at: datetime | None) -> dict[str, Any]:
    """What callbacks get to know, with Airflow's names."""
    return {
        "dag_run": {**dag_run, "dag_run_id": dag_run["run_id"]},
        "deadline": {"id": str(deadline_id), "deadline_time": None if due_at is None else due_at.isoformat()},
    }


async def _awaited(found: Any, kwargs: Mapping[str, Any], context: Mapping[str, Any]) -> None:
    made = found(**_arguments(found, kwargs, context))
    if inspect.isclass(found):
        made.context = context
    await made


def _arguments(found: Any, kwargs: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, Any]:
    """With the context, where there is a place for it."""
    parameters = inspect.signature(found).parameters.values()
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)
    takes_context = takes_any or any(parameter.name == "context" for parameter in parameters)
    return {**kwargs, "context": context} if takes_context and not inspect.isclass(found) else dict(kwargs)
