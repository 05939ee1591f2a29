"""`airflow.sdk` and the modules below it."""

from collections.abc import Mapping
from typing import Final

_DEFAULTS: Final = (
    "DEFAULT_EMAIL_ON_FAILURE DEFAULT_EMAIL_ON_RETRY DEFAULT_OWNER DEFAULT_POOL_NAME DEFAULT_POOL_SLOTS"
    " DEFAULT_PRIORITY_WEIGHT DEFAULT_QUEUE DEFAULT_RETRIES DEFAULT_RETRY_DELAY DEFAULT_TASK_EXECUTION_TIMEOUT"
    " DEFAULT_TRIGGER_RULE DEFAULT_WEIGHT_RULE"
)

_BASES: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.sdk.bases.branch": {"tradewind.sdk.branch": "BaseBranchOperator BranchMixIn"},
    "airflow.sdk.bases.decorator": {
        "tradewind.sdk.standard.python": "is_async_callable",
        "tradewind.sdk.taskflow": "*",
    },
    "airflow.sdk.bases.hook": {"tradewind.sdk.hook": "BaseHook"},
    "airflow.sdk.bases.notifier": {"tradewind.sdk.notifier": "BaseNotifier"},
    "airflow.sdk.bases.operator": {
        "tradewind.sdk.operator": "BaseOperator",
        "tradewind.sdk.async_operator": "BaseAsyncOperator",
        "tradewind.sdk.operator_meta": "BaseOperatorMeta=OperatorMeta",
        "tradewind.sdk.edges": "chain chain_linear cross_downstream",
    },
    "airflow.sdk.bases.operatorlink": {"tradewind.sdk.operator_link": "BaseOperatorLink"},
    "airflow.sdk.bases.resumablejobmixin": {"tradewind.sdk.resumable_job": "ResumableJobMixin"},
    "airflow.sdk.bases.secrets_backend": {"tradewind.sdk.secrets_backend": "BaseSecretsBackend"},
    "airflow.sdk.bases.sensor": {"tradewind.sdk.sensor": "BaseSensorOperator PokeReturnValue poke_mode_only"},
    "airflow.sdk.bases.skipmixin": {"tradewind.sdk.skip": "*"},
    "airflow.sdk.bases.timetable": {"tradewind.sdk.timetables": "BaseTimetable"},
    "airflow.sdk.bases.xcom": {"tradewind.sdk.xcom": "BaseXCom"},
}

_DEFINITIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.sdk.definitions.asset": {"tradewind.sdk.assets": "*"},
    "airflow.sdk.definitions.asset.access_control": {"tradewind.sdk.assets": "AssetAccessControl"},
    "airflow.sdk.definitions.asset.decorators": {"tradewind.sdk.asset_decorator": "*"},
    "airflow.sdk.definitions.asset.metadata": {"tradewind.sdk.assets": "Metadata"},
    "airflow.sdk.definitions.callback": {"tradewind.sdk.callback": "AsyncCallback Callback SyncCallback"},
    "airflow.sdk.definitions.connection": {"tradewind.sdk.connection": "Connection"},
    "airflow.sdk.definitions.context": {
        "tradewind.sdk.context": "*",
        "tradewind.sdk.jinja_environment": "render_template render_template_as_native render_template_to_string",
    },
    "airflow.sdk.definitions.dag": {"tradewind.sdk.dags": "DAG", "tradewind.sdk.dag_decorator": "dag"},
    "airflow.sdk.definitions.deadline": {"tradewind.sdk.deadline": "*"},
    "airflow.sdk.definitions.decorators": {
        "tradewind.sdk.dag_decorator": "dag",
        "tradewind.sdk.standard.role_decorators": "result setup teardown",
        "tradewind.sdk.standard.task_decorators": "TaskDecoratorCollection task",
        "tradewind.sdk.task_group_decorator": "task_group",
        "tradewind.sdk.taskflow": "TaskDecorator",
    },
    "airflow.sdk.definitions.decorators.condition": {"tradewind.sdk.run_conditions": "run_if skip_if"},
    "airflow.sdk.definitions.decorators.setup_teardown": {
        "tradewind.sdk.standard.role_decorators": "setup_task=setup teardown_task=teardown",
    },
    "airflow.sdk.definitions.decorators.task_group": {"tradewind.sdk.task_group_decorator": "task_group"},
    "airflow.sdk.definitions.edges": {"tradewind.sdk.edges": "EdgeModifier Label"},
    "airflow.sdk.definitions.mappedoperator": {"tradewind.sdk.mapped": "MappedOperator OperatorPartial"},
    "airflow.sdk.definitions.operator_resources": {"tradewind.sdk.operator_resources": "*"},
    "airflow.sdk.definitions.param": {"tradewind.sdk.param": "DagParam Param ParamsDict"},
    "airflow.sdk.definitions.partition_mappers": {},
    "airflow.sdk.definitions.partition_mappers.allowed_key": {"tradewind.sdk.partition_mappers": "AllowedKeyMapper"},
    "airflow.sdk.definitions.partition_mappers.base": {
        "tradewind.sdk.partition_mappers": "PartitionMapper RollupMapper",
    },
    "airflow.sdk.definitions.partition_mappers.chain": {"tradewind.sdk.partition_mappers": "ChainMapper"},
    "airflow.sdk.definitions.partition_mappers.fixed_key": {"tradewind.sdk.partition_mappers": "FixedKeyMapper"},
    "airflow.sdk.definitions.partition_mappers.identity": {"tradewind.sdk.partition_mappers": "IdentityMapper"},
    "airflow.sdk.definitions.partition_mappers.product": {"tradewind.sdk.partition_mappers": "ProductMapper"},
    "airflow.sdk.definitions.partition_mappers.temporal": {
        "tradewind.sdk.partition_mappers": (
            "FanOutMapper StartOfDayMapper StartOfHourMapper StartOfMonthMapper StartOfQuarterMapper StartOfWeekMapper"
            " StartOfYearMapper"
        ),
    },
    "airflow.sdk.definitions.partition_mappers.wait_policy": {
        "tradewind.sdk.wait_policies": "MinimumCount WaitForAll WaitPolicy",
    },
    "airflow.sdk.definitions.partition_mappers.window": {
        "tradewind.sdk.partition_windows": (
            "DayWindow HourWindow MonthWindow QuarterWindow SegmentWindow WeekWindow Window YearWindow"
        ),
    },
    "airflow.sdk.definitions.retry_policy": {
        "tradewind.sdk.retry_policy": "ExceptionRetryPolicy RetryAction RetryDecision RetryPolicy RetryRule",
    },
    "airflow.sdk.definitions.taskgroup": {"tradewind.sdk.task_groups": "MappedTaskGroup TaskGroup"},
    "airflow.sdk.definitions.template": {"tradewind.sdk.template": "literal"},
    "airflow.sdk.definitions.timetables": {},
    "airflow.sdk.definitions.timetables.assets": {
        "tradewind.sdk.timetables": (
            "AssetAndTimeSchedule AssetOrTimeSchedule AssetTriggeredTimetable PartitionedAssetTimetable"
            " PartitionedAtRuntime"
        ),
    },
    "airflow.sdk.definitions.timetables.events": {"tradewind.sdk.timetables": "EventsTimetable"},
    "airflow.sdk.definitions.timetables.interval": {
        "tradewind.sdk.timetables": "CronDataIntervalTimetable DeltaDataIntervalTimetable",
    },
    "airflow.sdk.definitions.timetables.simple": {
        "tradewind.sdk.timetables": "ContinuousTimetable NullTimetable OnceTimetable",
    },
    "airflow.sdk.definitions.timetables.trigger": {
        "tradewind.sdk.timetables": (
            "CronPartitionTimetable CronTriggerTimetable DeltaTriggerTimetable MultipleCronTriggerTimetable"
        ),
    },
    "airflow.sdk.definitions.variable": {"tradewind.sdk.variable": "Variable"},
    "airflow.sdk.definitions.xcom_arg": {
        "tradewind.sdk.xcom_arg": "ConcatXComArg MapXComArg PlainXComArg XComArg ZipXComArg",
    },
}

