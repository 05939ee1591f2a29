"""Airflow 3's paths outside `airflow.sdk` and the providers."""

from collections.abc import Mapping
from typing import Final

_DATABASE: Final = "tradewind.compat.adapters.database"
_SERVER: Final = "tradewind.compat.adapters.server_side"

# Tables of the metadata database, which the code of DAGs and tasks cannot reach: the names import, using them says
# why not.
_MODELS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.models": {
        "tradewind.compat.adapters.dag": "DAG",
        "tradewind.compat.adapters.operator": "BaseOperator",
        "tradewind.compat.adapters.variable": "Variable",
        "tradewind.compat.adapters.connection": "Connection",
        "tradewind.compat.adapters.dag_bag": "DagBag",
        "tradewind.sdk.operator_link": "BaseOperatorLink",
        "tradewind.sdk.xcom": "BaseXCom XCom",
        "tradewind.sdk.skip": "SkipMixin",
        "tradewind.sdk.mapped": "MappedOperator",
        "tradewind.sdk.param": "Param",
        _DATABASE: (
            "ID_LEN Base DagModel DagRun DagTag DagWarning DbCallbackRequest Deadline Log Pool"
            " RenderedTaskInstanceFields TaskInstance TaskInstanceHistory TaskReschedule Trigger clear_task_instances"
        ),
    },
    "airflow.models.asset": {
        _DATABASE: (
            "AssetActive AssetAliasModel AssetDagRunQueue AssetEvent AssetModel DagScheduleAssetReference"
            " TaskOutletAssetReference expand_alias_to_assets"
        ),
    },
    "airflow.models.backfill": {_DATABASE: "Backfill BackfillDagRun"},
    "airflow.models.base": {_DATABASE: "Base ID_LEN"},
    "airflow.models.callback": {_DATABASE: "Callback CallbackKey"},
    "airflow.models.connection": {"tradewind.compat.adapters.connection": "Connection"},
    "airflow.models.crypto": {_SERVER: "get_fernet"},
    "airflow.models.dag": {
        "tradewind.compat.adapters.dag": "DAG dag",
        _DATABASE: "DagModel DagOwnerAttributes DagTag",
    },
    "airflow.models.dag_version": {_DATABASE: "DagVersion"},
    "airflow.models.dagbag": {_DATABASE: "DBDagBag"},
    "airflow.models.dagbundle": {_DATABASE: "DagBundleModel"},
    "airflow.models.dagcode": {_DATABASE: "DagCode"},
    "airflow.models.dagrun": {
        _DATABASE: "DagRun DagRunNote",
        "tradewind.sdk.states": "DagRunState DagRunType",
    },
    "airflow.models.dagwarning": {_DATABASE: "DagWarning"},
    "airflow.models.deadline": {_DATABASE: "Deadline"},
    "airflow.models.errors": {_DATABASE: "ParseImportError"},
    "airflow.models.expandinput": {"tradewind.sdk.expansion": "*"},
    "airflow.models.hitl": {_DATABASE: "HITLDetail"},
    "airflow.models.log": {_DATABASE: "Log"},
    "airflow.models.pool": {_DATABASE: "Pool"},
    "airflow.models.renderedtifields": {_DATABASE: "RenderedTaskInstanceFields"},
    "airflow.models.serialized_dag": {_DATABASE: "SerializedDagModel"},
    "airflow.models.taskinstance": {
        _DATABASE: "SimpleTaskInstance TaskInstance TaskInstanceNote clear_task_instances",
        "tradewind.sdk.task_instance": "TaskInstanceKey",
        "tradewind.sdk.xcom": "XCOM_RETURN_KEY",
    },
    "airflow.models.taskinstancehistory": {_DATABASE: "TaskInstanceHistory"},
    "airflow.models.taskinstancekey": {"tradewind.sdk.task_instance": "TaskInstanceKey"},
    "airflow.models.taskmixin": {"tradewind.sdk.node": "DAGNode DependencyMixin"},
    "airflow.models.taskreschedule": {_DATABASE: "TaskReschedule"},
    "airflow.models.team": {_DATABASE: "Team"},
    "airflow.models.trigger": {_DATABASE: "Trigger"},
    "airflow.models.variable": {"tradewind.compat.adapters.variable": "Variable"},
    "airflow.models.xcom": {"tradewind.sdk.xcom": "XCOM_RETURN_KEY", _DATABASE: "XComModel"},
}

_TIMETABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.partition_mappers": {},
    "airflow.partition_mappers.base": {"tradewind.sdk.partition_mappers": "PartitionMapper RollupMapper"},
    "airflow.partition_mappers.temporal": {"tradewind.sdk.partition_mappers": "*"},
    "airflow.partition_mappers.window": {"tradewind.sdk.partition_windows": "*"},
    "airflow.partition_mappers.wait_policy": {"tradewind.sdk.wait_policies": "*"},
    "airflow.partition_mappers.identity": {"tradewind.sdk.partition_mappers": "IdentityMapper"},
    "airflow.task": {},
    "airflow.task.priority_strategy": {"tradewind.sdk.priority_strategy": "*"},
    "airflow.task.trigger_rule": {"tradewind.sdk.states": "TriggerRule"},
    "airflow.task.weight_rule": {"tradewind.sdk.states": "WeightRule"},
    "airflow.timetables": {},
    "airflow.timetables._cron": {"tradewind.sdk.timetables": "CronMixin"},
    "airflow.timetables.assets": {"tradewind.sdk.timetables": "AssetAndTimeSchedule AssetOrTimeSchedule"},
    "airflow.timetables.base": {
        "tradewind.sdk.custom_timetable": "DagRunInfo DataInterval TimeRestriction Timetable",
    },
    "airflow.timetables.events": {"tradewind.sdk.timetables": "EventsTimetable"},
    "airflow.timetables.interval": {
        "tradewind.sdk.timetables": "CronDataIntervalTimetable DeltaDataIntervalTimetable",
    },
    "airflow.timetables.simple": {
        "tradewind.sdk.timetables": (
            "AssetTriggeredTimetable ContinuousTimetable NullTimetable OnceTimetable PartitionedAssetTimetable"
            " PartitionedAtRuntime"
        ),
    },
    "airflow.timetables.trigger": {
        "tradewind.sdk.timetables": (
            "CronPartitionTimetable CronTriggerTimetable DeltaTriggerTimetable MultipleCronTriggerTimetable"
        ),
    },
    "airflow.triggers": {},
    "airflow.triggers.base": {
        "tradewind.sdk.triggers": (
            "BaseEventTrigger BaseTaskEndEvent BaseTrigger StartTriggerArgs TaskFailedEvent TaskSkippedEvent"
            " TaskSuccessEvent TriggerEvent"
        ),
    },
    "airflow.triggers.shared_stream": {"tradewind.sdk.shared_stream": "*"},
    "airflow.triggers.testing": {"tradewind.compat.adapters.testing_triggers": "FailureTrigger SuccessTrigger"},
}

