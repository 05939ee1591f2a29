"""Wait for the end of a run, told of its state line by line."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final, cast

import msgspec
from fastapi import Query as Parameter
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from tradewind.api.operation import Operations
from tradewind.api.public.dag_runs import READ, RUN
from tradewind.api.services import Given, Services
from tradewind.errors import DagUnusable, UnknownRun
from tradewind.model.ids import UNMAPPED
from tradewind.model.json_value import JsonValue
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_RUN_STATES
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import XComPlace

operations = Operations("DagRun")

_LINES: Final = "application/x-ndjson"
_RESULT: Final = "return_value"


@operations.add(
    "GET",
    f"{RUN}/wait",
    operation_id="wait_dag_run_until_finished",
    need=READ,
    responses={200: {"description": "A line for each look.", "content": {_LINES: {"schema": {"type": "string"}}}}},
)
def wait_dag_run_until_finished(
    request: Request,
    dag_id: str,
    dag_run_id: str,
    services: Given,
    interval: Annotated[float, Parameter(gt=0.0, description="Seconds between two looks.")],
    result: Annotated[list[str] | None, Parameter(description="Tasks whose results are wanted.")] = None,
) -> Response:
    """A line of JSON for each look, until the run has ended; the last one has the results of the tasks asked for.

    Without a word which, of the task that the DAG names for it. No thread waits meanwhile.
    """
    first = services.store.read(lambda tx: _look(tx, services, dag_id, dag_run_id, result))

    async def lines() -> AsyncIterator[bytes]:
        seen = first
        while True:
            yield msgspec.json.encode(seen) + b"\n"
            if seen["state"] in FINISHED_RUN_STATES or await request.is_disconnected():
                return
            await asyncio.sleep(interval)
            seen = await run_in_threadpool(
                services.store.read, lambda tx: _look(tx, services, dag_id, dag_run_id, result)
            )

    return StreamingResponse(lines(), media_type=_LINES)


def _look(tx: Transaction, services: Services, dag_id: str, run_id: str, wanted: list[str] | None) -> dict[str, Any]:
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    seen: dict[str, Any] = {"state": run.state.value}
    if run.state in FINISHED_RUN_STATES:
        tasks = wanted or _task_of_result(tx, services, run)
        if tasks:
            seen["results"] = {task_id: _result(tx, run, task_id) for task_id in tasks}
    return seen


def _task_of_result(tx: Transaction, services: Services, run: Run) -> list[str]:
    try:
        details = services.structures.get(tx, run.version_key).dag.details
    except DagUnusable:
        return []
    named = details.get("result_task_id") if isinstance(details, dict) else None
    return [named] if isinstance(named, str) else []


def _result(tx: Transaction, run: Run, task_id: str) -> JsonValue:
    """What it returned; of a mapped task, a list of what its instances did."""
    place = XComPlace(run.key, task_id, _RESULT)
    one = tx.xcoms.find(place, UNMAPPED)
    if one is not None:
        return cast("JsonValue", one.value)
    return tx.xcoms.cut(place, slice(None)) or None