# Not meant for authors, but provider packages import them.
_INTERNAL: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.sdk._shared": {},
    "airflow.sdk._shared.listeners": {"tradewind.compat.adapters.listeners": "hookimpl"},
    "airflow.sdk._shared.module_loading": {"tradewind.sdk.module_loading": "*"},
    "airflow.sdk._shared.observability.metrics.stats": {"tradewind.sdk.stats": "*"},
    "airflow.sdk._shared.secrets_masker": {"tradewind.compat.adapters.masking": "*"},
    "airflow.sdk._shared.timezones.timezone": {"tradewind.sdk.timezone": "*"},
    "airflow.sdk.api.datamodels._generated": {
        "tradewind.sdk.states": (
            "DagRunState DagRunType IntermediateTIState TaskInstanceState TerminalTIState TriggerRule WeightRule"
        ),
        "tradewind.sdk.hitl": "HITLUser",
        "tradewind.model.task_answers": "HITLDetailResponse",
    },
    "airflow.sdk.definitions._internal": {},
    "airflow.sdk.definitions._internal.abstractoperator": {
        "tradewind.sdk.abstract_operator": "AbstractOperator",
        "tradewind.sdk.operator_defaults": _DEFAULTS,
        "collections.abc": "TaskStateChangeCallback=Callable",
    },
    "airflow.sdk.definitions._internal.contextmanager": {
        "tradewind.sdk.dag_context": "DagContext TaskGroupContext",
    },
    "airflow.sdk.definitions._internal.dag_parsing_context": {
        "tradewind.sdk.context": "_airflow_parsing_context_manager=parsing_for",
    },
    "airflow.sdk.definitions._internal.expandinput": {"tradewind.sdk.expansion": "*"},
    "airflow.sdk.definitions._internal.logging_mixin": {"tradewind.sdk.log": "LoggingMixin"},
    "airflow.sdk.definitions._internal.mixins": {
        "tradewind.sdk.node": "DependencyMixin",
        "tradewind.sdk.xcom_arg": "ResolveMixin",
    },
    "airflow.sdk.definitions._internal.node": {
        "tradewind.sdk.node": "DAGNode validate_key",
    },
    "airflow.sdk.definitions._internal.setup_teardown": {"tradewind.sdk.setup_teardown": "SetupTeardownContext"},
    "airflow.sdk.definitions._internal.templater": {
        "tradewind.sdk.template": "LiteralValue Templater",
        "tradewind.sdk.jinja_environment": "NativeEnvironment SandboxedEnvironment create_template_env",
    },
    "airflow.sdk.definitions._internal.types": {
        "tradewind.sdk.notset": "ArgNotSet NOTSET is_arg_set",
        "tradewind.compat.adapters.set_later": "SET_DURING_EXECUTION SetDuringExecution",
    },
}

_EXECUTION_TIME: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.sdk.execution_time": {},
    "airflow.sdk.execution_time.cache": {"tradewind.compat.adapters.secrets": "SecretCache"},
    "airflow.sdk.execution_time.callback_runner": {
        "tradewind.compat.adapters.callable_runner": (
            "AsyncExecutionCallableRunner ExecutionCallableRunner create_async_executable_runner"
            " create_executable_runner"
        ),
    },
    "airflow.sdk.execution_time.context": {
        "tradewind.sdk.context": "*",
        "tradewind.sdk.context_accessors": "*",
        "tradewind.sdk.asset_events": "*",
        "tradewind.sdk.state_store": "*",
        "tradewind.compat.adapters.context_names": "*",
    },
    "airflow.sdk.execution_time.hitl": {"tradewind.sdk.hitl": "*"},
    "airflow.sdk.execution_time.lazy_sequence": {"tradewind.sdk.xcom_sequence": "LazyXComSequence"},
    "airflow.sdk.execution_time.macros": {"tradewind.sdk.macros": "*"},
    "airflow.sdk.execution_time.secrets": {
        "tradewind.compat.adapters.secrets": "DEFAULT_SECRETS_SEARCH_PATH_WORKERS",
        "tradewind.compat.adapters.server_side": "ExecutionAPISecretsBackend",
    },
    "airflow.sdk.execution_time.secrets.execution_api": {
        "tradewind.compat.adapters.server_side": "ExecutionAPISecretsBackend",
    },
    "airflow.sdk.execution_time.secrets_masker": {"tradewind.compat.adapters.masking": "*"},
    "airflow.sdk.execution_time.sentry": {"tradewind.compat.adapters.server_side": "Sentry"},
    "airflow.sdk.execution_time.task_runner": {
        "tradewind.sdk.task_instance": "RuntimeTaskInstance",
        "tradewind.sdk.task_runner_marker": "TaskRunnerMarker",
    },
    "airflow.sdk.execution_time.timeout": {"tradewind.compat.adapters.timeout": "TimeoutPosix timeout"},
    "airflow.sdk.execution_time.xcom": {"tradewind.sdk.xcom": "*"},
    "airflow.sdk.execution_time.callback_supervisor": {
        "tradewind.compat.adapters.server_side": "CallbackSubprocess supervise_callback",
    },
    "airflow.sdk.execution_time.comms": {
        "tradewind.sdk.exceptions": "ErrorResponse",
        "tradewind.compat.adapters.server_side": "CommsDecoder StartupDetails XComResult",
    },
    "airflow.sdk.execution_time.connection_test_supervisor": {
        "tradewind.compat.adapters.server_side": "supervise_connection_test",
    },
    "airflow.sdk.execution_time.coordinator": {
        "tradewind.compat.adapters.server_side": "BaseCoordinator CoordinatorManager get_coordinator_manager",
    },
    "airflow.sdk.execution_time.supervisor": {
        "tradewind.compat.adapters.server_side": "ActivitySubprocess WatchedSubprocess supervise supervise_task",
    },
}

