"""The configuration, read once at start into frozen values.

For each option the first of these wins: `TRADEWIND__SECTION__KEY`, `AIRFLOW__SECTION__KEY`, the ini file, the
default. Names, units and defaults are Airflow's, so that an existing configuration keeps its meaning;
durations are float seconds. Options that Tradewind does not know are passed over, as in Airflow. An option that is a
secret may also be the output of a command, which `..._CMD` in the environment or `key_cmd` in the file says.

The file is the one given to `load_settings`, else `TRADEWIND_CONFIG`, else `tradewind.cfg` in
`TRADEWIND_HOME` (by default `~/tradewind`). A file that was asked for must exist; the one in the home folder
may be absent.
"""

import configparser
import dataclasses
import json
import math
import os
import re
import shlex
import subprocess
import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Final, Generic, TypeVar

from tradewind.errors import SettingsError

HOME_VARIABLE: Final = "TRADEWIND_HOME"
FILE_VARIABLE: Final = "TRADEWIND_CONFIG"
FILE_NAME: Final = "tradewind.cfg"
DATABASE_FILE_NAME: Final = "tradewind.db"
# The names win in this order.
ENVIRONMENT_PREFIXES: Final = ("TRADEWIND", "AIRFLOW")
OTHER_SECRETS: Final = frozenset(
    {
        ("api", "secret_key"),
        ("api_auth", "jwt_secret"),
        ("celery", "broker_url"),
        ("celery", "flower_basic_auth"),
        ("celery", "result_backend"),
        ("celery_broker_transport_options", "sentinel_kwargs"),
        ("celery_result_backend_transport_options", "sentinel_kwargs"),
        ("core", "asset_manager_kwargs"),
        ("database", "sql_alchemy_conn_async"),
        ("database", "sql_alchemy_engine_args"),
        ("logging", "remote_task_handler_kwargs"),
        ("sentry", "sentry_dsn"),
        ("smtp", "smtp_password"),
        ("webserver", "secret_key"),
    }
)
"""Secrets of a deployment that no section below has: user code must not find them in its environment either."""

Value = TypeVar("Value")
Section = TypeVar("Section")

