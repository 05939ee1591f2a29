"""What task instances remember from attempt to attempt."""

import json
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal

from fastapi import Query as Parameter
from fastapi import Response
from pydantic import AwareDatetime, BaseModel, ConfigDict

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed
from tradewind.api.public.xcom_values import json_of
from tradewind.api.services import Given, Services
from tradewind.errors import UnknownRun, UnknownState
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.model.listing import Condition, Listed, Page, Row, Test
from tradewind.operations.manage_task_states import remember
from tradewind.storage.interface import Transaction

operations = Operations("Task State Store")

_READ: Final = Need(Resource.DAG, Action.READ)
_EDIT: Final = Need(Resource.DAG, Action.EDIT)
_DELETE: Final = Need(Resource.DAG, Action.DELETE)
_ALL: Final = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store"
_ONE: Final = f"{_ALL}/{{key:path}}"
_DEFAULT: Final = "default"

MapIndex = Annotated[int, Parameter(ge=UNMAPPED)]


class TaskStateStoreResponse(BaseModel):
    """One value."""

    key: str
    value: Any
    updated_at: datetime
    expires_at: datetime | None


class TaskStateStoreCollectionResponse(BaseModel):
    """A page of them."""

    task_state_store: list[TaskStateStoreResponse]
    total_entries: int


class TaskStateStoreBody(BaseModel):
    """A value to remember, and until when."""

    model_config = ConfigDict(extra="forbid")
    value: Any
    expires_at: AwareDatetime | Literal["default"] | None = _DEFAULT


class TaskStateStorePatchBody(BaseModel):
    """Another value."""

    model_config = ConfigDict(extra="forbid")
    value: Any


@operations.add("GET", _ALL, operation_id="list_task_state_store", need=_READ)
def list_task_state_store(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    services: Given,
    map_index: MapIndex = UNMAPPED,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> TaskStateStoreCollectionResponse:
    """All that a task instance remembers."""

    def work(tx: Transaction) -> Response:
        task = _task(tx, dag_id, dag_run_id, task_id, map_index)
        page = _page(tx, services, task, limit=limit, offset=offset)
        shown = [_shown(row) for row in page.rows]
        return _json({"task_state_store": shown, "total_entries": page.total})

    return services.store.read(work)  # type: ignore[return-value]  # encoded already


@operations.add("DELETE", _ALL, operation_id="clear_task_state_store", need=_DELETE, status=204)
def clear_task_state_store(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    services: Given,
    all_map_indices: bool = False,
    map_index: MapIndex = UNMAPPED,
) -> None:
    """Let a task instance, or all of a mapped task, forget everything."""

    def work(tx: Transaction) -> None:
        task = _task(tx, dag_id, dag_run_id, task_id, map_index)
        tx.task_states.clear(task, of_all_map_indexes=all_map_indices)

    services.store.transact(work)


@operations.add("GET", _ONE, operation_id="get_task_state_store", need=_READ)
def get_task_state_store(
    key: str, dag_id: str, dag_run_id: str, task_id: str, services: Given, map_index: MapIndex = UNMAPPED
) -> TaskStateStoreResponse:
    """One value."""

    def work(tx: Transaction) -> Response:
        return _json(_shown(_found(tx, services, _task(tx, dag_id, dag_run_id, task_id, map_index), key)))

    return services.store.read(work)  # type: ignore[return-value]


@operations.add("PUT", _ONE, operation_id="set_task_state_store", need=_EDIT, status=204)
def set_task_state_store(
    key: str,
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    body: TaskStateStoreBody,
    services: Given,
    map_index: MapIndex = UNMAPPED,
) -> None:
    """Remember a value, in place of that which was there."""
    now = services.clock.now()
    expires_at = _default_expiry(services, now) if body.expires_at == _DEFAULT else body.expires_at
    assert not isinstance(expires_at, str)

    def work(tx: Transaction) -> None:
        task = _task(tx, dag_id, dag_run_id, task_id, map_index)
        remember(tx, dag_id, task, key, body.value, expires_at=expires_at, now=now)

    services.store.transact(work)


@operations.add("PATCH", _ONE, operation_id="patch_task_state_store", need=_EDIT)
def patch_task_state_store(
    key: str,
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    body: TaskStateStorePatchBody,
    services: Given,
    map_index: MapIndex = UNMAPPED,
) -> Response:
    """Replace a value that is there; it expires when it would have."""

    def work(tx: Transaction) -> None:
        task = _task(tx, dag_id, dag_run_id, task_id, map_index)
        expires_at: Any = _found(tx, services, task, key)["expires_at"]
        remember(tx, dag_id, task, key, body.value, expires_at=expires_at, now=services.clock.now())

    services.store.transact(work)
    return _json(None)


@operations.add("DELETE", _ONE, operation_id="delete_task_state_store", need=_DELETE, status=204)
def delete_task_state_store(
    key: str, dag_id: str, dag_run_id: str, task_id: str, services: Given, map_index: MapIndex = UNMAPPED
) -> None:
    """Forget a value; nothing happens if there is none."""
    services.store.transact(lambda tx: tx.task_states.delete(_task(tx, dag_id, dag_run_id, task_id, map_index), key))


def _task(tx: Transaction, dag_id: str, run_id: str, task_id: str, map_index: int) -> TaskKey:
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    return TaskKey(run.key, task_id, map_index)


def _page(
    tx: Transaction,
    services: Services,
    task: TaskKey,
    *conditions: Condition | None,
    limit: int = USUAL,
    offset: int = 0,
) -> Page:
    of_task = [is_(name, value) for name, value in task._asdict().items()]
    lives = Condition("lives_until", Test.ABOVE, services.clock.now())
    return listed(tx, Listed.TASK_STATES, conditions=[*of_task, lives, *conditions], limit=limit, offset=offset)


def _found(tx: Transaction, services: Services, task: TaskKey, key: str) -> Row:
    rows = _page(tx, services, task, is_("key", key)).rows
    if not rows:
        raise UnknownState(task.task_id, key)
    return rows[0]


def _default_expiry(services: Services, now: datetime) -> datetime | None:
    retention = services.settings.state_store.default_retention
    return None if retention == timedelta.max else now + retention


def _shown(row: Row) -> dict[str, Any]:
    values: Any = row
    expires_at = values["expires_at"]
    return {
        "key": values["key"],
        "value": json.loads(values["value"]),
        "updated_at": values["updated_at"].isoformat(),
        "expires_at": None if expires_at is None else expires_at.isoformat(),
    }


def _json(content: Any) -> Response:
    """Encoded here: values of authors are of any depth, and have texts that are none in Unicode."""
    return Response(json_of(content), media_type="application/json")
