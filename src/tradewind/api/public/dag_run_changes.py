"""What people do to runs: say how they ended, remark on them, clear them, delete them. One, or many at once."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import HTTPException
from fastapi import Query as Parameter

from tradewind.api.auth.access import Need, Principal, may
from tradewind.api.operation import Caller, Operations
from tradewind.api.public.bulk import (
    BulkActionNotOnExistence,
    BulkActionResponse,
    BulkBody,
    BulkCreateAction,
    BulkDeleteAction,
    BulkResponse,
    BulkUpdateAction,
    bulk_action,
)
from tradewind.api.public.dag_run_schemas import (
    BulkDAGRunBody,
    BulkDAGRunClearBody,
    ClearPartitionsBody,
    ClearPartitionsResponse,
    ClearTaskInstanceCollectionResponse,
    DAGRunClearBody,
    DAGRunCollectionResponse,
    DAGRunMutableStates,
    DAGRunPatchBody,
    DAGRunResponse,
    NewTaskResponse,
)
from tradewind.api.public.dag_runs import DELETE, EDIT, RUN, RUNS
from tradewind.api.public.shown_dag_runs import ANY, shown_run
from tradewind.api.public.shown_task_instances import collection_of
from tradewind.api.public.update_mask import changed_fields
from tradewind.api.services import Given, Services
from tradewind.errors import InvalidRequest
from tradewind.model.ids import TaskKey
from tradewind.model.states import RunState
from tradewind.operations.clear_partitions import PartitionChoice, chosen_runs, clear_partitions
from tradewind.operations.clear_runs import Clearing, clear_run, would_clear
from tradewind.operations.delete import delete_run
from tradewind.operations.mark_state import mark_run, queue_run
from tradewind.operations.set_note import set_run_note
from tradewind.storage.interface import Transaction

operations = Operations("DagRun")

RunName = tuple[str, str]
BulkAction = BulkCreateAction[BulkDAGRunBody] | BulkUpdateAction[BulkDAGRunBody] | BulkDeleteAction[BulkDAGRunBody]
Cleared = ClearTaskInstanceCollectionResponse | DAGRunResponse
ManyCleared = ClearTaskInstanceCollectionResponse | DAGRunCollectionResponse


@operations.add("PATCH", RUN, operation_id="patch_dag_run", need=EDIT)
def patch_dag_run(
    dag_id: str,
    dag_run_id: str,
    body: DAGRunPatchBody,
    services: Given,
    update_mask: Annotated[list[str] | None, Parameter()] = None,
) -> DAGRunResponse:
    """Say how it ended, let it start again, or change the remark on it."""
    changes = changed_fields(body, update_mask)

    def work(tx: Transaction) -> DAGRunResponse:
        _change(tx, services, (dag_id, dag_run_id), changes)
        return shown_run(tx, dag_id, dag_run_id)

    return services.store.transact(work)


@operations.add("DELETE", RUN, operation_id="delete_dag_run", need=DELETE, status=204)
def delete_dag_run(dag_id: str, dag_run_id: str, services: Given) -> None:
    """Delete it, with all that its tasks left."""
    services.store.transact(lambda tx: delete_run(tx, dag_id, dag_run_id, services.structures, services.clock.now()))


@operations.add("PATCH", RUNS, operation_id="bulk_dag_runs", need=EDIT)
def bulk_dag_runs(dag_id: str, body: BulkBody[BulkDAGRunBody], services: Given, caller: Caller) -> BulkResponse:
    """Change and delete many."""

    def work(tx: Transaction) -> BulkResponse:
        entities = [each for action in body.actions for each in action.entities]
        tx.dags.lock({dag_id} | {each.dag_id for each in entities if not isinstance(each, str) and each.dag_id})
        response = BulkResponse()
        for action in body.actions:
            setattr(response, action.action, _bulk(tx, services, dag_id, action, caller))
        return response

    return services.store.transact(work)


@operations.add("POST", f"{RUN}/clear", operation_id="clear_dag_run", need=EDIT)
def clear_dag_run(dag_id: str, dag_run_id: str, body: DAGRunClearBody, services: Given) -> Cleared:
    """Let it start over; by default, only tell which tasks would."""
    name = (dag_id, dag_run_id)
    if body.dry_run:
        return services.store.transact(lambda tx: _would_clear(tx, services, [name], body))

    def work(tx: Transaction) -> DAGRunResponse:
        _clear(tx, services, name, body)
        return shown_run(tx, dag_id, dag_run_id)

    return services.store.transact(work)


@operations.add("POST", "/dags/{dag_id}/clearDagRuns", operation_id="clear_dag_runs", need=EDIT)
def clear_dag_runs(dag_id: str, body: BulkDAGRunClearBody, services: Given, caller: Caller) -> ManyCleared:
    """Let many start over; by default, only tell which tasks would."""
    names = _chosen(dag_id, body, services, caller)
    if body.dry_run:
        return services.store.transact(lambda tx: _would_clear(tx, services, names, body))

    def work(tx: Transaction) -> DAGRunCollectionResponse:
        tx.dags.lock({name[0] for name in names})
        for name in names:
            _clear(tx, services, name, body)
        shown = [shown_run(tx, *name) for name in names]
        return DAGRunCollectionResponse(dag_runs=shown, total_entries=len(shown))

    return services.store.transact(work)


@operations.add("POST", "/dags/{dag_id}/clearPartitions", operation_id="clear_dag_run_partitions", need=EDIT)
def clear_dag_run_partitions(dag_id: str, body: ClearPartitionsBody, services: Given) -> ClearPartitionsResponse:
    """Let runs be about no partition any more; by default, only tell how many would."""
    choice = PartitionChoice(body.partition_key, body.partition_date_start, body.partition_date_end, body.run_id)
    now = services.clock.now()
    cleared = services.store.transact(
        lambda tx: clear_partitions(
            tx,
            dag_id,
            choice,
            services.structures,
            now,
            clears_tasks=body.clear_task_instances,
            is_dry=body.dry_run,
        )
    )
    return ClearPartitionsResponse(
        dag_runs_cleared=len(cleared.runs), task_instances_cleared=cleared.tasks, dry_run=body.dry_run
    )


def _chosen(dag_id: str, body: BulkDAGRunClearBody, services: Services, caller: Principal) -> list[RunName]:
    """In one order, so that two such requests do not wait for each other."""
    by_partition = (body.partition_key, body.partition_date_start, body.partition_date_end)
    if all(each is None for each in by_partition):
        if not body.dag_runs:
            raise InvalidRequest("dag_runs names no run")
        return sorted({_name(dag_id, each, caller, EDIT) for each in body.dag_runs})
    if body.dag_runs:
        raise InvalidRequest("runs are chosen by dag_runs or by their partition, not by both")
    choice = PartitionChoice(*by_partition)
    run_ids = services.store.transact(lambda tx: chosen_runs(tx, dag_id, choice, services.structures))
    return sorted((dag_id, run_id) for run_id in run_ids)


def _change(tx: Transaction, services: Services, name: RunName, changes: dict[str, Any]) -> None:
    dag_id, run_id = name
    now = services.clock.now()
    match changes.get("state"):
        case None:
            pass
        case DAGRunMutableStates.QUEUED:
            queue_run(tx, dag_id, run_id, now)
        case state:
            mark_run(tx, dag_id, run_id, RunState(state), services.structures, now)
    if "note" in changes:
        set_run_note(tx, dag_id, run_id, changes["note"])


def _bulk(
    tx: Transaction, services: Services, dag_id: str, action: BulkAction, caller: Principal
) -> BulkActionResponse:
    if isinstance(action, BulkCreateAction):
        refusal = "runs are not made in bulk: ask for each with POST /dags/{dag_id}/dagRuns"
        return BulkActionResponse(errors=[{"error": refusal, "status_code": 405}])
    need = DELETE if isinstance(action, BulkDeleteAction) else EDIT
    names = [_name(dag_id, each, caller, need) for each in action.entities]
    one: Callable[[int], object]
    match action:
        case BulkUpdateAction(entities=entities, update_mask=mask):
            one = lambda position: _change(  # noqa: E731 - one of two, each too short for a name
                tx, services, names[position], changed_fields(entities[position], mask)
            )
        case _:
            one = lambda position: delete_run(  # noqa: E731
                tx, *names[position], services.structures, services.clock.now()
            )
    skips = action.action_on_non_existence is BulkActionNotOnExistence.SKIP
    return bulk_action([".".join(name) for name in names], one, skips_missing=skips)


def _name(dag_id: str, entity: str | BulkDAGRunBody, caller: Principal, need: Need) -> RunName:
    """Which run is meant: of the DAG of the path, or of that which each names where the path says `~`."""
    run_id, named = (entity, None) if isinstance(entity, str) else (entity.dag_run_id, entity.dag_id)
    chosen = dag_id if named is None else named
    if chosen == ANY:
        raise InvalidRequest(f"run {run_id!r} needs a dag_id, for the path names none")
    if dag_id not in (ANY, chosen):
        raise InvalidRequest(f"run {run_id!r} is said to be of DAG {chosen!r}, but the path names {dag_id!r}")
    if not may(caller, need, chosen):
        raise HTTPException(403, "Forbidden")
    return chosen, run_id


def _clearing(body: DAGRunClearBody | BulkDAGRunClearBody) -> Clearing:
    return Clearing(body.only_failed, body.only_new, body.run_on_latest_version)


def _clear(tx: Transaction, services: Services, name: RunName, body: DAGRunClearBody | BulkDAGRunClearBody) -> None:
    clear_run(tx, *name, _clearing(body), services.structures, services.clock.now())
    if body.note is not None:
        set_run_note(tx, *name, body.note)


def _would_clear(
    tx: Transaction, services: Services, names: Sequence[RunName], body: DAGRunClearBody | BulkDAGRunClearBody
) -> ClearTaskInstanceCollectionResponse:
    found = [task for name in names for task in would_clear(tx, *name, _clearing(body), services.structures)]
    known = collection_of(tx, [task for task in found if isinstance(task, TaskKey)]).task_instances
    added = [
        NewTaskResponse(task_id=task.task_id, task_display_name=task.display_name or task.task_id)
        for task in found
        if not isinstance(task, TaskKey)
    ]
    return ClearTaskInstanceCollectionResponse(task_instances=[*known, *added], total_entries=len(found))
