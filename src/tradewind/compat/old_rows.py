"""Paths that Airflow deprecated or removed, each with the one to use instead; and those that lead nowhere."""

from collections.abc import Mapping
from typing import Final

_OPERATORS: Final = "airflow.providers.standard.operators"
_SENSORS: Final = "airflow.providers.standard.sensors"
_DECORATORS: Final = "airflow.providers.standard.decorators"

_FORMER_OPERATORS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.operators": {},
    "airflow.operators.bash": {f"{_OPERATORS}.bash": "BashOperator"},
    "airflow.operators.bash_operator": {f"{_OPERATORS}.bash": "BashOperator"},
    "airflow.operators.branch": {"airflow.sdk.bases.branch": "BaseBranchOperator BranchMixIn"},
    "airflow.operators.branch_operator": {"airflow.sdk.bases.branch": "BaseBranchOperator"},
    "airflow.operators.datetime": {f"{_OPERATORS}.datetime": "BranchDateTimeOperator"},
    "airflow.operators.dummy": {f"{_OPERATORS}.empty": "DummyOperator=EmptyOperator EmptyOperator"},
    "airflow.operators.dummy_operator": {f"{_OPERATORS}.empty": "DummyOperator=EmptyOperator"},
    "airflow.operators.email": {"airflow.providers.smtp.operators.smtp": "EmailOperator"},
    "airflow.operators.email_operator": {"airflow.providers.smtp.operators.smtp": "EmailOperator"},
    "airflow.operators.empty": {f"{_OPERATORS}.empty": "EmptyOperator"},
    "airflow.operators.generic_transfer": {
        "airflow.providers.common.sql.operators.generic_transfer": "GenericTransfer"
    },
    "airflow.operators.latest_only": {f"{_OPERATORS}.latest_only": "LatestOnlyOperator"},
    "airflow.operators.latest_only_operator": {f"{_OPERATORS}.latest_only": "LatestOnlyOperator"},
    "airflow.operators.mysql_operator": {
        "airflow.providers.common.sql.operators.sql": "MySqlOperator=SQLExecuteQueryOperator",
    },
    "airflow.operators.postgres_operator": {
        "airflow.providers.common.sql.operators.sql": "PostgresOperator=SQLExecuteQueryOperator",
    },
    "airflow.operators.python": {
        f"{_OPERATORS}.python": (
            "BranchExternalPythonOperator BranchPythonOperator BranchPythonVirtualenvOperator ExternalPythonOperator"
            " PythonOperator PythonVirtualenvOperator ShortCircuitOperator"
        ),
        "airflow.sdk": "get_current_context task",
    },
    "airflow.operators.python_operator": {
        f"{_OPERATORS}.python": ("BranchPythonOperator PythonOperator PythonVirtualenvOperator ShortCircuitOperator"),
    },
    "airflow.operators.smooth": {f"{_OPERATORS}.smooth": "SmoothOperator"},
    "airflow.operators.sql": {
        "airflow.providers.common.sql.operators.sql": (
            "BaseSQLOperator BranchSQLOperator SQLCheckOperator SQLColumnCheckOperator SQLIntervalCheckOperator"
            " SQLTableCheckOperator SQLThresholdCheckOperator SQLValueCheckOperator"
        ),
    },
    "airflow.operators.sql_branch_operator": {
        "airflow.providers.common.sql.operators.sql": "BranchSqlOperator=BranchSQLOperator BranchSQLOperator",
    },
    "airflow.operators.subdag": {"airflow.sdk": "SubDagOperator=TaskGroup"},
    "airflow.operators.subdag_operator": {"airflow.sdk": "SubDagOperator=TaskGroup"},
    "airflow.operators.trigger_dagrun": {
        f"{_OPERATORS}.trigger_dagrun": "TriggerDagRunLink TriggerDagRunOperator",
    },
    "airflow.operators.dagrun_operator": {f"{_OPERATORS}.trigger_dagrun": "TriggerDagRunOperator"},
    "airflow.operators.weekday": {f"{_OPERATORS}.weekday": "BranchDayOfWeekOperator"},
}

