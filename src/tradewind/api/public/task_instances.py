"""Task instances: lists of them, and one at a time."""

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from fastapi import Depends, HTTPException
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Principal, Resource, dags_within_reach
from tradewind.api.encoded import encoded
from tradewind.api.map_index import MAP_INDEX
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Cursor, Limit, Offset, Pages, is_
from tradewind.api.public.shown_task_instances import find_row, find_run, instance_values, instances_shown, read_rows
from tradewind.api.public.task_instance_filters import InstanceFilter, MappedFilter, TaskInstancesBatchBody
from tradewind.api.public.task_instance_schemas import TaskInstanceCollectionResponse, TaskInstanceResponse
from tradewind.api.services import Given, Services
from tradewind.errors import UnknownDag, UnknownTask
from tradewind.model.ids import UNMAPPED, VersionKey
from tradewind.model.listing import Condition, Listed, Page, Test
from tradewind.model.run import Run
from tradewind.operations.task_groups import tasks_of_group
from tradewind.storage.interface import Transaction

operations = Operations("Task Instance")

READ: Final = Need(Resource.DAG, Action.READ)
ANY: Final = "~"
OF_RUN: Final = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances"
OF_TASK: Final = f"{OF_RUN}/{{task_id}}"

OrderBy = Annotated[list[str], Parameter()]


@operations.add("GET", OF_RUN, operation_id="get_task_instances", need=READ)
def get_task_instances(
    dag_id: str,
    dag_run_id: str,
    services: Given,
    caller: Caller,
    wanted: Annotated[InstanceFilter, Depends()],
    cursor: Cursor = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: OrderBy = ["map_index"],  # noqa: B006 - never changed
) -> TaskInstanceCollectionResponse:
    """Those of a run; `~` stands for all runs, and for all DAGs."""
    if dag_id == ANY and dag_run_id != ANY:
        raise HTTPException(400, "dag_id is required when dag_run_id is specified")
    pages = Pages(limit, offset, cursor)

    def work(tx: Transaction) -> TaskInstanceCollectionResponse:
        run = find_run(tx, dag_id, dag_run_id) if dag_run_id != ANY else None
        place = [_within_reach(caller), is_("run_key", run.key) if run else _of_dag(tx, dag_id)]
        group = _of_group(tx, services, dag_id, run, wanted.task_group_id)
        return _listed(tx, pages, [*place, group, *wanted.conditions()], order_by)

    return services.store.read(work)


@operations.add("POST", f"{OF_RUN}/list", operation_id="get_task_instances_batch", need=READ)
def get_task_instances_batch(
    dag_id: Literal["~"],
    dag_run_id: Literal["~"],
    body: TaskInstancesBatchBody,
    services: Given,
    caller: Caller,
) -> TaskInstanceCollectionResponse:
    """Those of all DAGs, asked for with a body."""
    del dag_id, dag_run_id
    pages = Pages(body.page_limit, body.page_offset, None)
    conditions = [_within_reach(caller), *body.conditions()]
    order = [body.order_by] if body.order_by else []
    return services.store.read(lambda tx: _listed(tx, pages, conditions, order))


@operations.add("GET", f"{OF_TASK}/listMapped", operation_id="get_mapped_task_instances", need=READ)
def get_mapped_task_instances(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    services: Given,
    wanted: Annotated[MappedFilter, Depends()],
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: OrderBy = ["map_index"],  # noqa: B006 - never changed
) -> TaskInstanceCollectionResponse:
    """The instances of a mapped task in a run."""
    pages = Pages(limit, offset, None)

    def work(tx: Transaction) -> TaskInstanceCollectionResponse:
        run = find_run(tx, dag_id, dag_run_id)
        place = [is_("run_key", run.key), is_("task_id", task_id), Condition("map_index", Test.AT_LEAST, 0)]
        page = tx.listings.page(Listed.TASK_INSTANCES, pages.query([*place, *wanted.conditions()], order_by))
        if not page.total and not read_rows(tx, *place):
            _refuse_unmapped(tx, services, run, task_id)
        return _shown(tx, pages, page)

    return services.store.read(work)


@operations.add("GET", OF_TASK, operation_id="get_task_instance", need=READ)
def get_task_instance(dag_id: str, dag_run_id: str, task_id: str, services: Given) -> TaskInstanceResponse:
    """One that is not mapped."""

    def work(tx: Transaction) -> TaskInstanceResponse:
        run = find_run(tx, dag_id, dag_run_id)
        rows = read_rows(tx, is_("run_key", run.key), is_("task_id", task_id))
        if not rows:
            raise UnknownTask(dag_id, task_id, UNMAPPED)
        unmapped = [row for row in rows if row["map_index"] == UNMAPPED]
        if not unmapped:
            raise HTTPException(404, "Task instance is mapped, add the map_index value to the URL")
        return instances_shown(tx, unmapped)[0]

    return services.store.read(work)


@operations.add("GET", f"{OF_TASK}/{MAP_INDEX}", operation_id="get_mapped_task_instance", need=READ)
def get_mapped_task_instance(
    dag_id: str, dag_run_id: str, task_id: str, map_index: int, services: Given
) -> TaskInstanceResponse:
    """One of a mapped task."""
    return services.store.read(
        lambda tx: instances_shown(tx, [find_row(tx, dag_id, dag_run_id, task_id, map_index)])[0]
    )


def _listed(
    tx: Transaction, pages: Pages, conditions: Iterable[Condition | None], order_by: Iterable[str]
) -> TaskInstanceCollectionResponse:
    return _shown(tx, pages, tx.listings.page(Listed.TASK_INSTANCES, pages.query(conditions, order_by)))


def _shown(tx: Transaction, pages: Pages, page: Page) -> TaskInstanceCollectionResponse:
    values = {"task_instances": instance_values(tx, page.rows), **pages.answer(page)}
    return encoded(TaskInstanceCollectionResponse, values)


def _within_reach(caller: Principal) -> Condition | None:
    reach = dags_within_reach(caller, READ)
    return None if reach is None else Condition("dag_id", Test.ONE_OF, sorted(reach))


def _of_dag(tx: Transaction, dag_id: str) -> Condition | None:
    if dag_id == ANY:
        return None
    if tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)
    return is_("dag_id", dag_id)


def _of_group(
    tx: Transaction, services: Services, dag_id: str, run: Run | None, group_id: str | None
) -> Condition | None:
    if group_id is None:
        return None
    if dag_id == ANY:
        raise HTTPException(400, "dag_id is required when task_group_id is specified")
    tasks = tasks_of_group(services.structures.get(tx, _version_key(tx, dag_id, run)).dag, group_id)
    return Condition("task_id", Test.ONE_OF, tasks)


def _version_key(tx: Transaction, dag_id: str, run: Run | None) -> VersionKey:
    """That of the run; without one, the latest of the DAG."""
    if run is not None:
        return run.version_key
    record = tx.dags.find(dag_id)
    if record is None or record.version_key is None:
        raise UnknownDag(dag_id)
    return record.version_key


def _refuse_unmapped(tx: Transaction, services: Services, run: Run, task_id: str) -> None:
    """A mapped task without instances has an empty list; any other has none."""
    structure = services.structures.get(tx, run.version_key)
    number = structure.index.get(task_id)
    if number is None:
        raise UnknownTask(run.dag_id, task_id)
    if structure.lengths[number] is None:
        raise HTTPException(404, f"Task id {task_id} is not mapped")