_READER: Final = "reader"
_SECRET: Final = "secret"
_COMMAND: Final = "_cmd"
_FROM_BACKEND: Final = "_secret"
_TRUE: Final = frozenset({"1", "on", "t", "true", "yes"})
_FALSE: Final = frozenset({"0", "f", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class _Reader(Generic[Value]):
    """Turns the text of an option into its value, or raises ValueError; `expected` completes the message."""

    read: Callable[[str], Value]
    expected: str

    def option(self, default: Value) -> Value:
        """A field of a section that this reader reads."""
        return field(default=default, metadata={_READER: self})

    def secret(self, default: Value) -> Value:
        """The same for a secret: it is never shown."""
        return field(default=default, repr=False, metadata={_READER: self, _SECRET: True})


def _whole_number(minimum: int) -> _Reader[int]:
    def read(text: str) -> int:
        number = int(text)
        if number < minimum:
            raise ValueError(text)
        return number

    return _Reader(read, f"a whole number of at least {minimum}")


def _seconds(*, zero: bool = False) -> _Reader[float]:
    def read(text: str) -> float:
        seconds = float(text)
        if not math.isfinite(seconds) or seconds < 0 or (seconds == 0 and not zero):
            raise ValueError(text)
        return seconds

    return _Reader(read, "a number of seconds, " + ("0 or more" if zero else "more than 0"))


def _read_boolean(text: str) -> bool:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(text)
    return word in _TRUE


def _read_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(text) from error
    return text


def _read_time_zone(text: str) -> str:
    if text.lower() == "utc":
        return "UTC"
    try:
        return zoneinfo.ZoneInfo(text).key
    except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
        raise ValueError(text) from error


def _read_database_url(text: str) -> str:
    if not re.match(r"[a-z][a-z0-9+]*://", text):
        raise ValueError(text)
    return text


@dataclass(frozen=True, slots=True)
class BundleSettings:
    """One entry of `dag_bundle_config_list`: where DAG files come from."""

    name: str
    classpath: str
    kwargs: Mapping[str, object] = field(default_factory=dict)
    team_name: str | None = None


def _read_bundles(text: str) -> tuple[BundleSettings, ...]:
    entries = json.loads(text)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError(text)
    try:
        bundles = tuple(BundleSettings(**entry) for entry in entries)
    except TypeError as error:
        raise ValueError(text) from error
    texts: list[object] = [word for bundle in bundles for word in (bundle.name, bundle.classpath)]
    are_texts = all(isinstance(word, str) and word for word in texts)
    if not are_texts or len({bundle.name for bundle in bundles}) < len(bundles):
        raise ValueError(text)
    kwargs: list[object] = [bundle.kwargs for bundle in bundles]
    if not all(isinstance(each, dict) for each in kwargs):
        raise ValueError(text)
    return bundles


def _read_json_object(text: str) -> str:
    if text and not isinstance(json.loads(text), dict):
        raise ValueError(text)
    return text


def _word(*words: str) -> _Reader[str]:
    def read(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    return _Reader(read, "one of " + ", ".join(words))


_TEXT: Final = _Reader(str, "a text")
_BUNDLES: Final = _Reader(
    _read_bundles, 'a JSON list of {"name": ..., "classpath": ..., "kwargs": {...}}, each with a name of its own'
)
_JSON_OBJECT: Final = _Reader(_read_json_object, "a JSON object, or nothing")
_BOOLEAN: Final = _Reader(_read_boolean, "True or False")
_PATTERN: Final = _Reader(_read_pattern, "a regular expression")
_TIME_ZONE: Final = _Reader(_read_time_zone, "utc or an IANA time zone such as Europe/Amsterdam")
_DATABASE_URL: Final = _Reader(_read_database_url, "a URL such as postgresql+psycopg://user@host/database")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreSettings:
    """`[core]`: the limits and defaults of every DAG."""

    executor: str = _TEXT.option("LocalExecutor")  # its grammar: executors/registry.py
    parallelism: int = _whole_number(1).option(32)
    max_active_tasks_per_dag: int = _whole_number(1).option(16)
    max_active_runs_per_dag: int = _whole_number(1).option(16)
    # 0: a DAG is never paused for failing.
    max_consecutive_failed_dag_runs_per_dag: int = _whole_number(0).option(0)
    dags_are_paused_at_creation: bool = _BOOLEAN.option(True)
    default_timezone: str = _TIME_ZONE.option("UTC")
    max_map_length: int = _whole_number(1).option(1024)
    default_task_retries: int = _whole_number(0).option(0)
    default_task_retry_delay: float = _seconds(zero=True).option(300.0)
    max_task_retry_delay: float = _seconds().option(86_400.0)
    killed_task_cleanup_time: float = _seconds(zero=True).option(60.0)  # until a task that shall stop is killed
    # -1: a pool without a limit.
    default_pool_task_slot_count: int = _whole_number(-1).option(128)

    # What becomes of variables and connections: encrypted where they are stored, hidden where their name sounds secret.
    fernet_key: str = _TEXT.secret("")  # several, the new one first, while they are being changed; none: no encryption
    hide_sensitive_var_conn_fields: bool = _BOOLEAN.option(True)
    sensitive_var_conn_names: str = _TEXT.option("")

    # Where DAG files are, and how they are read. Empty: `dags` and `plugins` in the home folder.
    dags_folder: str = _TEXT.option("")
    plugins_folder: str = _TEXT.option("")
    dag_discovery_safe_mode: bool = _BOOLEAN.option(True)
    dag_ignore_file_syntax: str = _word("glob", "regexp").option("glob")
    dagbag_import_timeout: float = _seconds(zero=True).option(30.0)  # 0: only the limit of the whole process
    dagbag_import_error_tracebacks: bool = _BOOLEAN.option(True)
    dagbag_import_error_traceback_depth: int = _whole_number(1).option(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSettings:
    """`[database]`: where the state is kept."""

    # No default: it lies in the home folder, which only the reader knows. It may hold a password.
    sql_alchemy_conn: str = field(repr=False, metadata={_READER: _DATABASE_URL, _SECRET: True})
    sql_alchemy_pool_size: int = _whole_number(1).option(5)
    # -1: as many connections as are asked for.
    sql_alchemy_max_overflow: int = _whole_number(-1).option(10)
    sql_alchemy_pool_recycle: float = _seconds().option(1800.0)
    sql_alchemy_pool_pre_ping: bool = _BOOLEAN.option(True)
    max_db_retries: int = _whole_number(1).option(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerSettings:
    """`[scheduler]`: how often each duty runs, how much it takes at a time, when something counts as lost."""

    # How much.
    max_tis_per_query: int = _whole_number(0).option(16)  # 0: as many as core.parallelism
    max_dagruns_to_create_per_loop: int = _whole_number(1).option(10)
    max_dagruns_per_loop_to_schedule: int = _whole_number(1).option(20)
    num_runs: int = _whole_number(-1).option(-1)  # -1: loop until stopped
    only_idle: bool = _BOOLEAN.option(False)  # count only idle loops towards num_runs
    num_stuck_in_queued_retries: int = _whole_number(0).option(2)
    use_row_level_locking: bool = _BOOLEAN.option(True)
    use_job_schedule: bool = _BOOLEAN.option(True)  # False: no run is made by a timetable

    # How often.
    scheduler_idle_sleep_time: float = _seconds(zero=True).option(1.0)
    scheduler_heartbeat_sec: float = _seconds().option(5.0)
    job_heartbeat_sec: float = _seconds().option(5.0)
    orphaned_tasks_check_interval: float = _seconds().option(300.0)
    task_instance_heartbeat_timeout_detection_interval: float = _seconds().option(10.0)
    task_queued_timeout_check_interval: float = _seconds().option(120.0)
    trigger_timeout_check_interval: float = _seconds().option(15.0)
    parsing_cleanup_interval: float = _seconds().option(60.0)
    pool_metrics_interval: float = _seconds().option(5.0)
    ti_metrics_interval: float = _seconds().option(30.0)
    dagrun_metrics_interval: float = _seconds().option(30.0)

    # When it counts as lost.
    scheduler_health_check_threshold: float = _seconds().option(30.0)
    task_instance_heartbeat_sec: float = _seconds(zero=True).option(0.0)  # 0: derived from the timeout
    task_instance_heartbeat_timeout: float = _seconds().option(300.0)
    task_queued_timeout: float = _seconds().option(600.0)

    # What a DAG that says nothing gets.
    allowed_run_id_pattern: str = _PATTERN.option(r"^[A-Za-z0-9_.~:+-]+$")
    catchup_by_default: bool = _BOOLEAN.option(False)
    create_cron_data_intervals: bool = _BOOLEAN.option(False)
    create_delta_data_intervals: bool = _BOOLEAN.option(False)
    ignore_first_depends_on_past_by_default: bool = _BOOLEAN.option(True)


@dataclass(frozen=True, slots=True, kw_only=True)
class DagProcessorSettings:
    """`[dag_processor]`: where DAG files come from, and how they are parsed.

    Files are parsed when they changed, so `stale_dag_threshold` has no effect, and `min_file_process_interval` is how
    soon a file that failed, or that depends on the world outside, is parsed again. Neither has `print_stats_interval`:
    what happens is told by events.
    """

    # Where from.
    dag_bundle_config_list: tuple[BundleSettings, ...] = _BUNDLES.option(
        (BundleSettings("dags-folder", "airflow.dag_processing.bundles.local.LocalDagBundle"),)
    )
    dag_bundle_storage_path: str = _TEXT.option("")  # empty: `dag_bundles` in the home folder
    disable_bundle_versioning: bool = _BOOLEAN.option(False)

    # How often.
    refresh_interval: float = _seconds(zero=True).option(300.0)
    bundle_refresh_check_interval: float = _seconds().option(5.0)
    min_file_process_interval: float = _seconds(zero=True).option(30.0)
    stale_dag_threshold: float = _seconds(zero=True).option(50.0)
    print_stats_interval: float = _seconds(zero=True).option(30.0)
    stale_bundle_cleanup_interval: float = _seconds(zero=True).option(1800.0)
    stale_bundle_cleanup_age_threshold: float = _seconds(zero=True).option(21_600.0)
    stale_bundle_cleanup_min_versions: int = _whole_number(0).option(10)
    health_check_threshold: float = _seconds().option(30.0)

    # How much, and how long.
    parsing_processes: int = _whole_number(1).option(2)
    file_parsing_sort_mode: str = _word("modified_time", "random_seeded_by_host", "alphabetical").option(
        "modified_time"
    )
    max_callbacks_per_loop: int = _whole_number(1).option(20)
    dag_file_processor_timeout: float = _seconds().option(50.0)
    parsing_pre_import_modules: bool = _BOOLEAN.option(True)
    dag_version_inflation_check_level: str = _word("off", "warning", "error").option("warning")
    # Tradewind's own: the most memory that one file may take while it is parsed; 0: no limit.
    parsing_memory_limit_mb: int = _whole_number(0).option(2048)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggingSettings:
    """`[logging]`: where the logs of tasks are kept.

    `logging_level` and `namespace_levels` are read where tasks run. How lines look is not configured: they are data.
    """

    base_log_folder: str = _TEXT.option("")  # empty: `logs` in the home folder
    # Tradewind's own: the most that one try may log; 0: no limit.
    task_log_limit_mb: int = _whole_number(0).option(100)

    # Copies that outlive the machine: any URL that fsspec knows, such as s3://bucket/logs.
    remote_logging: bool = _BOOLEAN.option(False)
    remote_base_log_folder: str = _TEXT.option("")
    remote_log_conn_id: str = _TEXT.option("")
    delete_local_logs: bool = _BOOLEAN.option(False)

    min_length_masked_secret: int = _whole_number(1).option(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsSettings:
    """`[secrets]`: who is asked for variables and connections before the environment and the database.

    Nothing is kept in memory, so `use_cache` and `cache_ttl_seconds` have no effect.
    """

    backend: str = _TEXT.option("")
    backend_kwargs: str = _JSON_OBJECT.secret("")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkersSettings:
    """`[workers]`: what is different where tasks run."""

    secrets_backend: str = _TEXT.option("")
    secrets_backend_kwargs: str = _JSON_OBJECT.secret("")

    # Tradewind's own. How many DAG files are kept imported, each in a process that forks its tasks, and for how long
    # after its last task; how much memory a task may use that does not say otherwise in `executor_config`, in MB, 0:
    # as much as there is; how long callbacks may run after the end of their task is stored; how long a worker without
    # work stays for the scheduler that may come back.
    max_warm_dag_files: int = _whole_number(1).option(16)
    warm_dag_file_idle_time: float = _seconds().option(600.0)
    max_memory_mb: int = _whole_number(0).option(0)
    callback_timeout: float = _seconds().option(300.0)
    idle_timeout: float = _seconds().option(60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateStoreSettings:
    """`[state_store]`: what tasks remember from attempt to attempt.

    `clear_on_success` and `max_value_storage_bytes` are read where tasks run. What has expired goes when its task
    stores something else, and with its run, so `state_cleanup_batch_size` has no effect.
    """

    default_retention_days: int = _whole_number(0).option(30)  # 0: for ever

    @property
    def default_retention(self) -> timedelta:
        """How long a value is kept whose task does not say."""
        return timedelta(days=self.default_retention_days) if self.default_retention_days else timedelta.max


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


def load_settings(environ: Mapping[str, str] | None = None, file: Path | None = None) -> Settings:
    """Read the configuration.

    Args:
        environ: the environment; that of the process if none is given.
        file: the ini file; see the module for where it is looked for if none is given.

    Raises:
        SettingsError: a value is wrong (section, key, value and what is expected are named), or the file
            cannot be read.
    """
    environ = os.environ if environ is None else environ
    home = Path(environ.get(HOME_VARIABLE) or "~/tradewind").expanduser()
    source = _Source(environ, _read_file(environ, home, file))
    default_url = f"sqlite:///{(home / DATABASE_FILE_NAME).absolute()}"
    return Settings(
        home=home,
        core=_load_section(CoreSettings(), "core", source),
        database=_load_section(DatabaseSettings(sql_alchemy_conn=default_url), "database", source),
        scheduler=_load_section(SchedulerSettings(), "scheduler", source),
        dag_processor=_load_section(DagProcessorSettings(), "dag_processor", source),
        logging=_load_section(LoggingSettings(), "logging", source),
        secrets=_load_section(SecretsSettings(), "secrets", source),
        workers=_load_section(WorkersSettings(), "workers", source),
        state_store=_load_section(StateStoreSettings(), "state_store", source),
    )


def environment_without_secrets(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a process that runs user code: without the options that hold secrets.

    Airflow also lets a command or a secrets backend say them, in variables with `_CMD` and `_SECRET` at the end.
    """
    environ = os.environ if environ is None else environ
    return {name: value for name, value in environ.items() if name.upper() not in _secret_variables()}


@cache
def _secret_variables() -> frozenset[str]:
    known = {
        (section.name, option.name)
        for section in dataclasses.fields(Settings)
        if dataclasses.is_dataclass(section.type)
        for option in dataclasses.fields(section.type)
        if option.metadata.get(_SECRET)
    }
    return frozenset(
        f"{prefix}__{section}__{key}{suffix}".upper()
        for prefix in ENVIRONMENT_PREFIXES
        for section, key in known | OTHER_SECRETS
        for suffix in ("", _COMMAND, _FROM_BACKEND)
    )


@dataclass(frozen=True, slots=True)
class _Source:
    """The texts that the user wrote, and where."""

    environ: Mapping[str, str]
    file: configparser.ConfigParser

    def find(self, section: str, key: str, *, is_secret: bool = False) -> tuple[str, str] | None:
        """The text of an option and the place it comes from, or nothing where it keeps its default."""
        for prefix in ENVIRONMENT_PREFIXES:
            variable = f"{prefix}__{section}__{key}".upper()
            if variable in self.environ:
                return self.environ[variable].strip(), variable
            if is_secret and (found := _indirect(variable, self.environ.get, variable, str.upper)):
                return found
        if self.file.has_option(section, key):
            return self.file.get(section, key).strip(), "the configuration file"
        if is_secret and self.file.has_section(section):
            return _indirect(key, self.file[section].get, f"[{section}] {key}", str)
        return None


def _indirect(
    name: str, get: Callable[[str], str | None], shown: str, spell: Callable[[str], str]
) -> tuple[str, str] | None:
    """A secret that is the output of a command."""
    command = get(name + spell(_COMMAND))
    if command is not None:
        place = shown + spell(_COMMAND)
        return _output_of(command, place), place
    if get(name + spell(_FROM_BACKEND)) is not None:
        # To go on with the default, an empty database for example, would be worse than to stop.
        raise SettingsError(
            f"{shown}{spell(_FROM_BACKEND)} cannot be used: the services read no option from a secrets backend;"
            f" let {shown}{spell(_COMMAND)} be a command that does"
        )
    return None


def _output_of(command: str, place: str) -> str:
    try:
        return subprocess.run(shlex.split(command), capture_output=True, text=True, check=True).stdout.strip()
    except subprocess.CalledProcessError as error:
        # Neither the command nor what it printed: either may hold a secret.
        raise SettingsError(f"the command of {place} ended with exit code {error.returncode}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SettingsError(f"the command of {place} cannot be run: {reason}") from None


def _load_section(defaults: Section, name: str, source: _Source) -> Section:
    found: dict[str, object] = {}
    for option in dataclasses.fields(defaults):  # type: ignore[arg-type] # every Section is a dataclass
        written = source.find(name, option.name, is_secret=bool(option.metadata.get(_SECRET)))
        if written is not None:
            found[option.name] = _read_option(name, option, *written)
    return dataclasses.replace(defaults, **found)  # type: ignore[type-var]


def _read_option(section: str, option: "dataclasses.Field[object]", text: str, place: str) -> object:
    reader: _Reader[object] = option.metadata[_READER]
    try:
        return reader.read(text)
    except ValueError:
        shown = "(hidden)" if option.metadata.get(_SECRET) else repr(text)
        message = f"[{section}] {option.name} is {shown} in {place}; expected {reader.expected}"
        # The cause would say no more, and would print a secret.
        raise SettingsError(message) from None


def _read_file(environ: Mapping[str, str], home: Path, file: Path | None) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    named = file or (Path(environ[FILE_VARIABLE]).expanduser() if environ.get(FILE_VARIABLE) else None)
    path = named or home / FILE_NAME
    if named is None and not path.exists():
        return parser
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=str(path))
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise SettingsError(f"cannot read the configuration file {path}: {error}") from error
    return parser
