"""What runs and tasks of Airflow are in our words. Values in, values out."""

from collections.abc import Collection, Sequence
from typing import Final

from tradewind.model.dag import Dag, Task
from tradewind.model.dag_check import InvalidDag, check_dag
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.json_value import JsonValue
from tradewind.model.pool import DEFAULT_POOL
from tradewind.model.states import FINISHED_STATES, RunState, RunType, TaskState, TriggeredBy
from tradewind.model.task_answers import HITLUserResult
from tradewind.model.timetable import DataInterval
from tradewind.operations.from_airflow.outcome import Fate
from tradewind.storage.interface.airflow_source import (
    AirflowInquiry,
    AirflowRun,
    AirflowTask,
    AirflowTaskName,
    AirflowTry,
    AirflowXCom,
)
from tradewind.storage.interface.history_store import EndedRun, EndedTask, EndedTry, EndedXCom

_LONGEST_NAME: Final = 250
_DEFAULT_QUEUE: Final = "default"
_DEFAULT_OPERATOR: Final = "BaseOperator"
_RUN_TYPES: Final = {**{each.value: each for each in RunType}, "dataset_triggered": RunType.ASSET_TRIGGERED}
_TRIGGERED_BY: Final = {**{each.value: each for each in TriggeredBy}, "dataset": TriggeredBy.ASSET}
_RUN_STATES: Final = {each.value: each for each in (RunState.SUCCESS, RunState.FAILED)}
_NOT_ENDED: Final = frozenset({RunState.QUEUED.value, RunState.RUNNING.value})
_TASK_STATES: Final[dict[str | None, TaskState]] = {
    None: TaskState.NONE,
    **{each.value: each for each in FINISHED_STATES},
}

REASON: Final = "copied from Airflow"
"""Why a run ended is Airflow's knowledge; where it ended is ours to tell."""
DESCRIPTION: Final = "As its runs in Airflow were; no file of it has been read here yet."


def why_not(run: AirflowRun) -> tuple[Fate, str] | None:
    """Why a run is not copied, if it is not."""
    if run.state in _NOT_ENDED:
        return Fate.LEFT_OUT, "it has not ended in Airflow: copy again when it has"
    if run.state not in _RUN_STATES:
        return Fate.IMPOSSIBLE, f"its state {run.state!r} is unknown here"
    if run.run_type not in _RUN_TYPES:
        return Fate.IMPOSSIBLE, f"its type {run.run_type!r} is unknown here"
    return None


def ended_run(run: AirflowRun) -> EndedRun:
    """A run for which there is no `why_not`."""
    has_interval = run.interval_start is not None and run.interval_end is not None
    return EndedRun(
        dag_id=run.dag_id,
        run_id=run.run_id,
        run_type=_RUN_TYPES[run.run_type],
        state=_RUN_STATES[run.state or ""],
        run_after=run.run_after,
        # Airflow forgets it where a person said how the run ended before it began.
        finished_at=run.ended_at or run.started_at or run.run_after,
        logical_date=run.logical_date,
        data_interval=DataInterval(run.interval_start, run.interval_end) if has_interval else None,  # type: ignore[arg-type]
        queued_at=run.queued_at,
        started_at=run.started_at,
        clear_number=run.clear_number,
        conf=run.conf or None,
        note=run.note,
        triggered_by=_TRIGGERED_BY.get((run.triggered_by or "").lower()),
        triggering_user_name=_name(run.triggering_user_name),
        reason=REASON,
    )


def ended_task(task: AirflowTask, run_key: RunKey, dag_id: str) -> EndedTask:
    """An instance of a run that is over: what has not ended then never will."""
    state = _TASK_STATES.get(task.state, TaskState.FAILED)
    operator = _name(task.operator) or _DEFAULT_OPERATOR
    shown = _name(task.operator_name) or operator
    return EndedTask(
        run_key=run_key,
        task_id=task.task_id,
        map_index=task.map_index,
        dag_id=dag_id,
        state=state,
        attempt=task.try_number,
        try_number=task.try_number,
        max_tries=task.max_tries,
        pool=_name(task.pool) or DEFAULT_POOL,
        pool_slots=task.pool_slots or 1,
        priority_weight=1 if task.priority_weight is None else task.priority_weight,
        queue=_name(task.queue) or _DEFAULT_QUEUE,
        executor=_name(task.executor),
        operator=shown,
        task_type=operator if operator != shown else None,
        display_name=task.display_name if task.display_name != task.task_id else None,
        scheduled_at=task.scheduled_at,
        queued_at=task.queued_at,
        started_at=task.started_at,
        finished_at=None if state is TaskState.NONE else task.ended_at or task.started_at,
        hostname=_name(task.hostname),
        pid=task.pid,
        rendered_map_index=task.rendered_map_index,
        reason=None if task.state in _TASK_STATES else f"its run had ended in Airflow while it was {task.state}",
        note=task.note,
    )