_UTILS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.utils": {},
    "airflow.utils.cli": {
        _SERVER: (
            "action_cli get_bagged_dag get_dag get_dag_by_file_location get_dags process_subdir setup_locations"
            " setup_logging suppress_logs_and_warning"
        ),
    },
    "airflow.utils.code_utils": {"tradewind.compat.adapters.source_code": "get_python_source prepare_code_snippet"},
    "airflow.utils.context": {
        "tradewind.sdk.context_accessors": "ConnectionAccessor VariableAccessor",
        "tradewind.sdk.asset_events": "OutletEventAccessors",
    },
    "airflow.utils.dag_cycle_tester": {"tradewind.compat.adapters.dag": "check_cycle"},
    "airflow.utils.dag_edges": {_SERVER: "dag_edges"},
    "airflow.utils.dates": {
        "tradewind.compat.adapters.dates": (
            "cron_presets date_range datetime_to_nano days_ago parse_execution_date round_time"
        ),
    },
    "airflow.utils.db": {
        "tradewind.compat.adapters.session": "provide_session",
        _DATABASE: (
            "DBLocks create_default_connections create_global_lock initdb merge_conn print_happy_cat resetdb"
            " upgradedb _offline_migration"
        ),
    },
    "airflow.utils.db_manager": {_DATABASE: "BaseDBManager RunDBManager"},
    "airflow.utils.deprecation_tools": {
        "tradewind.compat.deprecation": "DeprecatedImportWarning",
        "tradewind.compat.adapters.moved_classes": "add_deprecated_classes getattr_with_deprecation",
    },
    "airflow.utils.edgemodifier": {"tradewind.sdk.edges": "Label"},
    "airflow.utils.email": {
        "tradewind.sdk.email": ("build_mime_message get_email_address_list send_email send_email_smtp send_mime_email"),
    },
    "airflow.utils.file": {
        "tradewind.compat.adapters.dag_files": (
            "correct_maybe_zipped find_dag_file_paths get_unique_dag_module_name list_py_file_paths might_contain_dag"
            " open_maybe_zipped"
        ),
    },
    "airflow.utils.hashlib_wrapper": {"tradewind.compat.adapters.hashes": "md5"},
    "airflow.utils.helpers": {
        "tradewind.sdk.node": "validate_key",
        "tradewind.compat.adapters.collections": (
            "as_flattened_list at_most_one chunks exactly_one is_container merge_dicts partition prune_dict"
        ),
        "tradewind.compat.adapters.texts": (
            "convert_camel_to_snake log_filename_template_renderer parse_template_string"
        ),
        "tradewind.sdk.jinja_environment": "render_template",
        "tradewind.compat.adapters.web_links": "build_airflow_dagrun_url build_airflow_url_with_query",
    },
    "airflow.utils.json": {"tradewind.compat.adapters.json_encoding": "XComDecoder XComEncoder"},
    "airflow.utils.log": {},
    "airflow.utils.log.file_processor_handler": {_SERVER: "FileProcessorHandler"},
    "airflow.utils.log.file_task_handler": {
        "tradewind.compat.adapters.log_handlers": (
            "FileTaskHandler LogMetadata LogMessages LogResponse LogSourceInfo RawLogStream StreamingLogResponse"
            " StructuredLogMessage"
        ),
    },
    "airflow.utils.log.json_formatter": {"tradewind.compat.adapters.log_handlers": "JSONFormatter"},
    "airflow.utils.log.logging_mixin": {
        "tradewind.sdk.log": "LoggingMixin",
        "tradewind.compat.adapters.log_handlers": (
            "ExternalLoggingMixin RedirectStdHandler StreamLogWriter remove_escape_codes set_context"
        ),
    },
    "airflow.utils.log.non_caching_file_handler": {
        "logging": "NonCachingFileHandler=FileHandler",
        "logging.handlers": "NonCachingRotatingFileHandler=RotatingFileHandler",
    },
    "airflow.utils.log.timezone_aware": {"tradewind.compat.adapters.log_handlers": "TimezoneAware"},
    "airflow.utils.net": {"tradewind.compat.adapters.host": "get_host_ip_address get_hostname getfqdn"},
    "airflow.utils.operator_helpers": {"tradewind.compat.adapters.callable_runner": "make_kwargs_callable"},
    "airflow.utils.platform": {
        "tradewind.compat.adapters.host": (
            "IS_WINDOWS get_airflow_git_version getuser is_terminal_support_colors is_tty"
        ),
    },
    "airflow.utils.process_utils": {
        "tradewind.compat.adapters.processes": (
            "DEFAULT_TIME_TO_WAIT_AFTER_SIGTERM execute_in_subprocess execute_in_subprocess_with_kwargs"
            " execute_interactive patch_environ set_new_process_group"
        ),
    },
    "airflow.utils.providers_configuration_loader": {
        "tradewind.compat.adapters.providers_manager": "providers_configuration_loaded",
    },
    "airflow.utils.serve_logs": {_SERVER: "serve_logs"},
    "airflow.utils.session": {
        "tradewind.compat.adapters.session": "NEW_SESSION create_session create_session_async provide_session",
    },
    "airflow.utils.sqlalchemy": {
        _DATABASE: "ExecutorConfigType ExtendedJSON UtcDateTime nulls_first with_row_locks",
    },
    "airflow.utils.state": {
        "tradewind.sdk.states": "DagRunState IntermediateTIState State TaskInstanceState TerminalTIState",
    },
    "airflow.utils.strings": {
        "tradewind.compat.adapters.texts": "TRUE_LIKE_VALUES get_random_string to_boolean",
    },
    "airflow.utils.types": {"tradewind.sdk.states": "DagRunTriggeredByType DagRunType"},
    "airflow.utils.yaml": {"yaml": "YAMLError dump safe_load"},
}

