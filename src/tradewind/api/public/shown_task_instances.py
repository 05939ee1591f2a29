"""From rows of the lists of task instances and tries to what answers show of them."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

from tradewind.api.encoded import raw_object
from tradewind.api.paging import is_, one_of
from tradewind.api.public.dag_version_schema import version_id
from tradewind.api.public.job_schema import JobResponse
from tradewind.api.public.task_instance_schemas import (
    TaskInstanceCollectionResponse,
    TaskInstanceHistoryResponse,
    TaskInstanceResponse,
)
from tradewind.errors import UnknownRun, UnknownTask
from tradewind.model.ids import UNMAPPED, JobKey, RunKey, TaskKey, try_id
from tradewind.model.listing import Condition, Listed, Query, Row, Test
from tradewind.model.run import Run
from tradewind.model.states import TaskState
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.trigger_store import TriggerRecord

_NO_CONFIGURATION: Final = "{}"
_NONE: Final = "{}"
_OF_TRY: Final = tuple(TaskInstanceHistoryResponse.model_fields)
_STORED: Final = tuple(name for name in _OF_TRY if name not in ("duration", "unixname", "dag_version"))
_stored: Final = itemgetter(*_STORED)
_OF_INSTANCE: Final = ("logical_date", "run_after", "note", "rendered_map_index")
_HIDDEN: Final = "{}"


def instances_shown(tx: Transaction, rows: Sequence[Row]) -> list[TaskInstanceResponse]:
    """With what they wait for, read for all rows at once."""
    return [
        TaskInstanceResponse.model_validate({**values, "rendered_fields": json.loads(row["rendered_fields"] or _NONE)})  # type: ignore[arg-type]
        for values, row in zip(instance_values(tx, rows), rows, strict=True)
    ]


def instance_values(tx: Transaction, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The fields of `TaskInstanceResponse` of each, to be encoded as they are."""
    waiting = [_key(row) for row in rows if row["state"] == TaskState.DEFERRED]
    triggers = tx.triggers.of_tasks(waiting) if waiting else {}
    jobs = _jobs(tx, {each.triggerer for each in triggers.values() if each.triggerer is not None})
    versions: dict[object, dict[str, Any] | None] = {}
    return [_instance(row, versions, triggers.get(_key(row)) if triggers else None, jobs) for row in rows]


def collection_of(tx: Transaction, keys: Collection[TaskKey]) -> TaskInstanceCollectionResponse:
    """These task instances, by run, task and map index."""
    if not keys:
        return TaskInstanceCollectionResponse(task_instances=[], total_entries=0)
    wanted = set(keys)
    rows = read_rows(
        tx,
        one_of("run_key", sorted({key.run_key for key in wanted})),
        one_of("task_id", sorted({key.task_id for key in wanted})),
    )
    shown = instances_shown(tx, sorted((row for row in rows if _key(row) in wanted), key=_key))
    return TaskInstanceCollectionResponse(task_instances=shown, total_entries=len(shown))


def read_rows(tx: Transaction, *conditions: Condition | None) -> Sequence[Row]:
    """All task instances that are so, uncounted."""
    asked = tuple(each for each in conditions if each is not None)
    return tx.listings.page(Listed.TASK_INSTANCES, Query(asked, is_counted=False)).rows


def find_run(tx: Transaction, dag_id: str, run_id: str) -> Run:
    """Raises `UnknownRun`."""
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    return run


def find_row(tx: Transaction, dag_id: str, run_id: str, task_id: str, map_index: int = UNMAPPED) -> Row:
    """One task instance. Raises `UnknownRun` and `UnknownTask`."""
    run = find_run(tx, dag_id, run_id)
    rows = read_rows(tx, is_("run_key", run.key), is_("task_id", task_id), is_("map_index", map_index))
    if not rows:
        raise UnknownTask(dag_id, task_id, map_index)
    return rows[0]


def tries_shown(rows: Iterable[Row]) -> list[TaskInstanceHistoryResponse]:
    """Of one task instance or of several."""
    versions: dict[object, dict[str, Any] | None] = {}
    return [TaskInstanceHistoryResponse.model_validate(_common(row, versions)) for row in rows]


def duration_of(row: Row) -> float | None:
    """In seconds; of what has ended."""
    start, end = row["start_date"], row["end_date"]
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        return None
    return (end - start).total_seconds()


def _key(row: Row) -> TaskKey:
    values: Any = row
    return TaskKey(RunKey(values["run_key"]), values["task_id"], values["map_index"])


def _jobs(tx: Transaction, keys: Collection[JobKey]) -> dict[JobKey, dict[str, Any]]:
    """The triggerers of these keys."""
    if not keys:
        return {}
    asked = Query((Condition("id", Test.ONE_OF, tuple(sorted(keys))),), is_counted=False)
    rows: Any = tx.listings.page(Listed.JOBS, asked).rows
    return {JobKey(row["id"]): JobResponse.model_validate(row).model_dump() for row in rows}


def _instance(
    row: Row,
    versions: dict[object, dict[str, Any] | None],
    trigger: TriggerRecord | None,
    jobs: Mapping[JobKey, dict[str, Any]],
) -> dict[str, Any]:
    values: Any = row
    common = _common(row, versions)
    common["id"] = try_id(
        values["dag_id"], values["dag_run_id"], values["task_id"], values["map_index"], values["try_number"]
    )
    for name in _OF_INSTANCE:
        common[name] = values[name]
    common["rendered_fields"] = raw_object(values["rendered_fields"])
    common["trigger"] = None if trigger is None else _trigger(trigger)
    common["triggerer_job"] = None if trigger is None or trigger.triggerer is None else jobs.get(trigger.triggerer)
    return common


def _common(row: Row, versions: dict[object, dict[str, Any] | None]) -> dict[str, Any]:
    """The fields that tries have as well. `versions` are those of rows before this one: most have the same."""
    common: dict[str, Any] = dict.fromkeys(_OF_TRY)
    common.update(zip(_STORED, _stored(row), strict=True))
    common["duration"] = duration_of(row)
    common["executor_config"] = row["executor_config"] or _NO_CONFIGURATION
    key = row["version_key"]
    if key not in versions:
        versions[key] = _version(row)
    common["dag_version"] = versions[key]
    return common


def _version(row: Row) -> dict[str, Any] | None:
    values: Any = row
    if values["version_number"] is None:
        return None
    return {
        "id": version_id(values["version_key"]),
        "version_number": values["version_number"],
        "dag_id": values["dag_id"],
        "bundle_name": values["bundle_name"],
        "bundle_version": values["bundle_version"],
        "created_at": values["version_created_at"],
        "dag_display_name": values["dag_display_name"],
        "bundle_url": None,
    }


def _trigger(trigger: TriggerRecord) -> dict[str, Any]:
    return {
        "id": trigger.key,
        "classpath": trigger.class_path,
        # Authors hand keys and tokens to triggers.
        "kwargs": _HIDDEN,
        "created_date": trigger.created_at,
        "queue": trigger.queue,
        "triggerer_id": trigger.triggerer,
    }
