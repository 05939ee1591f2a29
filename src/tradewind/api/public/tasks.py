"""Tasks of the current version of a DAG."""

from typing import Any, Final

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.encoded import encoded
from tradewind.api.operation import Operations
from tradewind.api.public.shown_dags import shown_params
from tradewind.api.public.task_schemas import TaskCollectionResponse, TaskResponse, time_delta
from tradewind.api.services import Given, Services
from tradewind.decide.structure import Structure
from tradewind.errors import InvalidRequest, UnknownDag, UnknownTask
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import VersionKey
from tradewind.storage.interface import Transaction

operations = Operations("Task")

_READ: Final = Need(Resource.DAG, Action.READ)
_UNSORTABLE: Final = frozenset(
    {"execution_timeout", "retry_delay", "params", "class_ref", "template_fields", "downstream_task_ids", "extra_links"}
)


@operations.add("GET", "/dags/{dag_id}/tasks", operation_id="get_tasks", need=_READ)
def get_tasks(dag_id: str, services: Given, order_by: str = "task_id") -> TaskCollectionResponse:
    """All of them."""
    name = order_by.removeprefix("-")
    if name in _UNSORTABLE or name not in TaskResponse.model_fields:
        raise InvalidRequest(f"Ordering with '{name}' is disallowed or the attribute does not exist on the model")
    version_key, structure = _structure(services, dag_id)
    return services.versioned.answer(
        (version_key, order_by), lambda: encoded(TaskCollectionResponse, _sorted(structure, order_by))
    )


def _sorted(structure: Structure, order_by: str) -> dict[str, Any]:
    name = order_by.removeprefix("-")
    of_dag = shown_params(structure.dag.params, "dag")
    tasks = [_values(structure, number, of_dag) for number in range(len(structure.tasks))]
    tasks.sort(key=lambda task: task["task_id"])
    with_value = [task for task in tasks if task[name] is not None]
    with_value.sort(key=lambda task: task[name], reverse=order_by.startswith("-"))
    without = [task for task in tasks if task[name] is None]
    return {"tasks": [*with_value, *without], "total_entries": len(tasks)}


@operations.add("GET", "/dags/{dag_id}/tasks/{task_id}", operation_id="get_task", need=_READ)
def get_task(dag_id: str, task_id: Any, services: Given) -> TaskResponse:
    """One of them."""
    _, structure = _structure(services, dag_id)
    number = structure.index.get(task_id)
    if number is None:
        raise UnknownTask(dag_id, task_id)
    return TaskResponse.model_validate(_values(structure, number, shown_params(structure.dag.params, "dag")))


def _structure(services: Services, dag_id: str) -> tuple[VersionKey, Structure]:
    def work(tx: Transaction) -> tuple[VersionKey, Structure]:
        record = tx.dags.find(dag_id)
        if record is None or record.version_key is None:
            raise UnknownDag(dag_id)
        return record.version_key, services.structures.get(tx, record.version_key)

    return services.store.read(work)


def _values(structure: Structure, number: int, of_dag: dict[str, Any]) -> dict[str, Any]:
    task, dag = structure.tasks[number], structure.dag
    return {
        **_settings(dag, task),
        **_details(task, of_dag),
        "downstream_task_ids": sorted(structure.tasks[down].task_id for down in structure.downstream[number]),
    }


def _settings(dag: Dag, task: Task) -> dict[str, Any]:
    return {
        "task_id": task.task_id,
        "task_display_name": task.display_name or task.task_id,
        "owner": task.owner,
        "start_date": task.start_at or dag.start_at,
        "end_date": task.end_at or dag.end_at,
        "trigger_rule": task.trigger_rule.value,
        "depends_on_past": task.depends_on_past,
        "wait_for_downstream": task.wait_for_downstream,
        "retries": float(task.retry.retries),
        "queue": task.queue,
        "pool": task.pool,
        "pool_slots": float(task.pool_slots),
        "execution_timeout": time_delta(task.execution_timeout_s),
        "retry_delay": time_delta(task.retry.delay_s),
        "retry_exponential_backoff": task.retry.multiplier,
        "priority_weight": float(task.priority_weight),
        "operator_name": task.operator,
        "is_mapped": task.mapping is not None,
    }


def _details(task: Task, of_dag: dict[str, Any]) -> dict[str, Any]:
    details: dict[str, Any] = task.details if isinstance(task.details, dict) else {}
    class_name = details.get("task_type", task.operator)
    return {
        "weight_rule": details.get("weight_rule", task.weight_rule.value),
        "ui_color": details.get("ui_color", "#fff"),
        "ui_fgcolor": details.get("ui_fgcolor", "#000"),
        "template_fields": details.get("template_fields", []),
        "doc_md": details.get("doc_md"),
        "params": {**of_dag, **shown_params(details.get("params"), "task")},
        # Without a module, it is from the DAG file itself.
        "class_ref": {"module_path": details.get("module"), "class_name": class_name},
        "extra_links": details.get("extra_links", []),
    }