_FORMER_SENSORS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.sensors": {},
    "airflow.sensors.base": {"airflow.sdk.bases.sensor": "BaseSensorOperator PokeReturnValue poke_mode_only"},
    "airflow.sensors.base_sensor_operator": {"airflow.sdk": "BaseSensorOperator"},
    "airflow.sensors.bash": {f"{_SENSORS}.bash": "BashSensor"},
    "airflow.sensors.date_time": {f"{_SENSORS}.date_time": "DateTimeSensor DateTimeSensorAsync"},
    "airflow.sensors.date_time_sensor": {f"{_SENSORS}.date_time": "DateTimeSensor"},
    "airflow.sensors.external_task": {
        f"{_SENSORS}.external_task": (
            "ExternalDagLink ExternalTaskMarker ExternalTaskSensor ExternalTaskSensorLink=ExternalDagLink"
        ),
    },
    "airflow.sensors.external_task_sensor": {
        f"{_SENSORS}.external_task": "ExternalTaskMarker ExternalTaskSensor ExternalTaskSensorLink=ExternalDagLink",
    },
    "airflow.sensors.filesystem": {f"{_SENSORS}.filesystem": "FileSensor"},
    "airflow.sensors.python": {f"{_SENSORS}.python": "PythonSensor"},
    "airflow.sensors.sql": {"airflow.providers.common.sql.sensors.sql": "SqlSensor"},
    "airflow.sensors.sql_sensor": {"airflow.providers.common.sql.sensors.sql": "SqlSensor"},
    "airflow.sensors.time_delta": {f"{_SENSORS}.time_delta": "TimeDeltaSensor TimeDeltaSensorAsync"},
    "airflow.sensors.time_delta_sensor": {f"{_SENSORS}.time_delta": "TimeDeltaSensor"},
    "airflow.sensors.time_sensor": {f"{_SENSORS}.time": "TimeSensor TimeSensorAsync"},
    "airflow.sensors.weekday": {f"{_SENSORS}.weekday": "DayOfWeekSensor"},
}

_FORMER_DECORATORS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.decorators": {
        "airflow.sdk": "dag setup task task_group teardown",
        "airflow.sdk.bases.decorator": "TaskDecorator",
        "airflow.sdk.definitions.decorators": "TaskDecoratorCollection",
    },
    "airflow.decorators.base": {
        "airflow.sdk.bases.decorator": (
            "DecoratedMappedOperator DecoratedOperator TaskDecorator get_unique_task_id task_decorator_factory"
        ),
    },
    "airflow.decorators.bash": {f"{_DECORATORS}.bash": "bash_task"},
    "airflow.decorators.branch_external_python": {
        f"{_DECORATORS}.branch_external_python": "branch_external_python_task"
    },
    "airflow.decorators.branch_python": {f"{_DECORATORS}.branch_python": "branch_task"},
    "airflow.decorators.branch_virtualenv": {f"{_DECORATORS}.branch_virtualenv": "branch_virtualenv_task"},
    "airflow.decorators.external_python": {f"{_DECORATORS}.external_python": "external_python_task"},
    "airflow.decorators.python": {f"{_DECORATORS}.python": "python_task"},
    "airflow.decorators.python_virtualenv": {f"{_DECORATORS}.python_virtualenv": "virtualenv_task"},
    "airflow.decorators.sensor": {f"{_DECORATORS}.sensor": "sensor_task"},
    "airflow.decorators.setup_teardown": {
        "airflow.sdk.definitions.decorators.setup_teardown": "setup_task teardown_task",
    },
    "airflow.decorators.short_circuit": {f"{_DECORATORS}.short_circuit": "short_circuit_task"},
    "airflow.decorators.task_group": {"airflow.sdk": "task_group"},
}

