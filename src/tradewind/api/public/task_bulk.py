"""Many task instances changed at once."""

from collections.abc import Iterable

from tradewind.api.auth.access import Action, Need, Principal, Resource, may
from tradewind.api.errors import status_of
from tradewind.api.operation import Caller, Operations
from tradewind.api.public.bulk import (
    BulkActionNotOnExistence,
    BulkActionResponse,
    BulkBody,
    BulkCreateAction,
    BulkDeleteAction,
    BulkResponse,
    BulkUpdateAction,
)
from tradewind.api.public.task_change_schemas import BulkTaskInstanceBody
from tradewind.api.public.task_changes import EDIT, change_tasks, instances_of
from tradewind.api.public.task_instances import ANY, OF_RUN
from tradewind.api.public.update_mask import changed_fields
from tradewind.api.services import Given, Services
from tradewind.errors import InvalidRequest, NotFound, TradewindError
from tradewind.model.ids import TaskKey
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.delete import delete_tasks
from tradewind.storage.interface import Transaction

operations = Operations("Task Instance")

BulkTaskAction = (
    BulkCreateAction[BulkTaskInstanceBody]
    | BulkUpdateAction[BulkTaskInstanceBody]
    | BulkDeleteAction[BulkTaskInstanceBody]
)


@operations.add("PATCH", OF_RUN, operation_id="bulk_task_instances", need=EDIT)
def bulk_task_instances(
    dag_id: str, dag_run_id: str, body: BulkBody[BulkTaskInstanceBody], services: Given, caller: Caller
) -> BulkResponse:
    """Change and delete many. With `~` in the path, each says of which DAG and run it is."""

    def work(tx: Transaction) -> BulkResponse:
        bulk = _Bulk(tx, services, caller, dag_id, dag_run_id)
        response = BulkResponse()
        for action in body.actions:
            setattr(response, action.action, bulk.act(action))
        return response

    return services.store.transact(work)


class _Bulk:
    """What is done in one request."""

    def __init__(self, tx: Transaction, services: Services, caller: Principal, dag_id: str, run_id: str) -> None:
        self._tx = tx
        self._services = services
        self._caller = caller
        self._dag_id = dag_id
        self._run_id = run_id

    def act(self, action: BulkTaskAction) -> BulkActionResponse:
        response = BulkActionResponse()
        if isinstance(action, BulkCreateAction):
            _note_error(response, "task instances are made by their run, not by clients", 405)
            return response
        skips_missing = action.action_on_non_existence is BulkActionNotOnExistence.SKIP
        for entity in action.entities:
            named = BulkTaskInstanceBody(task_id=entity) if isinstance(entity, str) else entity
            try:
                response.success.extend(self._do(action, named))
            except TradewindError as error:
                if not (skips_missing and isinstance(error, NotFound)):
                    _note_error(response, str(error), status_of(error))
            except PermissionError as error:
                _note_error(response, str(error), 403)
        return response

    def _do(
        self,
        action: BulkUpdateAction[BulkTaskInstanceBody] | BulkDeleteAction[BulkTaskInstanceBody],
        entity: BulkTaskInstanceBody,
    ) -> list[str]:
        wanted = Action.EDIT if isinstance(action, BulkUpdateAction) else Action.DELETE
        selection = self._selection(entity, wanted)
        if isinstance(action, BulkUpdateAction):
            changes = changed_fields(entity, action.update_mask)
            return self._names(change_tasks(self._tx, self._services, selection, entity, changes), selection)
        now = self._services.clock.now()
        return self._names(delete_tasks(self._tx, selection, self._services.structures, now), selection)

    def _selection(self, entity: BulkTaskInstanceBody, wanted: Action) -> Selection:
        dag_id = _agreed("dag_id", self._dag_id, entity.dag_id)
        run_id = _agreed("dag_run_id", self._run_id, entity.dag_run_id)
        if not may(self._caller, Need(Resource.DAG, wanted), dag_id):
            raise PermissionError(f"{self._caller.name!r} may not {wanted.value} task instances of DAG {dag_id!r}")
        return instances_of(dag_id, run_id, entity.task_id, entity.map_index)

    def _names(self, keys: Iterable[TaskKey], selection: Selection) -> list[str]:
        """As Airflow names them. What comes along from other runs has their names."""
        found = list(keys)
        runs = {run.key: run.run_id for run in self._tx.runs.read({key.run_key for key in found})}
        return [f"{selection.dag_id}.{runs[key.run_key]}.{key.task_id}[{key.map_index}]" for key in found]


def _agreed(field: str, of_path: str, of_entity: str | None) -> str:
    if of_path == ANY:
        if of_entity is None or of_entity == ANY:
            raise InvalidRequest(f"{field} is required: the path does not say it")
        return of_entity
    if of_entity not in (None, ANY, of_path):
        raise InvalidRequest(f"{field} {of_entity!r} is not that of the path")
    return of_path


def _note_error(response: BulkActionResponse, text: str, status: int) -> None:
    response.errors.append({"error": text, "status_code": status})
