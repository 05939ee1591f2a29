"""Why runs do not run, and why there are none. Airflow has nothing like it."""

from datetime import datetime

from pydantic import BaseModel

from tradewind.api.operation import Operations
from tradewind.api.public.dag_runs import READ, RUN
from tradewind.api.public.explanation_schema import ReasonResponse, reasons_shown, summary_of
from tradewind.api.services import Given
from tradewind.errors import UnknownDag
from tradewind.model.states import RunState, TaskState
from tradewind.operations.explain import why_no_next_run
from tradewind.operations.explain_run import explain_one_run
from tradewind.storage.interface import Transaction

operations = Operations("DagRun")


class AwaitedTaskResponse(BaseModel):
    """A task instance that the run waits for."""

    task_id: str
    map_index: int
    state: TaskState | None
    reasons: list[ReasonResponse]
    """Why it has not ended."""


class RunExplanationResponse(BaseModel):
    """Why a run does not run, or has not ended."""

    dag_id: str
    dag_run_id: str
    state: RunState
    is_running: bool
    summary: str
    """In one sentence."""
    reasons: list[ReasonResponse]
    """Why it does not run, in the order in which they have to go away."""
    waits_for: list[AwaitedTaskResponse]
    """What a running run waits for: the first of its tasks that have begun, or could."""
    unfinished_tasks: int
    """How many of its task instances have not ended."""


class NextRunExplanationResponse(BaseModel):
    """Why a DAG has no further run yet."""

    dag_id: str
    is_paused: bool
    next_run_after: datetime | None
    """When the timetable wants it."""
    next_logical_date: datetime | None
    summary: str
    """In one sentence."""
    reasons: list[ReasonResponse]
    """In the order in which they have to go away."""


@operations.add("GET", f"{RUN}/explain", operation_id="explain_dag_run", need=READ)
def explain_dag_run(dag_id: str, dag_run_id: str, services: Given) -> RunExplanationResponse:
    """Why it does not run, or what it waits for while it does; from what decides about it."""

    def work(tx: Transaction) -> RunExplanationResponse:
        found = explain_one_run(tx, dag_id, dag_run_id, services.structures, services.clock.now())
        is_running = found.run.state is RunState.RUNNING
        awaited = [
            AwaitedTaskResponse(
                task_id=task.task_id,
                map_index=task.map_index,
                state=None if task.state is TaskState.NONE else task.state,
                reasons=reasons_shown(reasons),
            )
            for task, reasons in found.awaited
        ]
        return RunExplanationResponse(
            dag_id=dag_id,
            dag_run_id=dag_run_id,
            state=found.run.state,
            is_running=is_running,
            summary=found.summary or summary_of(found.reasons, is_running=is_running),
            reasons=reasons_shown(found.reasons),
            waits_for=awaited,
            unfinished_tasks=found.unfinished,
        )

    return services.store.read(work)


@operations.add("GET", "/dags/{dag_id}/explain", operation_id="explain_dag", need=READ)
def explain_dag(dag_id: str, services: Given) -> NextRunExplanationResponse:
    """Why the DAG's next run is not there yet; from what decides about it."""

    def work(tx: Transaction) -> NextRunExplanationResponse:
        record = tx.dags.find(dag_id)
        if record is None:
            raise UnknownDag(dag_id)
        reasons = why_no_next_run(tx, dag_id, services.structures, services.clock.now())
        return NextRunExplanationResponse(
            dag_id=dag_id,
            is_paused=record.is_paused,
            next_run_after=None if record.next_run is None else record.next_run.run_after,
            next_logical_date=None if record.next_run is None else record.next_run.logical_date,
            summary=summary_of(reasons, is_running=False),
            reasons=reasons_shown(reasons),
        )

    return services.store.read(work)
