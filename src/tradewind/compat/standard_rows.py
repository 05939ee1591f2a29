"""`airflow.providers.standard`: always ours, whatever is installed."""

from collections.abc import Mapping
from typing import Final

_DECORATORS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.providers.standard.decorators": {},
    "airflow.providers.standard.decorators.bash": {
        "tradewind.sdk.standard.decorators": "bash_task _BashDecoratedOperator",
    },
    "airflow.providers.standard.decorators.branch_external_python": {
        "tradewind.sdk.standard.decorators": "branch_external_python_task",
    },
    "airflow.providers.standard.decorators.branch_python": {"tradewind.sdk.standard.decorators": "branch_task"},
    "airflow.providers.standard.decorators.branch_virtualenv": {
        "tradewind.sdk.standard.decorators": "branch_virtualenv_task",
    },
    "airflow.providers.standard.decorators.external_python": {
        "tradewind.sdk.standard.decorators": "external_python_task",
    },
    "airflow.providers.standard.decorators.python": {
        "tradewind.sdk.standard.python_decorator": "python_task _PythonDecoratedOperator",
    },
    "airflow.providers.standard.decorators.python_virtualenv": {
        "tradewind.sdk.standard.decorators": "virtualenv_task",
    },
    "airflow.providers.standard.decorators.sensor": {
        "tradewind.sdk.standard.decorators": "DecoratedSensorOperator sensor_task",
    },
    "airflow.providers.standard.decorators.short_circuit": {
        "tradewind.sdk.standard.decorators": "short_circuit_task",
    },
    "airflow.providers.standard.decorators.stub": {"tradewind.sdk.standard.decorators": "stub=stub_task"},
}

_OPERATORS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.providers.standard.operators": {},
    "airflow.providers.standard.operators.bash": {"tradewind.sdk.standard.bash": "BashOperator"},
    "airflow.providers.standard.operators.branch": {"tradewind.sdk.branch": "BaseBranchOperator BranchMixIn"},
    "airflow.providers.standard.operators.datetime": {
        "tradewind.sdk.standard.branch_datetime": "BranchDateTimeOperator target_times_as_dates",
    },
    "airflow.providers.standard.operators.empty": {"tradewind.sdk.standard.empty": "EmptyOperator"},
    "airflow.providers.standard.operators.hitl": {
        "tradewind.sdk.standard.hitl": "ApprovalOperator HITLBranchOperator HITLEntryOperator HITLOperator",
    },
    "airflow.providers.standard.operators.latest_only": {"tradewind.sdk.standard.latest_only": "LatestOnlyOperator"},
    "airflow.providers.standard.operators.python": {
        "tradewind.sdk.standard.python": "PythonOperator BranchPythonOperator ShortCircuitOperator",
        "tradewind.sdk.standard.virtualenv": "PythonVirtualenvOperator BranchPythonVirtualenvOperator",
        "tradewind.sdk.standard.external_python": "ExternalPythonOperator BranchExternalPythonOperator",
        "tradewind.sdk.context": "get_current_context",
    },
    "airflow.providers.standard.operators.smooth": {"tradewind.sdk.standard.smooth": "SmoothOperator"},
    "airflow.providers.standard.operators.trigger_dagrun": {
        "tradewind.sdk.standard.trigger_dagrun": "TriggerDagRunLink TriggerDagRunOperator",
    },
    "airflow.providers.standard.operators.weekday": {
        "tradewind.sdk.standard.weekday": "BranchDayOfWeekOperator",
    },
}

_SENSORS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.providers.standard.sensors": {},
    "airflow.providers.standard.sensors.bash": {"tradewind.sdk.standard.bash_sensor": "BashSensor"},
    "airflow.providers.standard.sensors.date_time": {
        "tradewind.sdk.standard.date_time_sensor": "DateTimeSensor DateTimeSensorAsync",
    },
    "airflow.providers.standard.sensors.external_task": {
        "tradewind.sdk.standard.external_task": "ExternalDagLink ExternalTaskMarker ExternalTaskSensor",
    },
    "airflow.providers.standard.sensors.filesystem": {"tradewind.sdk.standard.file_sensor": "FileSensor"},
    "airflow.providers.standard.sensors.python": {"tradewind.sdk.standard.python_sensor": "PythonSensor"},
    "airflow.providers.standard.sensors.time": {"tradewind.sdk.standard.time_sensor": "TimeSensor TimeSensorAsync"},
    "airflow.providers.standard.sensors.time_delta": {
        "tradewind.sdk.standard.time_delta_sensor": "TimeDeltaSensor TimeDeltaSensorAsync WaitSensor",
    },
    "airflow.providers.standard.sensors.weekday": {"tradewind.sdk.standard.weekday": "DayOfWeekSensor"},
}

_VERSIONS: Final = (
    "AIRFLOW_V_3_0_PLUS AIRFLOW_V_3_1_PLUS AIRFLOW_V_3_1_3_PLUS AIRFLOW_V_3_2_PLUS AIRFLOW_V_3_3_PLUS"
    " get_base_airflow_version_tuple"
)

STANDARD: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.providers": {},
    "airflow.providers.standard": {"tradewind.compat.version": "__version__=standard_version"},
    "airflow.providers.standard.exceptions": {"tradewind.sdk.standard.exceptions": "*"},
    "airflow.providers.standard.get_provider_info": {"tradewind.providers.standard": "get_provider_info"},
    "airflow.providers.standard.hooks": {},
    "airflow.providers.standard.hooks.filesystem": {"tradewind.sdk.standard.file_hook": "FSHook"},
    "airflow.providers.standard.hooks.package_index": {"tradewind.sdk.standard.package_index_hook": "PackageIndexHook"},
    "airflow.providers.standard.hooks.subprocess": {
        "tradewind.sdk.standard.subprocess_hook": "SubprocessHook SubprocessResult working_directory",
    },
    "airflow.providers.standard.triggers": {},
    "airflow.providers.standard.triggers.external_task": {
        "tradewind.sdk.standard.external_task_triggers": "DagStateTrigger WorkflowTrigger",
    },
    "airflow.providers.standard.triggers.file": {
        "tradewind.sdk.standard.file_triggers": "DirectoryFileDeleteTrigger FileDeleteTrigger FileTrigger",
    },
    "airflow.providers.standard.triggers.hitl": {
        "tradewind.sdk.standard.hitl_trigger": (
            "HITLTrigger HITLTriggerEventFailurePayload HITLTriggerEventSuccessPayload"
        ),
    },
    "airflow.providers.standard.triggers.temporal": {
        "tradewind.sdk.standard.temporal_triggers": "DateTimeTrigger TimeDeltaTrigger",
    },
    "airflow.providers.standard.utils": {},
    "airflow.providers.standard.utils.python_virtualenv": {
        "tradewind.sdk.standard.environments": "prepare_virtualenv",
        "tradewind.sdk.standard.isolated_script": "write_python_script",
    },
    "airflow.providers.standard.utils.skipmixin": {"tradewind.sdk.skip": "SkipMixin"},
    "airflow.providers.standard.utils.weekday": {"tradewind.sdk.standard.weekday": "WeekDay"},
    "airflow.providers.standard.version_compat": {
        "tradewind.compat.version": _VERSIONS,
        "tradewind.sdk.notset": "NOTSET ArgNotSet is_arg_set",
        "tradewind.sdk.operator": "BaseOperator",
    },
    **_DECORATORS,
    **_OPERATORS,
    **_SENSORS,
}