_SUPPORT: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.sdk.configuration": {
        "tradewind.sdk.configuration": "AirflowSDKConfigParser=ConfigurationParser *",
    },
    "airflow.sdk.coordinators.executable": {"tradewind.compat.adapters.server_side": "ExecutableCoordinator"},
    "airflow.sdk.coordinators.java": {"tradewind.compat.adapters.server_side": "JavaCoordinator"},
    "airflow.sdk.crypto": {"tradewind.compat.adapters.server_side": "get_fernet"},
    "airflow.sdk.exceptions": {"tradewind.sdk.exceptions": "*"},
    "airflow.sdk.io": {"tradewind.sdk.object_storage": "ObjectStoragePath ObjectStore attach get_fs has_fs"},
    "airflow.sdk.io.fs": {"tradewind.sdk.object_storage": "get_fs has_fs"},
    "airflow.sdk.io.path": {"tradewind.sdk.object_storage": "ObjectStoragePath"},
    "airflow.sdk.io.store": {"tradewind.sdk.object_storage": "ObjectStore attach"},
    "airflow.sdk.lineage": {"tradewind.sdk.lineage": "*"},
    "airflow.sdk.listener": {"tradewind.compat.adapters.listeners": "ListenerManager get_listener_manager"},
    "airflow.sdk.log": {
        "tradewind.sdk.log": "*",
        "tradewind.compat.adapters.masking": "redact",
    },
    "airflow.sdk.module_loading": {"tradewind.sdk.module_loading": "*"},
    "airflow.sdk.observability.stats": {"tradewind.sdk.stats": "*"},
    "airflow.sdk.plugins_manager": {
        "tradewind.compat.adapters.plugins": "AirflowPlugin",
        "tradewind.compat.adapters.providers_manager": "ProvidersManagerTaskRuntime=ProvidersManager",
    },
    "airflow.sdk.providers_manager_runtime": {
        "tradewind.compat.adapters.providers_manager": "ProvidersManagerTaskRuntime=ProvidersManager",
    },
    "airflow.sdk.serde": {"tradewind.sdk.serde": "*"},
    "airflow.sdk.state": {"tradewind.sdk.state_store_backend": "AssetScope BaseStoreBackend StoreScope TaskScope"},
    "airflow.sdk.timezone": {"tradewind.sdk.timezone": "*"},
    "airflow.sdk.types": {
        "tradewind.sdk.task_instance": (
            "RuntimeTaskInstanceProtocol=RuntimeTaskInstance TaskInstance=RuntimeTaskInstance TaskInstanceKey"
        ),
        "tradewind.sdk.notset": "NOTSET ArgNotSet",
        "tradewind.sdk.abstract_operator": "Operator=AbstractOperator",
        "tradewind.sdk.asset_events": (
            "OutletEventAccessorProtocol=OutletEventAccessor OutletEventAccessorsProtocol=OutletEventAccessors"
        ),
        "tradewind.sdk.context": "Context",
        "logging": "Logger",
    },
    "airflow.sdk.yaml": {"yaml": "dump safe_load"},
}

SDK: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.sdk": {"tradewind.compat.version": "__version__=sdk_version", "tradewind.sdk": "*"},
    **_BASES,
    **_DEFINITIONS,
    **_INTERNAL,
    **_EXECUTION_TIME,
    **_SUPPORT,
}