_FORMER_MODELS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.models": {
        "airflow.models.errors": "ImportError=ParseImportError",
        "airflow.sdk.definitions._internal.abstractoperator": "Operator=AbstractOperator",
        "airflow.sdk.definitions.param": "DagParam ParamsDict",
    },
    "airflow.models.abstractoperator": {
        "airflow.sdk.definitions._internal.abstractoperator": (
            "AbstractOperator DEFAULT_OWNER DEFAULT_POOL_SLOTS DEFAULT_PRIORITY_WEIGHT DEFAULT_QUEUE DEFAULT_RETRIES"
            " DEFAULT_RETRY_DELAY DEFAULT_TRIGGER_RULE DEFAULT_WEIGHT_RULE TaskStateChangeCallback"
        ),
    },
    "airflow.models.baseoperator": {
        "airflow.sdk.bases.operator": ("BaseOperator BaseOperatorMeta chain chain_linear cross_downstream"),
        "airflow.sdk": "BaseOperatorLink",
    },
    "airflow.models.baseoperatorlink": {"airflow.sdk.bases.operatorlink": "BaseOperatorLink"},
    "airflow.models.dag": {
        "airflow.sdk": "DAG dag",
        "airflow.sdk.definitions._internal.contextmanager": "DagContext",
        "airflow.sdk.bases.timetable": "ScheduleInterval=BaseTimetable",
    },
    "airflow.models.dagbag": {"airflow.dag_processing.dagbag": "DagBag FileLoadStat"},
    "airflow.models.dagparam": {"airflow.sdk.definitions.param": "DagParam"},
    "airflow.models.dataset": {
        "airflow.models.asset": "DatasetDagRunQueue=AssetDagRunQueue DatasetEvent=AssetEvent DatasetModel=AssetModel",
    },
    "airflow.models.errors": {"airflow.models.errors": "ImportError=ParseImportError"},
    "airflow.models.mappedoperator": {"airflow.sdk.definitions.mappedoperator": "MappedOperator OperatorPartial"},
    "airflow.models.operator": {
        "airflow.sdk.bases.operator": "BaseOperator",
        "airflow.sdk.definitions._internal.abstractoperator": "Operator=AbstractOperator",
        "airflow.sdk.definitions.mappedoperator": "MappedOperator",
    },
    "airflow.models.param": {"airflow.sdk.definitions.param": "DagParam Param ParamsDict"},
    "airflow.models.skipmixin": {"airflow.sdk.bases.skipmixin": "SkipMixin"},
    "airflow.models.taskinstance": {"airflow.sdk.execution_time.context": "set_current_context"},
    "airflow.models.taskmixin": {
        "airflow.sdk.definitions._internal.mixins": "TaskMixin=DependencyMixin",
    },
    "airflow.models.xcom": {"airflow.sdk.bases.xcom": "BaseXCom", "airflow.sdk.execution_time.xcom": "XCom"},
    "airflow.models.xcom_arg": {
        "airflow.sdk.definitions.xcom_arg": "ConcatXComArg MapXComArg PlainXComArg XComArg ZipXComArg",
    },
}

_FORMER_UTILS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.utils.context": {
        "airflow.sdk.definitions.context": "Context context_merge",
        "airflow.sdk.execution_time.context": "context_get_outlet_events",
        "airflow.utils.deprecation_tools": "AirflowContextDeprecationWarning=DeprecatedImportWarning",
    },
    "airflow.utils.dag_cycle_tester": {"airflow.sdk": "check_cycle=DAG.check_cycle"},
    "airflow.utils.dag_parsing_context": {
        "airflow.sdk": "get_parsing_context",
        "airflow.sdk.definitions._internal.dag_parsing_context": "_airflow_parsing_context_manager",
        "airflow.sdk.definitions.context": "AirflowParsingContext",
    },
    "airflow.utils.dates": {
        "pendulum": "days_ago=today parse_execution_date=parse round_time=instance date_range=interval",
    },
    "airflow.utils.db": {"airflow.utils.session": "create_session"},
    "airflow.utils.decorators": {"airflow.sdk": "apply_defaults=BaseOperator"},
    "airflow.utils.edgemodifier": {"airflow.sdk": "EdgeModifier"},
    "airflow.utils.file": {"tempfile": "TemporaryDirectory"},
    "airflow.utils.helpers": {
        "airflow.sdk": "chain cross_downstream",
        "airflow.sdk.definitions.context": "render_template_as_native render_template_to_string",
    },
    "airflow.utils.json": {"airflow.utils.json": "AirflowJsonEncoder=XComEncoder WebEncoder=XComEncoder"},
    "airflow.utils.log.secrets_masker": {
        "airflow.sdk.log": "mask_secret redact",
        "airflow.sdk.execution_time.secrets_masker": (
            "DEFAULT_SENSITIVE_FIELDS Redactable Redacted SecretsMasker _secrets_masker should_hide_value_for_key"
        ),
    },
    "airflow.utils.module_loading": {
        "airflow.sdk.module_loading": "import_string is_valid_dotpath iter_namespace qualname",
    },
    "airflow.utils.operator_helpers": {
        "airflow.sdk.bases.decorator": "KeywordParameters determine_kwargs",
        "airflow.sdk.execution_time.callback_runner": "ExecutionCallableRunner",
        "airflow.sdk.execution_time.context": (
            "AIRFLOW_VAR_NAME_FORMAT_MAPPING DEFAULT_FORMAT_PREFIX ENV_VAR_FORMAT_PREFIX context_to_airflow_vars"
        ),
    },
    "airflow.utils.operator_resources": {"airflow.sdk.definitions.operator_resources": "*"},
    "airflow.utils.python_virtualenv": {
        "airflow.providers.standard.utils.python_virtualenv": "prepare_virtualenv write_python_script",
    },
    "airflow.utils.setup_teardown": {
        "airflow.sdk.definitions._internal.setup_teardown": "SetupTeardownContext",
    },
    "airflow.utils.state": {"airflow.jobs.job": "JobState"},
    "airflow.utils.task_group": {"airflow.sdk.definitions.taskgroup": "MappedTaskGroup TaskGroup"},
    "airflow.utils.template": {"airflow.sdk": "literal"},
    "airflow.utils.timeout": {"airflow.sdk.execution_time.timeout": "TimeoutPosix timeout"},
    "airflow.utils.timezone": {
        "airflow.sdk.timezone": "is_localized=coerce_datetime is_naive=coerce_datetime make_aware=coerce_datetime *"
    },
    "airflow.utils.trigger_rule": {"airflow.sdk": "TriggerRule"},
    "airflow.utils.types": {"airflow.serialization.definitions.notset": "ArgNotSet NOTSET"},
    "airflow.utils.weekday": {"airflow.providers.standard.utils.weekday": "WeekDay"},
    "airflow.utils.weight_rule": {"airflow.sdk": "WeightRule"},
    "airflow.utils.xcom": {"airflow.models.xcom": "XCOM_RETURN_KEY"},
}