_SERVER_SIDE: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.api": {},
    "airflow.api.client": {_SERVER: "get_current_api_client"},
    "airflow.api.client.local_client": {_SERVER: "Client"},
    "airflow.api.common.trigger_dag": {_SERVER: "trigger_dag"},
    "airflow.api_fastapi": {},
    "airflow.api_fastapi.app": {_SERVER: "create_app create_auth_manager get_auth_manager get_cookie_path"},
    "airflow.api_fastapi.auth.managers.base_auth_manager": {
        _SERVER: "BaseAuthManager ExtendedResourceMethod ResourceMethod"
    },
    "airflow.api_fastapi.auth.managers.models.base_user": {_SERVER: "BaseUser"},
    "airflow.api_fastapi.auth.managers.models.resource_details": {
        _SERVER: (
            "AccessView AssetAliasDetails AssetDetails BackfillDetails ConfigurationDetails ConnectionDetails"
            " DagAccessEntity DagDetails PoolDetails TeamDetails VariableDetails"
        ),
    },
    "airflow.api_fastapi.auth.managers.simple.simple_auth_manager": {_SERVER: "SimpleAuthManager"},
    "airflow.api_fastapi.common.types": {"tradewind.compat.adapters.ui_alerts": "UIAlert"},
    "airflow.assets": {},
    "airflow.assets.manager": {_SERVER: "AssetManager asset_manager"},
    "airflow.callbacks.base_callback_sink": {_SERVER: "BaseCallbackSink"},
    "airflow.callbacks.callback_requests": {_SERVER: "CallbackRequest DagCallbackRequest TaskCallbackRequest"},
    "airflow.dag_processing.bundles.base": {
        "tradewind.compat.adapters.bundles": "BaseDagBundle BundleVersion",
    },
    "airflow.dag_processing.bundles.local": {"tradewind.compat.adapters.bundles": "LocalDagBundle"},
    "airflow.dag_processing.dagbag": {"tradewind.compat.adapters.dag_bag": "DagBag FileLoadStat"},
    "airflow.executors": {},
    "airflow.executors.base_executor": {_SERVER: "BaseExecutor EventBufferValueType ExecutorConf"},
    "airflow.executors.executor_constants": {"tradewind.compat.adapters.executor_names": "*"},
    "airflow.executors.executor_loader": {_SERVER: "ExecutorLoader"},
    "airflow.executors.local_executor": {_SERVER: "LocalExecutor"},
    "airflow.executors.workloads": {_SERVER: "All BaseWorkload ExecuteCallback ExecuteTask ExecutorWorkload"},
    "airflow.executors.workloads.base": {_SERVER: "WorkloadType"},
    "airflow.executors.workloads.types": {_SERVER: "TaskInstanceUuid WorkloadKey WorkloadState"},
    "airflow.jobs": {},
    "airflow.jobs.job": {_DATABASE: "Job", "tradewind.compat.adapters.job_state": "JobState"},
    "airflow.serialization": {},
    "airflow.serialization.definitions.dag": {_SERVER: "SerializedDAG"},
    "airflow.serialization.definitions.baseoperator": {_SERVER: "SerializedBaseOperator"},
    "airflow.serialization.definitions.mappedoperator": {_SERVER: "SerializedMappedOperator"},
    "airflow.serialization.definitions.notset": {"tradewind.sdk.notset": "ArgNotSet NOTSET is_arg_set"},
    "airflow.serialization.encoders": {_SERVER: "coerce_to_core_timetable encode_timetable"},
    "airflow.serialization.enums": {"tradewind.compat.adapters.serialization_words": "DagAttributeTypes Encoding"},
    "airflow.serialization.serde": {"tradewind.sdk.serde": "*"},
    "airflow.serialization.serialized_objects": {
        _SERVER: (
            "BaseSerialization DagSerialization LazyDeserializedDAG OperatorSerialization SerializedBaseOperator"
            " SerializedDAG create_scheduler_operator"
        ),
    },
    "airflow.ti_deps.deps.base_ti_dep": {_SERVER: "BaseTIDep"},
    "airflow.ti_deps.dep_context": {_SERVER: "DepContext"},
}

