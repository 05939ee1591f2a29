"""Task instances as people change them: how they ended, what there is to say about them, and away with them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import Query as Parameter
from fastapi import Response

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.map_index import MAP_INDEX
from tradewind.api.operation import Operations
from tradewind.api.public.shown_task_instances import collection_of, find_run
from tradewind.api.public.task_change_schemas import PatchTaskInstanceBody
from tradewind.api.public.task_instance_schemas import TaskInstanceCollectionResponse
from tradewind.api.public.task_instances import OF_TASK
from tradewind.api.public.update_mask import changed_fields
from tradewind.api.services import Given, Services
from tradewind.errors import Conflict, InvalidRequest
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.model.states import TaskState
from tradewind.operations.choose_tasks import Selection, choose_tasks
from tradewind.operations.delete import delete_tasks
from tradewind.operations.mark_state import mark_tasks, would_mark_tasks
from tradewind.operations.task_groups import tasks_of_group
from tradewind.storage.interface import Transaction

operations = Operations("Task Instance")

EDIT: Final = Need(Resource.DAG, Action.EDIT)
_OF_GROUP: Final = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}"

Mask = Annotated[list[str] | None, Parameter()]
Choose = Callable[[Transaction], Selection]


@operations.add("PATCH", f"{OF_TASK}/dry_run", operation_id="patch_task_instance_dry_run", need=EDIT)
def patch_task_instance_dry_run(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    body: PatchTaskInstanceBody,
    services: Given,
    map_index: int | None = None,
    update_mask: Mask = None,
) -> TaskInstanceCollectionResponse:
    """What would change."""
    selection = instances_of(dag_id, dag_run_id, task_id, map_index)
    return _preview(services, lambda _: selection, body, update_mask)


@operations.add(
    "PATCH", f"{OF_TASK}/{MAP_INDEX}/dry_run", operation_id="patch_task_instance_dry_run_by_map_index", need=EDIT
)
def patch_task_instance_dry_run_by_map_index(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    map_index: int | None,
    body: PatchTaskInstanceBody,
    services: Given,
    update_mask: Mask = None,
) -> TaskInstanceCollectionResponse:
    """What would change about one instance of a mapped task."""
    selection = instances_of(dag_id, dag_run_id, task_id, map_index)
    return _preview(services, lambda _: selection, body, update_mask)


@operations.add("PATCH", OF_TASK, operation_id="patch_task_instance", need=EDIT)
def patch_task_instance(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    body: PatchTaskInstanceBody,
    services: Given,
    map_index: int | None = None,
    update_mask: Mask = None,
) -> TaskInstanceCollectionResponse:
    """Say how it ended, or what there is to say about it. Without a map index: all instances of a mapped task."""
    selection = instances_of(dag_id, dag_run_id, task_id, map_index)
    return _patch(services, lambda _: selection, body, update_mask)


@operations.add("PATCH", f"{OF_TASK}/{MAP_INDEX}", operation_id="patch_task_instance_by_map_index", need=EDIT)
def patch_task_instance_by_map_index(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    map_index: int | None,
    body: PatchTaskInstanceBody,
    services: Given,
    update_mask: Mask = None,
) -> TaskInstanceCollectionResponse:
    """The same for one instance of a mapped task."""
    selection = instances_of(dag_id, dag_run_id, task_id, map_index)
    return _patch(services, lambda _: selection, body, update_mask)


@operations.add("PATCH", _OF_GROUP, operation_id="patch_task_group_instances", need=EDIT)
def patch_task_group_instances(
    dag_id: str,
    dag_run_id: str,
    group_id: str,
    body: PatchTaskInstanceBody,
    services: Given,
    update_mask: Mask = None,
) -> TaskInstanceCollectionResponse:
    """The same for all tasks of a group."""
    return _patch(services, _of_group(services, dag_id, dag_run_id, group_id), body, update_mask)


@operations.add("PATCH", f"{_OF_GROUP}/dry_run", operation_id="patch_task_group_instances_dry_run", need=EDIT)
def patch_task_group_instances_dry_run(
    dag_id: str, dag_run_id: str, group_id: str, body: PatchTaskInstanceBody, services: Given
) -> TaskInstanceCollectionResponse:
    """What would change about the tasks of a group."""
    return _preview(services, _of_group(services, dag_id, dag_run_id, group_id), body, None)


@operations.add("DELETE", OF_TASK, operation_id="delete_task_instance", need=Need(Resource.DAG, Action.DELETE))
def delete_task_instance(
    dag_id: str, dag_run_id: str, task_id: str, services: Given, map_index: int = UNMAPPED
) -> Response:
    """As if it had never been there."""
    selection = instances_of(dag_id, dag_run_id, task_id, map_index)
    services.store.transact(lambda tx: delete_tasks(tx, selection, services.structures, services.clock.now()))
    return Response(b"null", media_type="application/json")


def instances_of(dag_id: str, run_id: str, task_id: str, map_index: int | None) -> Selection:
    """One instance of a task; without a map index, all that it has."""
    return Selection(dag_id, run_id, (task_id,), None if map_index is None else (map_index,))


def change_tasks(
    tx: Transaction, services: Services, named: Selection, body: PatchTaskInstanceBody, changes: dict[str, Any]
) -> list[TaskKey]:
    """Mark the tasks, note what there is to note, and say which were concerned.

    Raises:
        UnknownDag, UnknownRun, UnknownTask: as the name says.
        Conflict: they are so already.
    """
    state = changes.get("new_state")
    if state is not None:
        concerned = mark_tasks(tx, _widened(named, body), TaskState(state), services.structures, services.clock.now())
        if not concerned:
            raise Conflict(f"{_who(named)} already {state}")
    else:
        chosen = choose_tasks(tx, named, services.structures)
        concerned = [task.key for each in chosen for task in each.instances]
    if "note" in changes:
        tx.tasks.set_notes(concerned, changes["note"])
    return concerned


def _patch(
    services: Services, choose: Choose, body: PatchTaskInstanceBody, mask: list[str] | None
) -> TaskInstanceCollectionResponse:
    changes = changed_fields(body, mask)
    _refuse_nothing(changes)

    def work(tx: Transaction) -> TaskInstanceCollectionResponse:
        return collection_of(tx, change_tasks(tx, services, choose(tx), body, changes))

    return services.store.transact(work)


def _preview(
    services: Services, choose: Choose, body: PatchTaskInstanceBody, mask: list[str] | None
) -> TaskInstanceCollectionResponse:
    changes = changed_fields(body, mask)

    def work(tx: Transaction) -> TaskInstanceCollectionResponse:
        named = choose(tx)
        if changes.get("new_state") is None:
            chosen = choose_tasks(tx, named, services.structures, locks=False)
            return collection_of(tx, [task.key for each in chosen for task in each.instances])
        state = TaskState(changes["new_state"])
        return collection_of(tx, would_mark_tasks(tx, _widened(named, body), state, services.structures))

    return services.store.read(work)


def _widened(named: Selection, body: PatchTaskInstanceBody) -> Selection:
    return replace(
        named,
        upstream=body.include_upstream,
        downstream=body.include_downstream,
        past=body.include_past,
        future=body.include_future,
    )


def _of_group(services: Services, dag_id: str, run_id: str, group_id: str) -> Choose:
    def choose(tx: Transaction) -> Selection:
        run = find_run(tx, dag_id, run_id)
        members = tasks_of_group(services.structures.get(tx, run.version_key).dag, group_id)
        return Selection(dag_id, run_id, tuple(members))

    return choose


def _refuse_nothing(changes: dict[str, Any]) -> None:
    if not changes.keys() & {"new_state", "note"}:
        raise InvalidRequest("nothing is to change: give a new_state or a note")


def _who(named: Selection) -> str:
    names = named.task_ids or ()
    return f"task {names[0]!r} is" if len(names) == 1 else "all these tasks are"
