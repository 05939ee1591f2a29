"""Task instances that shall run again."""

from tradewind.api.operation import Operations
from tradewind.api.public.shown_task_instances import collection_of
from tradewind.api.public.task_change_schemas import ClearTaskInstancesBody
from tradewind.api.public.task_changes import EDIT
from tradewind.api.public.task_instance_schemas import TaskInstanceCollectionResponse
from tradewind.api.services import Given
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.clear_tasks import Afterwards, clear_tasks, would_clear_tasks
from tradewind.storage.interface import Transaction

operations = Operations("Task Instance")


@operations.add("POST", "/dags/{dag_id}/clearTaskInstances", operation_id="post_clear_task_instances", need=EDIT)
def post_clear_task_instances(
    dag_id: str, body: ClearTaskInstancesBody, services: Given
) -> TaskInstanceCollectionResponse:
    """Clear them; as long as `dry_run` is not false, say only which."""
    selection = _selection(dag_id, body)
    if body.dry_run:
        return services.store.read(lambda tx: collection_of(tx, would_clear_tasks(tx, selection, services.structures)))
    afterwards = Afterwards(
        reopens_runs=body.reset_dag_runs,
        on_latest_version=body.run_on_latest_version,
        refuses_running=body.prevent_running_task,
    )

    def work(tx: Transaction) -> TaskInstanceCollectionResponse:
        cleared = clear_tasks(tx, selection, services.structures, services.clock.now(), afterwards)
        if body.note is not None:
            tx.tasks.set_notes(cleared, body.note)
        return collection_of(tx, cleared)

    return services.store.transact(work)


def _selection(dag_id: str, body: ClearTaskInstancesBody) -> Selection:
    names = tuple(each for each in body.task_ids or () if isinstance(each, str))
    instances = tuple(each for each in body.task_ids or () if not isinstance(each, str))
    return Selection(
        dag_id,
        body.dag_run_id,
        names or None,
        instances=instances,
        upstream=body.include_upstream,
        downstream=body.include_downstream,
        past=body.include_past,
        future=body.include_future,
        since=body.start_date,
        until=body.end_date,
        only_failed=body.only_failed,
        only_running=body.only_running,
    )