def ended_try(earlier: AirflowTry, run_key: RunKey) -> EndedTry:
    """A try that was not the last one."""
    state = _TASK_STATES.get(earlier.state, TaskState.FAILED)
    return EndedTry(
        run_key=run_key,
        task_id=earlier.task_id,
        map_index=earlier.map_index,
        attempt=earlier.try_number,
        try_number=earlier.try_number,
        state=TaskState.FAILED if state is TaskState.NONE else state,
        scheduled_at=earlier.scheduled_at,
        queued_at=earlier.queued_at,
        started_at=earlier.started_at,
        finished_at=earlier.ended_at,
        hostname=_name(earlier.hostname),
        pid=earlier.pid,
    )


def ended_xcom(xcom: AirflowXCom, run_key: RunKey) -> EndedXCom:
    """A value, which both serialize in the same way."""
    return EndedXCom(run_key, xcom.task_id, xcom.map_index, xcom.key, xcom.value, bool(xcom.is_dag_result), xcom.at)


def ended_inquiry(asked: AirflowInquiry, run_key: RunKey) -> Inquiry:
    """A question of a try that is over, with its answer. Nobody can answer it any more."""
    answer = None
    if asked.responded_at is not None:
        chosen, form = _texts(asked.chosen_options), asked.params_input if isinstance(asked.params_input, dict) else {}
        by = _users([asked.responded_by])
        answer = HumanAnswer(chosen_options=chosen, params_input=form, at=asked.responded_at, by=by[0] if by else None)
    return Inquiry(
        attempt=AttemptKey(run_key, asked.task_id, asked.map_index, asked.try_number),
        try_number=asked.try_number,
        options=_texts(asked.options),
        subject=asked.subject,
        created_at=asked.created_at,
        body=asked.body,
        defaults=None if asked.defaults is None else _texts(asked.defaults),
        multiple=bool(asked.is_multiple),
        params=asked.params if isinstance(asked.params, dict) else {},
        assigned_users=_users(asked.assignees),
        answer=answer,
    )


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list) else ()


def _users(value: JsonValue) -> tuple[HITLUserResult, ...]:
    """Whatever looks otherwise than expected names nobody."""
    found = []
    for each in value if isinstance(value, list) else ():
        match each:
            case {"id": str(user_id), "name": str(name)}:
                found.append(HITLUserResult(id=user_id[:_LONGEST_NAME], name=name[:_LONGEST_NAME]))
            case _:
                pass
    return tuple(found)


def remembered_dag(dag_id: str, tasks: Sequence[AirflowTaskName], structure: JsonValue = None) -> Dag:
    """A DAG of which no file has been read here: the tasks that its runs had, and what they waited for as far as
    `structure`, in which Airflow wrote it down, can be understood.

    A run that is cleared goes on with the DAG as its file says then.
    """
    upstream = _upstream(structure, {each.task_id for each in tasks})
    dag = Dag(
        dag_id,
        tuple(
            Task(each.task_id, _name(each.operator) or _DEFAULT_OPERATOR, upstream=upstream.get(each.task_id, ()))
            for each in tasks
        ),
        description=DESCRIPTION,
        details={"rerun_with_latest_version": True},
    )
    try:
        check_dag(dag)
    except InvalidDag:
        return remembered_dag(dag_id, tasks) if upstream else dag
    return dag


def _upstream(structure: JsonValue, known: Collection[str]) -> dict[str, tuple[str, ...]]:
    """By task, what it waited for. Whatever looks otherwise than expected says nothing."""
    found: dict[str, list[str]] = {}
    for task in _written_tasks(structure):
        match task:
            case {"task_id": str(task_id), "downstream_task_ids": list(below)} if task_id in known:
                for name in below:
                    if isinstance(name, str) and name in known:
                        found.setdefault(name, []).append(task_id)
            case _:
                pass
    return {name: tuple(sorted(above)) for name, above in found.items()}


def _written_tasks(structure: JsonValue) -> list[JsonValue]:
    match structure:
        case {"dag": {"tasks": list(entries)}}:
            return [entry.get("__var", entry) if isinstance(entry, dict) else entry for entry in entries]
        case _:
            return []


def _name(text: str | None) -> str | None:
    """Airflow lets some names be longer than we do; nobody looks for rows by these."""
    return text[:_LONGEST_NAME] if text else None
