"""A DAG, or one task of it, that a person runs from the command line: in this process, in real time."""

import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tradewind.errors import CheckFailed, InvalidRequest, UnknownDag, UnknownTask
from tradewind.model.ids import UNMAPPED
from tradewind.model.json_value import JsonValue
from tradewind.model.task_answers import ConnectionResult, XComResult
from tradewind.sdk.dags import DAG
from tradewind.sdk.exceptions import ParamValidationError
from tradewind.sdk.notset import NOTSET
from tradewind.sdk.xcom import resolve_xcom_backend
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY
from tradewind.testing.attempts import ByIndex, OnlyTask
from tradewind.testing.dag_files import load_dag_file
from tradewind.testing.engine import Wishes
from tradewind.testing.memory.contents import Memory
from tradewind.testing.result import RunResult
from tradewind.testing.running import run_in_real_time
from tradewind.testing.task_log import kept_logs
from tradewind.worker.task_life.result import is_mapped_over

_TRIGGER_RULE = "all_done"


@dataclass(slots=True, kw_only=True)
class HandRun:
    """How the run shall be."""

    logical_date: datetime | None = None
    """None: now."""
    run_id: str | None = None
    conf: Mapping[str, Any] | None = None
    mark_success_pattern: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    connections: Mapping[str, ConnectionResult] = field(default_factory=dict)
    """Those that are stored; what is missing here is looked for in the environment."""


@dataclass(slots=True, kw_only=True)
class HandTask:
    """Which task, and how."""

    task_id: str
    map_index: int = UNMAPPED
    params: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Mapping[int, JsonValue]] = field(default_factory=dict)
    """What the tasks before it returned, by task id and map index, as it is stored. The others returned nothing."""
    is_rendered_only: bool = False


def load_dag(folder: Path, path: str, dag_id: str) -> DAG:
    """The DAG from its file.

    Raises:
        CheckFailed: the file is broken; the message has the traceback of its author's code.
        UnknownDag: the file has no such DAG.
    """
    loaded = load_dag_file(folder, path)
    if path in loaded.import_errors:
        raise CheckFailed(f"{folder / path} cannot be read:\n{loaded.import_errors[path].rstrip()}")
    if dag_id not in loaded.dags:
        raise UnknownDag(dag_id)
    return loaded.dags[dag_id]


def run_dag_by_hand(dag: DAG, how: HandRun) -> RunResult:
    """Run all tasks. What they log goes to the error stream."""
    return _run(dag, how, Wishes())


def run_task_by_hand(dag: DAG, which: HandTask, how: HandRun) -> RunResult:
    """Run one task once, whatever became of those before it.

    Raises:
        UnknownTask: the DAG has none of that id.
    """
    if which.task_id not in dag.task_dict:
        raise UnknownTask(dag.dag_id, which.task_id)
    part = dag.partial_subset(which.task_id, include_upstream=True)
    task: Any = part.task_dict[which.task_id]
    before = part.task_dict.keys() - {which.task_id}
    _set(task, trigger_rule=_TRIGGER_RULE, retries=0, depends_on_past=False, wait_for_downstream=False)
    if which.params:
        task.params.update(which.params)
    index = None if which.map_index == UNMAPPED else which.map_index
    wishes = Wishes(
        outputs={task_id: _output(part.task_dict[task_id], which.outputs.get(task_id, {})) for task_id in before},
        only=OnlyTask(which.task_id, index, which.is_rendered_only),
    )
    return _run(part, how, wishes)


def _output(task: Any, stored: Mapping[int, JsonValue]) -> Any:
    backend = resolve_xcom_backend()
    known = {index: backend.deserialize_value(XComResult(XCOM_RETURN_KEY, value)) for index, value in stored.items()}
    if task.is_mapped or any(index != UNMAPPED for index in known):
        return ByIndex(known)
    if UNMAPPED in known:
        return known[UNMAPPED]
    if is_mapped_over(task):
        return []  # whatever is mapped over something that is not known has no copies
    return {} if getattr(task, "multiple_outputs", False) else None


def _set(task: Any, **values: Any) -> None:
    """Of a plain task or of a mapped one, which keeps them for its copies."""
    for name, value in values.items():
        if task.is_mapped:
            task.partial_kwargs[name] = value
        else:
            setattr(task, name, value)


def _run(dag: DAG, how: HandRun, wishes: Wishes) -> RunResult:
    memory = Memory(variables=dict(how.variables), connections=dict(how.connections))
    with kept_logs(logging.INFO, shown_on=sys.stderr):
        try:
            return run_in_real_time(
                dag,
                logical_date=NOTSET if how.logical_date is None else how.logical_date,
                run_after=None,
                run_id=how.run_id,
                conf=how.conf,
                memory=memory,
                mark_success_pattern=how.mark_success_pattern,
                wishes=wishes,
            )
        except ParamValidationError as error:
            raise InvalidRequest(f"--conf does not fit the params of the DAG: {error}") from error