_SDK_EXCEPTIONS: Final = (
    "AirflowDagCycleException AirflowFailException AirflowInactiveAssetInInletOrOutletException AirflowSensorTimeout"
    " AirflowSkipException AirflowTaskTerminated AirflowTaskTimeout DagRunTriggerException DownstreamTasksSkipped"
    " DuplicateTaskIdFound FailFastDagInvalidTriggerRule FailStopDagInvalidTriggerRule=FailFastDagInvalidTriggerRule"
    " RemovedInAirflow3Warning=RemovedInAirflow4Warning TaskAlreadyInTaskGroup TaskDeferralError TaskDeferralTimeout"
    " TaskDeferred UnmappableXComTypePushed XComForMappingNotPushed XComNotFound"
)

OLD: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow": {"airflow.sdk": "Dataset=Asset", "airflow.sdk.exceptions": "AirflowException"},
    "airflow.api.common.experimental.trigger_dag": {"airflow.api.common.trigger_dag": "trigger_dag"},
    "airflow.assets": {"airflow.sdk": "Asset AssetAlias AssetAll AssetAny"},
    "airflow.auth.managers.base_auth_manager": {
        "airflow.api_fastapi.auth.managers.base_auth_manager": "BaseAuthManager",
    },
    "airflow.configuration": {
        "airflow.sdk.conf": "get getboolean getfloat getint getsection has_option",
    },
    "airflow.datasets": {
        "airflow.sdk": "Dataset=Asset DatasetAlias=AssetAlias DatasetAll=AssetAll DatasetAny=AssetAny",
        "airflow.sdk.definitions.asset": "BaseDataset=BaseAsset",
    },
    "airflow.datasets.manager": {"airflow.assets.manager": "DatasetManager=AssetManager dataset_manager=asset_manager"},
    "airflow.datasets.metadata": {"airflow.sdk": "Metadata"},
    "airflow.exceptions": {"airflow.sdk.exceptions": _SDK_EXCEPTIONS},
    "airflow.executors.celery_executor": {"airflow.providers.celery.executors.celery_executor": "CeleryExecutor"},
    "airflow.executors.sequential_executor": {"airflow.executors.local_executor": "SequentialExecutor=LocalExecutor"},
    "airflow.hooks": {},
    "airflow.hooks.base": {"airflow.sdk.bases.hook": "BaseHook"},
    "airflow.hooks.base_hook": {"airflow.sdk": "BaseHook"},
    "airflow.hooks.dbapi": {"airflow.providers.common.sql.hooks.sql": "ConnectorProtocol DbApiHook"},
    "airflow.hooks.dbapi_hook": {"airflow.providers.common.sql.hooks.sql": "DbApiHook"},
    "airflow.hooks.filesystem": {"airflow.providers.standard.hooks.filesystem": "FSHook"},
    "airflow.hooks.http_hook": {"airflow.providers.http.hooks.http": "HttpHook"},
    "airflow.hooks.mysql_hook": {"airflow.providers.mysql.hooks.mysql": "MySqlHook"},
    "airflow.hooks.package_index": {"airflow.providers.standard.hooks.package_index": "PackageIndexHook"},
    "airflow.hooks.postgres_hook": {"airflow.providers.postgres.hooks.postgres": "PostgresHook"},
    "airflow.hooks.S3_hook": {"airflow.providers.amazon.aws.hooks.s3": "S3Hook"},
    "airflow.hooks.subprocess": {"airflow.providers.standard.hooks.subprocess": "SubprocessHook SubprocessResult"},
    "airflow.io": {"airflow.sdk.io": "ObjectStoragePath attach get_fs has_fs"},
    "airflow.io.path": {"airflow.sdk.io.path": "ObjectStoragePath"},
    "airflow.io.store": {"airflow.sdk.io": "ObjectStore attach"},
    "airflow.lineage": {"airflow.sdk": "AUTO=Asset apply_lineage=lineage prepare_lineage=lineage"},
    "airflow.lineage.entities": {"airflow.sdk": "Column=Asset File=Asset Table=Asset Tag=Asset User=Asset"},
    "airflow.lineage.hook": {"airflow.sdk.lineage": "DatasetLineageInfo=AssetLineageInfo *"},
    "airflow.macros": {"airflow.sdk.execution_time.macros": "*"},
    "airflow.notifications": {},
    "airflow.notifications.basenotifier": {"airflow.sdk.bases.notifier": "BaseNotifier"},
    "airflow.security.permissions": {
        "airflow.security.permissions": "RESOURCE_DATASET=RESOURCE_ASSET",
        "airflow.providers.fab.www.security.permissions": "ACTION_CAN_READ",
    },
    "airflow.stats": {"airflow.sdk.observability.stats": "Stats"},
    "airflow.template.templater": {
        "airflow.sdk.definitions._internal.templater": "LiteralValue Templater",
    },
    "airflow.timetables.datasets": {"airflow.sdk": "DatasetOrTimeSchedule=AssetOrTimeSchedule"},
    "airflow.timetables.simple": {"airflow.timetables.simple": "DatasetTriggeredTimetable=AssetTriggeredTimetable"},
    "airflow.triggers.external_task": {
        "airflow.providers.standard.triggers.external_task": (
            "DagStateTrigger TaskStateTrigger=WorkflowTrigger WorkflowTrigger"
        ),
    },
    "airflow.triggers.file": {
        "airflow.providers.standard.triggers.file": "FileDeleteTrigger FileTrigger",
    },
    "airflow.triggers.temporal": {"airflow.providers.standard.triggers.temporal": "DateTimeTrigger TimeDeltaTrigger"},
    **_FORMER_OPERATORS,
    **_FORMER_SENSORS,
    **_FORMER_DECORATORS,
    **_FORMER_MODELS,
    **_FORMER_UTILS,
}

_SERVERS_OWN: Final = "it belongs to Airflow's own web server, for which Tradewind has one of its own"

GONE: Final[Mapping[str, str]] = {
    "airflow.contrib": (
        "Airflow 2 moved it to provider packages, such as airflow.providers.ssh (`tradewind providers install ssh`)"
    ),
    "airflow.executors.debug_executor": "call dag.test() to run a DAG in one process",
    "airflow.migrations": "the database belongs to Tradewind; `tradewind db migrate` brings it up to date",
    "airflow.models.DagPickle": "DAGs are not pickled",
    "airflow.models.SlaMiss": "SLAs are replaced by deadlines: DAG(deadline=DeadlineAlert(...)) of airflow.sdk",
    "airflow.models.TaskFail": "ask the REST API for the failed tries of a task instance",
    "airflow.operators.trigger_dagrun.DagRunOrder": "give TriggerDagRunOperator a conf=",
    "airflow.sentry": "errors go to telemetry",
    "airflow.www": _SERVERS_OWN,
}