_REST: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow._shared": {},
    "airflow._shared.logging.remote": {
        "tradewind.compat.adapters.log_handlers": (
            "LogMessages LogResponse LogSourceInfo RawLogStream StreamingLogResponse"
        ),
    },
    "airflow._shared.module_loading": {"tradewind.sdk.module_loading": "*"},
    "airflow._shared.timezones.timezone": {"tradewind.sdk.timezone": "*"},
    "airflow.config_templates": {},
    "airflow.config_templates.airflow_local_settings": {
        "tradewind.compat.adapters.logging_config": "DEFAULT_LOGGING_CONFIG REMOTE_TASK_LOG",
    },
    "airflow.configuration": {
        "tradewind.sdk.configuration": "conf",
        "tradewind.sdk.exceptions": "AirflowConfigException",
        "tradewind.compat.adapters.settings": "AIRFLOW_CONFIG AIRFLOW_HOME get_airflow_config get_airflow_home",
        "tradewind.compat.adapters.configuration": (
            "AirflowConfigParser get getboolean getfloat getint getsection has_option"
        ),
    },
    "airflow.exceptions": {
        "tradewind.sdk.server_exceptions": (
            "AirflowBadRequest AirflowClearRunningTaskException AirflowClusterPolicyError AirflowClusterPolicySkipDag"
            " AirflowClusterPolicyViolation AirflowDagDuplicatedIdException AirflowFileParseException"
            " AirflowProviderDeprecationWarning AirflowUnsupportedFileTypeException ConnectionNotUnique DagCodeNotFound"
            " DagNotFound DagNotPartitionedError DagRunAlreadyExists DagRunNotFound DagRunTypeNotAllowed"
            " DeserializationError FileSyntaxError InvalidPartitionKeyError NotMapped PoolNotFound SerializationError"
            " TaskInstanceNotFound UnknownExecutorException VariableNotUnique"
        ),
        "tradewind.sdk.exceptions": (
            "AirflowConfigException AirflowException AirflowNotFoundException AirflowOptionalProviderFeatureException"
            " AirflowRescheduleException AirflowTimetableInvalid NodeNotFound ParamValidationError"
            " RemovedInAirflow4Warning TaskNotFound"
        ),
        "tradewind.compat.adapters.old_exceptions": (
            "AirflowInternalRuntimeError DeserializingResultError InvalidStatsNameException PodMutationHookException"
            " PodReconciliationError"
        ),
    },
    "airflow.listeners": {"tradewind.compat.adapters.listeners": "hookimpl"},
    "airflow.listeners.listener": {"tradewind.compat.adapters.listeners": "ListenerManager get_listener_manager"},
    "airflow.listeners.types": {"tradewind.compat.adapters.listeners": "AssetEvent"},
    "airflow.logging_config": {
        "tradewind.compat.adapters.logging_config": (
            "configure_logging get_default_remote_conn_id get_remote_task_log _ActiveLoggingConfig"
        ),
    },
    "airflow.observability": {},
    "airflow.observability.metrics": {},
    "airflow.observability.metrics.stats_utils": {_SERVER: "get_stats_factory"},
    "airflow.observability.stats": {"tradewind.sdk.stats": "Stats"},
    "airflow.plugins_manager": {
        "tradewind.compat.adapters.plugins": "AirflowPlugin AirflowPluginSource FastAPIAppDict ReactAppDict",
    },
    "airflow.policies": {"tradewind.compat.adapters.policies": "*"},
    "airflow.providers_manager": {"tradewind.compat.adapters.providers_manager": "ProvidersManager"},
    "airflow.secrets": {
        "tradewind.sdk.secrets_backend": "BaseSecretsBackend",
        "tradewind.compat.adapters.secrets": "DEFAULT_SECRETS_SEARCH_PATH",
    },
    "airflow.secrets.base_secrets": {"tradewind.sdk.secrets_backend": "BaseSecretsBackend"},
    "airflow.secrets.environment_variables": {
        "tradewind.sdk.secrets_backend": "EnvironmentVariablesBackend",
        "tradewind.compat.adapters.secrets": "CONN_ENV_PREFIX VAR_ENV_PREFIX",
    },
    "airflow.secrets.local_filesystem": {"tradewind.sdk.secrets_backend": "LocalFilesystemBackend"},
    "airflow.secrets.metastore": {_DATABASE: "MetastoreBackend"},
    "airflow.security": {},
    "airflow.security.kerberos": {"tradewind.compat.adapters.kerberos": "get_kerberos_principal renew_from_kt"},
    "airflow.security.permissions": {"tradewind.compat.adapters.permissions": "ACTION_CAN_READ *"},
    "airflow.security.utils": {
        "tradewind.compat.adapters.kerberos": (
            "get_components get_fqdn principal_from_username replace_hostname_pattern"
        ),
    },
    "airflow.settings": {"tradewind.compat.adapters.settings": "*"},
    "airflow.typing_compat": {"typing": "*", "typing_extensions": "*"},
    "airflow.version": {"tradewind.compat.version": "version"},
}

