"""The DAG as a whole."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from tradewind.dag_processor.compile.access import compile_access
from tradewind.dag_processor.compile.task import compile_group, compile_task
from tradewind.dag_processor.compile.values import exact, name_of, shown
from tradewind.model.dag import CallbackEvent, CallbackRef, Dag, EdgeLabel
from tradewind.model.dag_check import check_dag
from tradewind.model.json_value import JsonValue
from tradewind.sdk.dags import DAG

_PLAIN_DETAILS: Final = (
    "template_searchpath", "user_defined_macros", "user_defined_filters", "access_control", "jinja_environment_kwargs",
    "render_template_as_native_obj", "rerun_with_latest_version", "result_task_id",
)  # fmt: skip


def compile_dag(dag: DAG) -> Dag:
    """The DAG as the engine reads it.

    Raises:
        CompileError: something cannot be written down.
        InvalidDag: the DAG contradicts itself.
        AirflowException, ValueError: what the SDK itself finds wrong.
    """
    dag.validate()
    condition = dag.timetable.asset_condition
    compiled = Dag(
        dag_id=dag.dag_id,
        tasks=tuple(compile_task(task, dag.fileloc) for task in dag.tasks),
        groups=tuple(compile_group(group) for group in dag.task_group.iter_groups()),
        edge_labels=tuple(_edge_labels(dag)),
        timetable=dag.timetable.to_model(),
        assets=None if condition is None else condition.to_model(),
        timezone=zone_name(dag.timezone),
        start_at=dag.start_date,
        end_at=dag.end_date,
        catchup=dag.catchup,
        max_active_tasks=dag.max_active_tasks,
        max_active_runs=dag.max_active_runs,
        max_consecutive_failed_runs=dag.max_consecutive_failed_dag_runs,
        run_timeout_s=None if dag.dagrun_timeout is None else dag.dagrun_timeout.total_seconds(),
        fail_fast=dag.fail_fast,
        allowed_run_types=dag.allowed_run_types,
        callbacks=tuple(_callbacks(dag)),
        is_paused_upon_creation=dag.is_paused_upon_creation,
        pins_bundle_version=not dag.disable_bundle_versioning,
        description=dag.description,
        display_name=None if dag.dag_display_name == dag.dag_id else dag.dag_display_name,
        doc=dag.doc_md,
        owner_links=tuple(sorted(dag.owner_links.items())),
        tags=tuple(sorted(dag.tags)),
        access=compile_access(dag.access_control),
        params=_params(dag) or None,
        details=_details(dag),
    )
    check_dag(compiled)
    return compiled


def _params(dag: DAG) -> dict[str, JsonValue]:
    """With their positions: a DAG is written with sorted keys, and a form shows them in the order of their author."""
    return {
        key: exact({**param.dump(), "position": position}, f"the DAG, params[{key!r}]")
        for position, (key, param) in enumerate(dag.params.items())
    }


def zone_name(zone: tzinfo) -> str:
    """The name of a time zone, or its offset from UTC."""
    if zone is UTC:
        return "UTC"
    name = getattr(zone, "key", None) or getattr(zone, "name", None)
    if isinstance(name, str):
        return name
    offset = zone.utcoffset(datetime(2000, 1, 1)) or timedelta()  # noqa: DTZ001 - asked in the zone itself
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _edge_labels(dag: DAG) -> list[EdgeLabel]:
    return [
        EdgeLabel(before, after, str(info["label"]))
        for before, edges in sorted(dag.edge_info.items())
        for after, info in sorted(edges.items())
        if info.get("label")
    ]


def _callbacks(dag: DAG) -> list[CallbackRef]:
    found = []
    for event, given in (
        (CallbackEvent.FAILURE, dag.on_failure_callback),
        (CallbackEvent.SUCCESS, dag.on_success_callback),
    ):
        callbacks: Any = given if isinstance(given, list | tuple | set) else [given] if given else []
        found += [CallbackRef(event, name_of(callback, dag.fileloc)) for callback in callbacks]
    return found


def _details(dag: DAG) -> JsonValue:
    details: dict[str, JsonValue] = {}
    for argument in _PLAIN_DETAILS:
        value = getattr(dag, argument)
        if value:
            details[argument] = shown(value)
    if dag.default_args:
        details["default_args"] = shown(dag.default_args)
    if dag.deadline:
        details["deadlines"] = [shown(alert.to_json()) for alert in dag.deadline]
    if dag.template_undefined is not None:
        details["template_undefined"] = name_of(dag.template_undefined)
    return details or None
