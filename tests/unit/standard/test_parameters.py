"""Every operator, sensor, hook and trigger takes Airflow's parameters with Airflow's defaults (D2)."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import pytest

from tradewind.sdk.notset import NOTSET
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.sensor import BaseSensorOperator

REQUIRED: Final = inspect.Parameter.empty
_PYTHON = {
    "python_callable": REQUIRED,
    "op_args": None,
    "op_kwargs": None,
    "templates_dict": None,
    "templates_exts": None,
    "show_return_value_in_logs": True,
}
_ISOLATED = {
    **_PYTHON,
    "serializer": None,
    "string_args": None,
    "expect_airflow": True,
    "skip_on_exit_code": None,
    "env_vars": None,
    "inherit_env": True,
}
_VIRTUALENV = {
    **_ISOLATED,
    "requirements": None,
    "python_version": None,
    "system_site_packages": True,
    "pip_install_options": None,
    "index_urls": None,
    "index_urls_from_connection_ids": None,
    "venv_cache_path": None,
}
_EXTERNAL = {**_ISOLATED, "python": REQUIRED, "expect_pendulum": False}
_FOLLOW = {"follow_task_ids_if_true": REQUIRED, "follow_task_ids_if_false": REQUIRED, "use_task_logical_date": False}
_HITL = {
    "subject": REQUIRED,
    "options": REQUIRED,
    "body": None,
    "defaults": None,
    "multiple": False,
    "params": None,
    "notifiers": None,
    "assigned_users": None,
    "response_timeout": None,
}
_BASE_SENSOR = {
    "poke_interval": 60,
    "timeout": None,
    "soft_fail": False,
    "mode": "poke",
    "exponential_backoff": False,
    "max_wait": None,
    "silent_fail": False,
    "never_fail": False,
}
_FROM_TRIGGER = {"start_from_trigger": False, "trigger_kwargs": None}

PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "sensor.BaseSensorOperator": _BASE_SENSOR,
    "standard.bash.BashOperator": {
        "bash_command": REQUIRED,
        "env": None,
        "append_env": False,
        "output_encoding": "utf-8",
        "skip_on_exit_code": 99,
        "cwd": None,
    },
    "standard.python.PythonOperator": _PYTHON,
    "standard.python.BranchPythonOperator": _PYTHON,
    "standard.python.ShortCircuitOperator": {**_PYTHON, "ignore_downstream_trigger_rules": True},
    "standard.virtualenv.PythonVirtualenvOperator": _VIRTUALENV,
    "standard.virtualenv.BranchPythonVirtualenvOperator": _VIRTUALENV,
    "standard.external_python.ExternalPythonOperator": _EXTERNAL,
    "standard.external_python.BranchExternalPythonOperator": _EXTERNAL,
    "standard.empty.EmptyOperator": {},
    "standard.smooth.SmoothOperator": {},
    "standard.latest_only.LatestOnlyOperator": {},
    "standard.branch_datetime.BranchDateTimeOperator": {
        **_FOLLOW,
        "target_lower": REQUIRED,
        "target_upper": REQUIRED,
    },
    "standard.weekday.BranchDayOfWeekOperator": {**_FOLLOW, "week_day": REQUIRED},
    "standard.trigger_dagrun.TriggerDagRunOperator": {
        "trigger_dag_id": REQUIRED,
        "trigger_run_id": None,
        "conf": None,
        "logical_date": NOTSET,
        "run_after": NOTSET,
        "reset_dag_run": False,
        "wait_for_completion": False,
        "poke_interval": 60,
        "allowed_states": None,
        "failed_states": None,
        "skip_when_already_exists": False,
        "fail_when_dag_is_paused": False,
        "note": None,
        "deferrable": False,
        "openlineage_inject_parent_info": True,
    },
    "standard.hitl.HITLOperator": _HITL,
    "standard.hitl.ApprovalOperator": {
        **_HITL,
        "ignore_downstream_trigger_rules": False,
        "fail_on_reject": False,
    },
    "standard.hitl.HITLBranchOperator": {**_HITL, "options_mapping": None},
    "standard.hitl.HITLEntryOperator": _HITL,
    "standard.external_task.ExternalTaskMarker": {
        "external_dag_id": REQUIRED,
        "external_task_id": REQUIRED,
        "logical_date": "{{ logical_date.isoformat() }}",
        "recursion_depth": 10,
    },
    "standard.bash_sensor.BashSensor": {
        "bash_command": REQUIRED,
        "env": None,
        "output_encoding": "utf-8",
        "retry_exit_code": None,
    },
    "standard.python_sensor.PythonSensor": {
        "python_callable": REQUIRED,
        "op_args": None,
        "op_kwargs": None,
        "templates_dict": None,
    },
    "standard.date_time_sensor.DateTimeSensor": {"target_time": REQUIRED},
    "standard.date_time_sensor.DateTimeSensorAsync": {
        "target_time": REQUIRED,
        "end_from_trigger": False,
        **_FROM_TRIGGER,
    },
    "standard.time_sensor.TimeSensor": {
        "target_time": REQUIRED,
        "deferrable": False,
        "end_from_trigger": False,
        **_FROM_TRIGGER,
    },
    "standard.time_delta_sensor.TimeDeltaSensor": {
        "delta": REQUIRED,
        "deferrable": False,
        "end_from_trigger": False,
    },
    "standard.time_delta_sensor.WaitSensor": {"time_to_wait": REQUIRED, "deferrable": False},
    "standard.weekday.DayOfWeekSensor": {"week_day": REQUIRED, "use_task_logical_date": False},
    "standard.file_sensor.FileSensor": {
        "filepath": REQUIRED,
        "fs_conn_id": "fs_default",
        "recursive": False,
        "deferrable": False,
        **_FROM_TRIGGER,
    },
    "standard.external_task.ExternalTaskSensor": {
        "external_dag_id": REQUIRED,
        "external_task_id": None,
        "external_task_ids": None,
        "external_task_group_id": None,
        "allowed_states": None,
        "skipped_states": None,
        "failed_states": None,
        "execution_delta": None,
        "execution_date_fn": None,
        "check_existence": False,
        "poll_interval": None,
        "deferrable": False,
    },
    "standard.file_hook.FSHook": {"fs_conn_id": "fs_default"},
    "standard.package_index_hook.PackageIndexHook": {"pi_conn_id": "package_index_default"},
    "standard.temporal_triggers.DateTimeTrigger": {"moment": None, "target_time": None, "end_from_trigger": False},
    "standard.temporal_triggers.TimeDeltaTrigger": {"delta": REQUIRED, "end_from_trigger": False},
    "standard.file_triggers.FileTrigger": {"filepath": REQUIRED, "recursive": False, "poke_interval": 5.0},
    "standard.file_triggers.FileDeleteTrigger": {"filepath": REQUIRED, "poke_interval": 5.0},
    "standard.file_triggers.DirectoryFileDeleteTrigger": {
        "directory": REQUIRED,
        "filename": REQUIRED,
        "poke_interval": 5.0,
    },
    "standard.external_task_triggers.WorkflowTrigger": {
        "external_dag_id": REQUIRED,
        "run_ids": None,
        "execution_dates": None,
        "logical_dates": None,
        "external_task_ids": None,
        "external_task_group_id": None,
        "failed_states": None,
        "skipped_states": None,
        "allowed_states": None,
        "poke_interval": 2.0,
        "soft_fail": False,
    },
    "standard.external_task_triggers.DagStateTrigger": {
        "dag_id": REQUIRED,
        "states": REQUIRED,
        "run_ids": None,
        "execution_dates": None,
        "poll_interval": 5.0,
    },
    "standard.hitl_trigger.HITLTrigger": {
        "ti_id": REQUIRED,
        "options": REQUIRED,
        "params": REQUIRED,
        "defaults": None,
        "multiple": False,
        "timeout_datetime": REQUIRED,
        "poke_interval": 5.0,
    },
}


def parameters_of(cls: type[Any]) -> dict[str, Any]:
    """What the class and its parents take, except for what every operator or every sensor does."""
    general: set[str] = set()
    if issubclass(cls, BaseOperator):
        general |= set(inspect.signature(BaseOperator.__init__).parameters) - {"params"}
    if issubclass(cls, BaseSensorOperator) and cls is not BaseSensorOperator:
        general |= set(_BASE_SENSOR)
    found: dict[str, Any] = {}
    for parent in cls.__mro__:
        init: Callable[..., None] | None = vars(parent).get("__init__")
        if init is None or parent in (BaseOperator, object) or not parent.__module__.startswith("tradewind.sdk"):
            continue
        for parameter in inspect.signature(init).parameters.values():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD and parameter.name not in {"self", *general}:
                found.setdefault(parameter.name, parameter.default)
    return found


@pytest.mark.parametrize("path", PARAMETERS)
def test_the_parameters_and_their_defaults_are_airflows(path: str) -> None:
    module, _, name = path.rpartition(".")

    found = parameters_of(getattr(import_module(f"tradewind.sdk.{module}"), name))

    expected = PARAMETERS[path]
    assert {key: found[key] for key in expected} == expected
    # What a class takes beyond the list must not be a misspelling of something in it: it belongs to a parent.
    # `deferrable` is ours where Airflow has none: sensors of instants can all wait in a triggerer.
    ours = {"output_processor", "logger_name", "context", "moment", "target_time", "deferrable"}
    assert set(found) - set(expected) <= ours


def test_a_plain_task_needs_no_third_party_module() -> None:
    """`from tradewind.sdk import dag, task` and `@task` stay cheap."""
    program = (
        "import sys; before = set(sys.modules)\n"
        "from tradewind.sdk import dag, task\n"
        "@task\ndef f(): ...\n"
        "third = {name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)\n"
        "print(sorted(third - {'tradewind'}), 'asyncio' in sys.modules)\n"
    )

    output = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout

    assert output == "[] False\n"
