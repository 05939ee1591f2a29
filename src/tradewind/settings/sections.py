"""What can be configured, section by section, with Airflow's names, units and defaults."""

import json
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from tradewind.settings.readers import (
    BOOLEAN,
    BUNDLES,
    DATABASE_URL,
    HTTP_NAMES,
    JSON_OBJECT,
    ORIGINS,
    PATTERN,
    READER,
    ROLE_MAPPING,
    SECRET,
    TEXT,
    THEME,
    TIME_ZONE,
    BundleSettings,
    port_number,
    seconds,
    whole_number,
    word,
)
from tradewind.settings.telemetry_sections import MetricsSettings, TracesSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreSettings:
    """`[core]`: the limits and defaults of every DAG."""

    executor: str = TEXT.option("LocalExecutor")  # its grammar: executors/registry.py
    parallelism: int = whole_number(1).option(32)
    max_active_tasks_per_dag: int = whole_number(1).option(16)
    max_active_runs_per_dag: int = whole_number(1).option(16)
    # 0: a DAG is never paused for failing.
    max_consecutive_failed_dag_runs_per_dag: int = whole_number(0).option(0)
    dags_are_paused_at_creation: bool = BOOLEAN.option(True)
    default_timezone: str = TIME_ZONE.option("UTC")
    max_map_length: int = whole_number(1).option(1024)
    default_task_retries: int = whole_number(0).option(0)
    default_task_retry_delay: float = seconds(zero=True).option(300.0)
    max_task_retry_delay: float = seconds().option(86_400.0)
    killed_task_cleanup_time: float = seconds(zero=True).option(60.0)  # until a task that shall stop is killed
    # -1: a pool without a limit.
    default_pool_task_slot_count: int = whole_number(-1).option(128)

    # What becomes of variables and connections: encrypted where they are stored, hidden where their name sounds secret.
    fernet_key: str = TEXT.secret("")  # several, the new one first, while they are being changed; none: no encryption
    hide_sensitive_var_conn_fields: bool = BOOLEAN.option(True)
    sensitive_var_conn_names: str = TEXT.option("")
    test_connection: str = word("disabled", "enabled", "hidden").option("disabled")  # by clients of the web server

    # Whoever asks from this machine is an administrator, without a password. For one's own machine only.
    simple_auth_manager_all_admins: bool = BOOLEAN.option(False)

    # Where workers ask for what tasks need, instead of the database. Empty: the database. See docs/execution-api.md.
    execution_api_server_url: str = TEXT.option("")

    # Where DAG files are, and how they are read. Empty: `dags` and `plugins` in the home folder.
    dags_folder: str = TEXT.option("")
    plugins_folder: str = TEXT.option("")
    dag_discovery_safe_mode: bool = BOOLEAN.option(True)
    dag_ignore_file_syntax: str = word("glob", "regexp").option("glob")
    dagbag_import_timeout: float = seconds(zero=True).option(30.0)  # 0: only the limit of the whole process
    dagbag_import_error_tracebacks: bool = BOOLEAN.option(True)
    dagbag_import_error_traceback_depth: int = whole_number(1).option(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSettings:
    """`[database]`: where the state is kept."""

    # No default: it lies in the home folder, which only the reader knows. It may hold a password.
    sql_alchemy_conn: str = field(repr=False, metadata={READER: DATABASE_URL, SECRET: True})
    sql_alchemy_pool_size: int = whole_number(1).option(5)
    # -1: as many connections as are asked for.
    sql_alchemy_max_overflow: int = whole_number(-1).option(10)
    sql_alchemy_pool_recycle: float = seconds().option(1800.0)
    sql_alchemy_pool_pre_ping: bool = BOOLEAN.option(True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerSettings:
    """`[scheduler]`: how often each duty runs, how much it takes at a time, when something counts as lost."""

    # How much.
    max_tis_per_query: int = whole_number(0).option(16)  # 0: as many as core.parallelism
    max_dagruns_to_create_per_loop: int = whole_number(1).option(10)
    max_dagruns_per_loop_to_schedule: int = whole_number(1).option(20)
    num_runs: int = whole_number(-1).option(-1)  # -1: loop until stopped
    only_idle: bool = BOOLEAN.option(False)  # count only idle loops towards num_runs
    num_stuck_in_queued_retries: int = whole_number(0).option(2)
    use_row_level_locking: bool = BOOLEAN.option(True)
    use_job_schedule: bool = BOOLEAN.option(True)  # False: no run is made by a timetable
    # Of Airflow 3.4. True: a run consumes all updates of assets that wait; False: one run for each, unless several
    # assets are needed together.
    batch_asset_events: bool = BOOLEAN.option(False)
    partition_mapper_max_downstream_keys: int = whole_number(1).option(1000)  # unless the mapper says otherwise

    # Whether somebody outside can ask it how it is: GET /health.
    enable_health_check: bool = BOOLEAN.option(False)
    scheduler_health_check_server_host: str = TEXT.option("0.0.0.0")
    scheduler_health_check_server_port: int = port_number().option(8974)

    # How often.
    scheduler_idle_sleep_time: float = seconds(zero=True).option(1.0)
    job_heartbeat_sec: float = seconds().option(5.0)
    orphaned_tasks_check_interval: float = seconds().option(300.0)
    task_instance_heartbeat_timeout_detection_interval: float = seconds().option(10.0)
    task_queued_timeout_check_interval: float = seconds().option(120.0)
    pool_metrics_interval: float = seconds().option(5.0)
    ti_metrics_interval: float = seconds().option(30.0)
    dagrun_metrics_interval: float = seconds().option(30.0)

    # When it counts as lost.
    scheduler_health_check_threshold: float = seconds().option(30.0)
    task_instance_heartbeat_sec: float = seconds(zero=True).option(0.0)  # 0: derived from the timeout
    task_instance_heartbeat_timeout: float = seconds().option(300.0)
    task_queued_timeout: float = seconds().option(600.0)

    # What a DAG that says nothing gets.
    allowed_run_id_pattern: str = PATTERN.option(r"^[A-Za-z0-9_.~:+-]+$")
    catchup_by_default: bool = BOOLEAN.option(False)
    create_cron_data_intervals: bool = BOOLEAN.option(False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DagProcessorSettings:
    """`[dag_processor]`: where DAG files come from, and how they are parsed.

    Files are parsed when they changed, so there is no `stale_dag_threshold`, and `min_file_process_interval` is how
    soon a file that failed, or that depends on the world outside, is parsed again. What happens is told by events, so
    there is no `print_stats_interval`.
    """

    # Where from.
    dag_bundle_config_list: tuple[BundleSettings, ...] = BUNDLES.option(
        (BundleSettings("dags-folder", "airflow.dag_processing.bundles.local.LocalDagBundle"),)
    )
    dag_bundle_storage_path: str = TEXT.option("")  # empty: `dag_bundles` in the home folder
    disable_bundle_versioning: bool = BOOLEAN.option(False)

    # How often.
    refresh_interval: float = seconds(zero=True).option(300.0)
    bundle_refresh_check_interval: float = seconds().option(5.0)
    min_file_process_interval: float = seconds(zero=True).option(30.0)
    stale_bundle_cleanup_interval: float = seconds(zero=True).option(1800.0)
    stale_bundle_cleanup_age_threshold: float = seconds(zero=True).option(21_600.0)
    stale_bundle_cleanup_min_versions: int = whole_number(0).option(10)
    health_check_threshold: float = seconds().option(30.0)

    # Tradewind's own, as those of the scheduler.
    enable_health_check: bool = BOOLEAN.option(False)
    health_check_server_host: str = TEXT.option("0.0.0.0")
    health_check_server_port: int = port_number().option(8975)

    # How much, and how long.
    parsing_processes: int = whole_number(1).option(2)
    file_parsing_sort_mode: str = word("modified_time", "random_seeded_by_host", "alphabetical").option("modified_time")
    max_callbacks_per_loop: int = whole_number(1).option(20)
    dag_file_processor_timeout: float = seconds().option(50.0)
    parsing_pre_import_modules: bool = BOOLEAN.option(True)
    dag_version_inflation_check_level: str = word("off", "warning", "error").option("warning")
    # Tradewind's own: the most memory that one file may take while it is parsed; 0: no limit.
    parsing_memory_limit_mb: int = whole_number(0).option(2048)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggingSettings:
    """`[logging]`: where the logs of tasks are kept.

    `logging_level` and `namespace_levels` are read where tasks run. How lines look is not configured: they are data.
    """

    base_log_folder: str = TEXT.option("")  # empty: `logs` in the home folder
    # Tradewind's own: the most that one try may log; 0: no limit.
    task_log_limit_mb: int = whole_number(0).option(100)

    # Copies that outlive the machine: any URL that fsspec knows, such as s3://bucket/logs.
    remote_logging: bool = BOOLEAN.option(False)
    remote_base_log_folder: str = TEXT.option("")
    remote_log_conn_id: str = TEXT.option("")
    delete_local_logs: bool = BOOLEAN.option(False)

    min_length_masked_secret: int = whole_number(1).option(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsSettings:
    """`[secrets]`: who is asked for variables and connections before the environment and the database.

    Nothing is kept in memory, so `use_cache` and `cache_ttl_seconds` have no effect.
    """

    backend: str = TEXT.option("")
    backend_kwargs: str = JSON_OBJECT.secret("")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkersSettings:
    """`[workers]`: what is different where tasks run."""

    secrets_backend: str = TEXT.option("")
    secrets_backend_kwargs: str = JSON_OBJECT.secret("")
    execution_api_timeout: float = seconds().option(5.0)  # for an answer of the Execution API

    # Tradewind's own. How many DAG files are kept imported, each in a process that forks its tasks, and for how long
    # after its last task; how much memory a task may use that does not say otherwise in `executor_config`, in MB, 0:
    # as much as there is; how long callbacks may run after the end of their task is stored; how long a worker without
    # work stays for the scheduler that may come back; whether schedulers start the worker of their machine themselves,
    # and whether that worker asks the Execution API, or the database as they do.
    max_warm_dag_files: int = whole_number(1).option(16)
    warm_dag_file_idle_time: float = seconds().option(600.0)
    max_memory_mb: int = whole_number(0).option(0)
    callback_timeout: float = seconds().option(300.0)
    idle_timeout: float = seconds().option(60.0)
    start_with_scheduler: bool = BOOLEAN.option(True)
    without_database: bool = BOOLEAN.option(False)

    # Tradewind's own, as those of the scheduler.
    enable_health_check: bool = BOOLEAN.option(False)
    health_check_server_host: str = TEXT.option("0.0.0.0")
    health_check_server_port: int = port_number().option(8977)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateStoreSettings:
    """`[state_store]`: what tasks remember from attempt to attempt.

    `clear_on_success` is read where tasks run, as is `max_value_storage_bytes` besides. What has expired goes when its
    task stores something else, with its run, and by `tradewind state-store clean`.
    """

    default_retention_days: int = whole_number(0).option(30)  # 0: for ever
    max_value_storage_bytes: int = whole_number(0).option(65_535)  # 0: no limit
    state_cleanup_batch_size: int = whole_number(0).option(0)  # 0: as many at once as is good

    @property
    def default_retention(self) -> timedelta:
        """How long a value is kept whose task does not say."""
        return timedelta(days=self.default_retention_days) if self.default_retention_days else timedelta.max


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTestSettings:
    """`[connection_test]`: connections that are tried out where tasks run, if `[core] test_connection` lets them."""

    timeout: int = whole_number(1).option(60)  # seconds
    max_concurrency: int = whole_number(1).option(4)
    reaper_interval: float = seconds().option(30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """`[api]`: the web server.

    `host` is not Airflow's: without a word from whoever runs it, the server is reached from this machine only.
    """

    # Where it listens, and as what it is known.
    host: str = TEXT.option("127.0.0.1")
    port: int = port_number(0).option(8080)
    base_url: str = TEXT.option("")
    workers: int = whole_number(1).option(1)
    proxy_headers: bool = BOOLEAN.option(False)  # Tradewind's own: as the flag of the command
    access_logfile: str = TEXT.option("")  # empty: no access log; -: the standard output
    ssl_cert: str = TEXT.option("")
    ssl_key: str = TEXT.option("")

    # Pages of others that may call it with a token of their own; never with the cookie of somebody who is logged in.
    access_control_allow_origins: tuple[str, ...] = ORIGINS.option(())
    access_control_allow_methods: tuple[str, ...] = HTTP_NAMES.option(())
    access_control_allow_headers: tuple[str, ...] = HTTP_NAMES.option(())

    # What it shows.
    instance_name: str = TEXT.option("")
    theme: str = THEME.option("")  # docs/plugin-views.md
    enable_swagger_ui: bool = BOOLEAN.option(True)
    expose_config: str = word("true", "false", "non-sensitive-only").option("false")
    maximum_page_limit: int = whole_number(1).option(100)
    fallback_page_limit: int = whole_number(1).option(50)

    # Tradewind's own: the longest request; longer ones are refused before they are read.
    max_request_body_mb: int = whole_number(1).option(10)

    @property
    def longest_body(self) -> int:
        """The same in bytes."""
        return self.max_request_body_mb * 1024 * 1024

    @property
    def url(self) -> str:
        """Where people on this machine find it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"{'https' if self.ssl_cert else 'http'}://{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiAuthSettings:
    """`[api_auth]`: tokens of the web server."""

    # Several, with commas between them, while they are being changed: the first signs, all are believed. Empty: a
    # random one, kept in the home folder.
    jwt_secret: str = TEXT.secret("")
    jwt_expiration_time: float = seconds().option(86_400.0)
    jwt_cli_expiration_time: float = seconds().option(3600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """`[oidc]`, Tradewind's own: people may log in with a provider of OpenID Connect, if `issuer` names one."""

    issuer: str = TEXT.option("")
    client_id: str = TEXT.option("")
    client_secret: str = TEXT.secret("")  # empty: the provider knows us without one
    provider_name: str = TEXT.option("")  # on the button; empty: the host of the issuer
    scopes: str = TEXT.option("openid profile email")

    # What a person is here. Names of claims; dots lead into objects, as in `realm_access.roles`.
    username_claim: str = TEXT.option("preferred_username")
    roles_claim: str = TEXT.option("")  # empty: roles are given here, and not by the provider
    role_mapping: str = ROLE_MAPPING.option("")  # empty: the provider calls roles as we do
    default_role: str = TEXT.option("")  # of who has none by the claim; empty: they are not let in
    allow_sign_up: bool = BOOLEAN.option(True)  # whether who was never here gets an account
    # Whether the first login takes over an account of that name that was made here. Only for providers whose users
    # cannot choose their names.
    link_by_name: bool = BOOLEAN.option(False)
    logout_at_provider: bool = BOOLEAN.option(True)  # whether who logs out here is logged out there, if it offers that

    @property
    def roles_by_claim(self) -> dict[str, frozenset[str]]:
        """By what the provider says: the roles that are meant."""
        mapping = json.loads(self.role_mapping) if self.role_mapping else {}
        return {said: frozenset(roles if isinstance(roles, list) else [roles]) for said, roles in mapping.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionApiSettings:
    """`[execution_api]`: tokens of attempts whose workers ask over HTTP."""

    # Never less than twice the time that the engine waits for a heartbeat, or that callbacks may take.
    jwt_expiration_time: float = seconds().option(600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbacksSettings:
    """`[callbacks]`: functions that are told of missed deadlines."""

    callback_execution_timeout: float = seconds(zero=True).option(0.0)  # 0: as `[workers] callback_timeout`


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggererSettings:
    """`[triggerer]`: who waits for what deferred tasks wait for."""

    capacity: int = whole_number(1).option(1000)
    job_heartbeat_sec: float = seconds().option(5.0)
    triggerer_health_check_threshold: float = seconds().option(30.0)  # after so long, others take over its triggers
    runner_health_check_threshold: float = seconds().option(30.0)  # after so long, its runner is started anew
    queues_enabled: bool = BOOLEAN.option(False)
    max_trigger_to_select_per_loop: int = whole_number(1).option(50)  # so that several take their part

    # Tradewind's own: a trigger that holds up others so often, within ten minutes, or for so long goes to quarantine.
    quarantine_after_blocks: int = whole_number(1).option(3)
    quarantine_after_seconds: float = seconds().option(5.0)

    # Tradewind's own, as those of the scheduler.
    enable_health_check: bool = BOOLEAN.option(False)
    health_check_server_host: str = TEXT.option("0.0.0.0")
    health_check_server_port: int = port_number().option(8976)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be configured, as it was when the process started."""

    home: Path
    database: DatabaseSettings
    core: CoreSettings = field(default_factory=CoreSettings)
    scheduler: SchedulerSettings = field(default_factory=SchedulerSettings)
    dag_processor: DagProcessorSettings = field(default_factory=DagProcessorSettings)
    logging: LoggingSettings = field(default_factory=LoggingSettings)
    secrets: SecretsSettings = field(default_factory=SecretsSettings)
    workers: WorkersSettings = field(default_factory=WorkersSettings)
    state_store: StateStoreSettings = field(default_factory=StateStoreSettings)
    connection_test: ConnectionTestSettings = field(default_factory=ConnectionTestSettings)
    api: ApiSettings = field(default_factory=ApiSettings)
    api_auth: ApiAuthSettings = field(default_factory=ApiAuthSettings)
    callbacks: CallbacksSettings = field(default_factory=CallbacksSettings)
    triggerer: TriggererSettings = field(default_factory=TriggererSettings)
    metrics: MetricsSettings = field(default_factory=MetricsSettings)
    traces: TracesSettings = field(default_factory=TracesSettings)
    execution_api: ExecutionApiSettings = field(default_factory=ExecutionApiSettings)
    oidc: OidcSettings = field(default_factory=OidcSettings)

    @property
    def dags_folder(self) -> Path:
        """Where DAG files are, unless a bundle says otherwise."""
        return self._folder(self.core.dags_folder, "dags")

    @property
    def plugins_folder(self) -> Path:
        """Modules that every DAG file may import."""
        return self._folder(self.core.plugins_folder, "plugins")

    @property
    def bundle_storage(self) -> Path:
        """Where bundles that are fetched from elsewhere are kept."""
        return self._folder(self.dag_processor.dag_bundle_storage_path, "dag_bundles")

    @property
    def log_folder(self) -> Path:
        """Where the logs of tasks are."""
        return self._folder(self.logging.base_log_folder, "logs")

    def _folder(self, given: str, name: str) -> Path:
        return (Path(given).expanduser() if given else self.home / name).absolute()
