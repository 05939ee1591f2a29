"""A task, its context and a runtime that answers from memory: enough to call `execute` for real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from tests.instants import utc
from tradewind.model.task_answers import (
    ConnectionResult,
    DagResult,
    DagRunResult,
    HITLDetailRequest,
    HITLDetailResponse,
)
from tradewind.sdk.context import Context
from tradewind.sdk.runtime import Runtime, use_runtime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tradewind.sdk.operator import BaseOperator

LOGICAL_DATE = utc("2026-03-02")


@dataclass
class MemoryRuntime:
    """Answers what the standard operators ask for."""

    variables: dict[str, str] = field(default_factory=dict)
    connections: dict[str, ConnectionResult] = field(default_factory=dict)
    dags: dict[str, DagResult] = field(default_factory=dict)
    runs: list[DagRunResult] = field(default_factory=list)
    task_states: dict[str, dict[str, str | None]] = field(default_factory=dict)
    """By run id, then by task id."""
    groups: dict[str, list[str]] = field(default_factory=dict)
    questions: list[HITLDetailRequest] = field(default_factory=list)
    answer: HITLDetailResponse = field(default_factory=lambda: HITLDetailResponse(response_received=False))
    secrets: list[Any] = field(default_factory=list)

    def get_variable(self, key: str) -> str | None:
        return self.variables.get(key)

    def get_connection(self, conn_id: str) -> ConnectionResult | None:
        return self.connections.get(conn_id)

    def mask_secret(self, secret: Any, name: str | None = None) -> None:
        self.secrets.append(secret)

    def get_dag(self, dag_id: str) -> DagResult | None:
        return self.dags.get(dag_id)

    def get_dag_run_state(self, dag_id: str, run_id: str) -> str | None:
        return next((run.state for run in self._asked(dag_id, None, [run_id])), None)

    def get_previous_dag_run(
        self, dag_id: str, *, logical_date: datetime, state: str | None = None
    ) -> DagRunResult | None:
        before = [
            run
            for run in self.runs
            if run.dag_id == dag_id and run.logical_date is not None and run.logical_date < logical_date
        ]
        return max(before, key=lambda run: run.run_after, default=None)

    def count_dag_runs(
        self,
        dag_id: str,
        *,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        return sum(states is None or run.state in states for run in self._asked(dag_id, logical_dates, run_ids))

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
        wanted = self.groups[task_group_id] if task_group_id is not None else list(task_ids or ())
        return {
            run.run_id: {
                name: state
                for name, state in self.task_states.get(run.run_id, {}).items()
                if name in wanted or name.rpartition("_")[0] in wanted
            }
            for run in self._asked(dag_id, logical_dates, run_ids)
        }

    def upsert_hitl_detail(self, request: HITLDetailRequest) -> None:
        self.questions.append(request)

    def get_hitl_detail(self, ti_id: str) -> HITLDetailResponse:
        return self.answer

    def update_hitl_detail(
        self, ti_id: str, *, chosen_options: Sequence[str], params_input: Mapping[str, Any]
    ) -> HITLDetailResponse:
        self.answer = HITLDetailResponse(
            response_received=True,
            responded_at=LOGICAL_DATE,
            chosen_options=tuple(chosen_options),
            params_input=params_input,
        )
        return self.answer

    def _asked(
        self, dag_id: str, logical_dates: Sequence[datetime] | None, run_ids: Sequence[str] | None
    ) -> list[DagRunResult]:
        return [
            run
            for run in self.runs
            if run.dag_id == dag_id
            and (logical_dates is None or run.logical_date in logical_dates)
            and (run_ids is None or run.run_id in run_ids)
        ]


@contextmanager
def answering(**answers: Any) -> Iterator[MemoryRuntime]:
    """Let a runtime with these answers answer within the block."""
    runtime = MemoryRuntime(**answers)
    # Only the methods that the standard operators use are there.
    with use_runtime(cast("Runtime", runtime)):
        yield runtime


def run_of(dag_id: str, logical_date: datetime | None = LOGICAL_DATE, **fields: Any) -> DagRunResult:
    """A run of a DAG."""
    when = logical_date or LOGICAL_DATE
    values = {"run_id": f"scheduled__{when.isoformat()}", "run_type": "scheduled", "state": "running", **fields}
    return DagRunResult(dag_id=dag_id, logical_date=logical_date, **{"run_after": when, **values})


@dataclass
class MemoryTaskInstance:
    """A task instance that remembers what was pushed."""

    task: BaseOperator
    run_id: str
    map_index: int = -1
    try_number: int = 1
    id: str = "0199c2b6-7a3e-7000-8000-000000000001"
    first_reschedule_date: datetime | None = None
    pushed: dict[str, Any] = field(default_factory=dict)

    @property
    def dag_id(self) -> str:
        return self.task.dag_id

    @property
    def task_id(self) -> str:
        return self.task.task_id

    def xcom_push(self, key: str, value: Any) -> None:
        self.pushed[key] = value

    def get_first_reschedule_date(self, context: Context) -> datetime | None:
        return self.first_reschedule_date


def context_of(task: Any, dag_run: DagRunResult | None = None, **values: Any) -> Context:
    """What the task sees while it runs."""
    run = dag_run if dag_run is not None else run_of(task.dag_id)
    ti = MemoryTaskInstance(task, run.run_id)
    context: dict[str, Any] = {
        "dag": task.dag,
        "task": task,
        "ti": ti,
        "task_instance": ti,
        "dag_run": run,
        "run_id": run.run_id,
        "params": {},
        "outlet_events": {},
    }
    if run.logical_date is not None:
        context |= {"logical_date": run.logical_date, "ds": run.logical_date.date().isoformat()}
        context |= {"data_interval_start": run.data_interval_start, "data_interval_end": run.data_interval_end}
    return cast("Context", {**context, **values})