# Old paths whose names are spelled as Airflow 2 had them: `old_rows.py` says what to use instead.
_OLD_SPELLINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.decorators": {"tradewind.compat.adapters.dag": "dag"},
    "airflow.lineage": {"tradewind.compat.adapters.lineage_entities": "AUTO apply_lineage prepare_lineage"},
    "airflow.lineage.entities": {"tradewind.compat.adapters.lineage_entities": "Column File Table Tag User"},
    "airflow.operators.subdag": {"tradewind.compat.adapters.subdag": "SubDagOperator"},
    "airflow.operators.subdag_operator": {"tradewind.compat.adapters.subdag": "SubDagOperator"},
    "airflow.utils.decorators": {"tradewind.compat.adapters.defaults_decorator": "apply_defaults"},
    "airflow.utils.timezone": {"tradewind.compat.adapters.time_zones": "is_localized is_naive make_aware"},
}

CORE: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow": {
        "tradewind.compat.version": "__version__=version",
        "tradewind.compat.adapters.dag": "DAG",
        "tradewind.sdk.assets": "Asset",
        "tradewind.sdk.xcom_arg": "XComArg",
    },
    **_MODELS,
    **_TIMETABLES,
    **_UTILS,
    **_SERVER_SIDE,
    **_REST,
    **_OLD_SPELLINGS,
}
