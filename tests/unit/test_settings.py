"""The configuration: Airflow's names and defaults, one order of precedence, errors that help (B6)."""

import dataclasses
import json
from datetime import timedelta
from pathlib import Path

import pytest

from tradewind.configuration import sources
from tradewind.errors import SettingsError
from tradewind.settings import (
    BundleSettings,
    CoreSettings,
    DagProcessorSettings,
    SchedulerSettings,
    Settings,
    environment_without_secrets,
    load_settings,
)


def load(tmp_path: Path, file: str | None = None, **environ: str) -> Settings:
    """Settings of an empty home folder, with an ini file there if one is given."""
    if file is not None:
        (tmp_path / "tradewind.cfg").write_text(file, encoding="utf-8")
    return load_settings({"TRADEWIND_HOME": str(tmp_path), **environ})


@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("max_dagruns_to_create_per_loop", 10),
        ("max_dagruns_per_loop_to_schedule", 20),
        ("use_row_level_locking", True),
        ("pool_metrics_interval", 5.0),
        ("orphaned_tasks_check_interval", 300.0),
        ("scheduler_health_check_threshold", 30.0),
        ("max_tis_per_query", 16),
        ("scheduler_idle_sleep_time", 1.0),
        ("job_heartbeat_sec", 5.0),
        ("task_instance_heartbeat_timeout", 300.0),
        ("task_instance_heartbeat_timeout_detection_interval", 10.0),
        ("task_queued_timeout", 600.0),
        ("task_queued_timeout_check_interval", 120.0),
        ("num_stuck_in_queued_retries", 2),
        ("num_runs", -1),
        ("use_job_schedule", True),
        ("catchup_by_default", False),
        ("create_cron_data_intervals", False),
        ("allowed_run_id_pattern", "^[A-Za-z0-9_.~:+-]+$"),
    ],
)
def test_scheduler_option_has_the_default_of_airflow(tmp_path: Path, key: str, default: object) -> None:
    """B6: the tunables have Airflow's names and defaults."""
    assert getattr(load(tmp_path).scheduler, key) == default


@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("parallelism", 32),
        ("max_active_tasks_per_dag", 16),
        ("max_active_runs_per_dag", 16),
        ("dags_are_paused_at_creation", True),
        ("default_timezone", "UTC"),
        ("max_map_length", 1024),
        ("default_task_retries", 0),
        ("default_task_retry_delay", 300.0),
        ("max_task_retry_delay", 86_400.0),
        ("dag_discovery_safe_mode", True),
        ("dag_ignore_file_syntax", "glob"),
        ("dagbag_import_timeout", 30.0),
        ("dagbag_import_error_tracebacks", True),
        ("dagbag_import_error_traceback_depth", 2),
    ],
)
def test_core_option_has_the_default_of_airflow(tmp_path: Path, key: str, default: object) -> None:
    """B6: parallelism and the limits of a DAG have Airflow's names and defaults."""
    assert getattr(load(tmp_path).core, key) == default


@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("bundle_refresh_check_interval", 5.0),
        ("dag_file_processor_timeout", 50.0),
        ("dag_version_inflation_check_level", "warning"),
        ("disable_bundle_versioning", False),
        ("file_parsing_sort_mode", "modified_time"),
        ("health_check_threshold", 30.0),
        ("max_callbacks_per_loop", 20),
        ("min_file_process_interval", 30.0),
        ("parsing_pre_import_modules", True),
        ("parsing_processes", 2),
        ("refresh_interval", 300.0),
        ("stale_bundle_cleanup_age_threshold", 21_600.0),
        ("stale_bundle_cleanup_interval", 1800.0),
        ("stale_bundle_cleanup_min_versions", 10),
    ],
)
def test_dag_processor_option_has_the_default_of_airflow(tmp_path: Path, key: str, default: object) -> None:
    """A5: the tunables of the DAG processor have Airflow's names and defaults."""
    assert getattr(load(tmp_path).dag_processor, key) == default


def test_dag_files_are_looked_for_in_the_home_folder_unless_told_otherwise(tmp_path: Path) -> None:
    settings = load(tmp_path)
    elsewhere = load(tmp_path, AIRFLOW__CORE__DAGS_FOLDER="/srv/dags", AIRFLOW__CORE__PLUGINS_FOLDER="/srv/plugins")

    assert (settings.dags_folder, settings.plugins_folder) == (tmp_path / "dags", tmp_path / "plugins")
    assert settings.bundle_storage == tmp_path / "dag_bundles"
    assert (elsewhere.dags_folder, elsewhere.plugins_folder) == (Path("/srv/dags"), Path("/srv/plugins"))


def test_bundles_are_read_as_airflow_writes_them(tmp_path: Path) -> None:
    """D6: the list of bundles may span lines in the file, as in Airflow's own documentation."""
    file = """[dag_processor]
dag_bundle_config_list = [
      {
        "name": "my-git-repo",
        "classpath": "airflow.providers.git.bundles.git.GitDagBundle",
        "kwargs": {"subdir": "dags", "tracking_ref": "main", "refresh_interval": 0}
      }
    ]
"""
    kwargs = {"subdir": "dags", "tracking_ref": "main", "refresh_interval": 0}

    (bundle,) = load(tmp_path, file).dag_processor.dag_bundle_config_list

    assert bundle == BundleSettings("my-git-repo", "airflow.providers.git.bundles.git.GitDagBundle", kwargs)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[1]",
        "not JSON",
        '[{"name": "a"}]',
        '[{"name": "", "classpath": "x"}]',
        '[{"name": "a", "classpath": "x", "kwargs": []}]',
        '[{"name": "a", "classpath": "x", "colour": "red"}]',
        '[{"name": "a", "classpath": "x"}, {"name": "a", "classpath": "y"}]',
    ],
)
def test_a_wrong_list_of_bundles_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=r"dag_bundle_config_list is .* expected a JSON list"):
        load(tmp_path, AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST=text)


def test_user_code_is_not_told_how_to_reach_the_database() -> None:
    environ = {
        "PATH": "/bin",
        "AIRFLOW__CORE__PARALLELISM": "3",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": "mysql://user:hunter2@host/db",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD": "cat /secret",
        "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": "mysql://user:hunter2@host/db",
    }

    assert environment_without_secrets(environ) == {"PATH": "/bin", "AIRFLOW__CORE__PARALLELISM": "3"}


@pytest.mark.parametrize(
    "option",
    [
        "API__SECRET_KEY",
        "API_AUTH__JWT_SECRET",
        "CELERY__BROKER_URL",
        "CELERY__RESULT_BACKEND",
        "CORE__FERNET_KEY",
        "SECRETS__BACKEND_KWARGS",
        "SMTP__SMTP_PASSWORD",
        "WORKERS__SECRETS_BACKEND_KWARGS",
    ],
)
@pytest.mark.parametrize("prefix", ["TRADEWIND", "AIRFLOW"])
@pytest.mark.parametrize("suffix", ["", "_CMD", "_SECRET"])
def test_user_code_is_told_no_secret_of_the_deployment(prefix: str, option: str, suffix: str) -> None:
    """D3: a task gets what it asks for, and nothing that belongs to the deployment."""
    assert environment_without_secrets({f"{prefix}__{option}{suffix}": "hunter2", "PATH": "/bin"}) == {"PATH": "/bin"}


def test_every_option_that_airflow_calls_sensitive_is_kept_from_user_code() -> None:
    shipped = json.loads(Path(sources.__file__).with_name("defaults.json").read_text(encoding="utf-8"))
    environ = {f"AIRFLOW__{section}__{key}".upper(): "x" for section, key in shipped["sensitive"]}

    assert environment_without_secrets(environ) == {}


def test_secrets_stay_out_of_the_representation_and_of_errors(tmp_path: Path) -> None:
    settings = load(tmp_path, AIRFLOW__CORE__FERNET_KEY="hunter2", AIRFLOW__SECRETS__BACKEND_KWARGS='{"a": "hunter3"}')

    assert settings.core.fernet_key == "hunter2"
    assert "hunter" not in repr(settings)
    with pytest.raises(SettingsError, match=r"backend_kwargs is \(hidden\) .* expected a JSON object") as caught:
        load(tmp_path, AIRFLOW__SECRETS__BACKEND_KWARGS='["hunter2"]')
    assert "hunter2" not in str(caught.value)


def test_secret_may_be_what_a_command_prints(tmp_path: Path) -> None:
    assert load(tmp_path, AIRFLOW__CORE__FERNET_KEY_CMD="echo 'of a command'").core.fernet_key == "of a command"
    assert load(tmp_path, "[core]\nfernet_key_cmd = echo from the file\n").core.fernet_key == "from the file"
    assert load(tmp_path, "[core]\nfernet_key_cmd = false\n", AIRFLOW__CORE__FERNET_KEY="x").core.fernet_key == "x"


@pytest.mark.parametrize(
    ("command", "problem"),
    [("false hunter2", "ended with exit code 1"), ("/no/such/program hunter2", "cannot be run: No such file")],
)
def test_command_that_fails_stops_the_start_without_being_shown(tmp_path: Path, command: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=rf"the command of AIRFLOW__CORE__FERNET_KEY_CMD {problem}") as caught:
        load(tmp_path, AIRFLOW__CORE__FERNET_KEY_CMD=command)

    assert "hunter2" not in str(caught.value)


class Backend:
    """A secrets backend that knows its own arguments."""

    def __init__(self, **arguments: str) -> None:
        self.arguments = arguments

    def get_config(self, key: str) -> str | None:
        return self.arguments.get(key)


BACKEND = {
    "AIRFLOW__SECRETS__BACKEND": f"{__name__}.Backend",
    "AIRFLOW__SECRETS__BACKEND_KWARGS": '{"path/in/vault": "sqlite:///x.db", "key": "hunter2"}',
}


def test_secret_may_be_kept_in_a_backend(tmp_path: Path) -> None:
    """D6: `_SECRET` and `_secret` name an option in the secrets backend."""
    settings = load(
        tmp_path,
        "[database]\nsql_alchemy_conn_secret = path/in/vault\n",
        AIRFLOW__CORE__FERNET_KEY_SECRET="key",
        **BACKEND,
    )

    assert settings.database.sql_alchemy_conn == "sqlite:///x.db"
    assert settings.core.fernet_key == "hunter2"


@pytest.mark.parametrize(
    ("environ", "problem"),
    [
        ({}, r"the secret 'no/such' of an option can only be read with a \[secrets\] backend"),
        (
            {"AIRFLOW__SECRETS__BACKEND": "no.such.Backend"},
            r"'no.such.Backend' cannot be asked for an option: No module",
        ),
        (BACKEND, r"Backend' has no option 'no/such'"),
    ],
)
def test_secret_that_no_backend_has_stops_the_start(tmp_path: Path, environ: dict[str, str], problem: str) -> None:
    """The default would be another database."""
    with pytest.raises(SettingsError, match=problem) as caught:
        load(tmp_path, "[database]\nsql_alchemy_conn_secret = no/such\n", **environ)

    assert "hunter2" not in str(caught.value)


def test_loaded_defaults_are_the_defaults_of_the_sections(tmp_path: Path) -> None:
    settings = load(tmp_path)

    assert settings.core == CoreSettings()
    assert settings.scheduler == SchedulerSettings()
    assert settings.dag_processor == DagProcessorSettings()


def test_database_is_sqlite_in_the_home_folder_by_default(tmp_path: Path) -> None:
    """D7: SQLite by default."""
    assert load(tmp_path).database.sql_alchemy_conn == f"sqlite:///{tmp_path}/tradewind.db"


def test_variable_of_airflow_is_honoured(tmp_path: Path) -> None:
    """B6: Airflow's environment variables keep their meaning."""
    assert load(tmp_path, AIRFLOW__CORE__PARALLELISM="7").core.parallelism == 7


def test_variable_of_tradewind_wins_over_that_of_airflow(tmp_path: Path) -> None:
    settings = load(tmp_path, TRADEWIND__CORE__PARALLELISM="9", AIRFLOW__CORE__PARALLELISM="7")

    assert settings.core.parallelism == 9


def test_variable_wins_over_the_file(tmp_path: Path) -> None:
    settings = load(tmp_path, "[core]\nparallelism = 5\n", AIRFLOW__CORE__PARALLELISM="7")

    assert settings.core.parallelism == 7


def test_file_wins_over_the_default(tmp_path: Path) -> None:
    file = "[core]\nparallelism = 5\n\n[scheduler]\ntask_queued_timeout = 12.5\nunknown_option = 1\n"

    settings = load(tmp_path, file)

    assert settings.core.parallelism == 5
    assert settings.scheduler.task_queued_timeout == 12.5


def test_file_may_be_named_by_a_variable(tmp_path: Path) -> None:
    named = tmp_path / "other.cfg"
    named.write_text("[core]\nparallelism = 6\n", encoding="utf-8")

    assert load(tmp_path, TRADEWIND_CONFIG=str(named)).core.parallelism == 6


def test_file_given_by_the_caller_wins_over_the_variable(tmp_path: Path) -> None:
    given = tmp_path / "given.cfg"
    given.write_text("[core]\nparallelism = 6\n", encoding="utf-8")

    assert load_settings({"TRADEWIND_CONFIG": "/nowhere.cfg"}, given).core.parallelism == 6


def test_percent_sign_in_the_file_is_taken_literally(tmp_path: Path) -> None:
    settings = load(tmp_path, "[database]\nsql_alchemy_conn = mysql+pymysql://user:a%40b@host/db\n")

    assert settings.database.sql_alchemy_conn == "mysql+pymysql://user:a%40b@host/db"


@pytest.mark.parametrize("text", ["True", "true", "t", "1", "yes", "on"])
def test_words_for_true(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT=text).scheduler.catchup_by_default is True


@pytest.mark.parametrize("text", ["False", "false", "f", "0", "no", "off"])
def test_words_for_false(tmp_path: Path, text: str) -> None:
    settings = load(tmp_path, AIRFLOW__SCHEDULER__USE_ROW_LEVEL_LOCKING=text)

    assert settings.scheduler.use_row_level_locking is False


@pytest.mark.parametrize(
    ("section", "key", "value", "expected"),
    [
        ("core", "parallelism", "many", "a whole number of at least 1"),
        ("core", "parallelism", "0", "a whole number of at least 1"),
        ("core", "parallelism", "", "a whole number of at least 1"),
        ("core", "parallelism", "1.5", "a whole number of at least 1"),
        ("core", "dags_are_paused_at_creation", "maybe", "True or False"),
        ("core", "default_timezone", "Mars/Olympus", "utc or an IANA time zone such as Europe/Amsterdam"),
        ("scheduler", "task_queued_timeout", "-1", "a number of seconds, more than 0"),
        ("scheduler", "task_queued_timeout", "nan", "a number of seconds, more than 0"),
        ("scheduler", "pool_metrics_interval", "inf", "a number of seconds, more than 0"),
        ("scheduler", "scheduler_idle_sleep_time", "-0.5", "a number of seconds, 0 or more"),
        ("scheduler", "allowed_run_id_pattern", "[", "a regular expression"),
        ("core", "dag_ignore_file_syntax", "tar", "one of glob, regexp"),
        ("dag_processor", "dag_version_inflation_check_level", "loud", "one of off, warning, error"),
        (
            *("api", "access_control_allow_origins", "*"),
            "origins such as https://dash.example.org, with commas between them",
        ),
        ("api", "access_control_allow_methods", "GET POST", "names as HTTP has them, with commas between them, or *"),
        ("api", "port", "65536", "the number of a port: 0 to 65535"),
        ("metrics", "statsd_port", "0", "the number of a port: 1 to 65535"),
    ],
)
def test_wrong_value_is_named_with_what_is_expected(
    tmp_path: Path, section: str, key: str, value: str, expected: str
) -> None:
    """B6: a wrong tunable stops the start and says which one, where, and what would be right."""
    variable = f"AIRFLOW__{section}__{key}".upper()

    with pytest.raises(SettingsError) as caught:
        load(tmp_path, **{variable: value})

    assert str(caught.value) == f"[{section}] {key} is {value!r} in {variable}; expected {expected}"


def test_origins_of_pages_are_read_as_airflow_writes_them(tmp_path: Path) -> None:
    api = load(
        tmp_path,
        AIRFLOW__API__ACCESS_CONTROL_ALLOW_ORIGINS="https://a.example.org, http://[::1]:3000",
        AIRFLOW__API__ACCESS_CONTROL_ALLOW_METHODS="POST,GET",
        AIRFLOW__API__ACCESS_CONTROL_ALLOW_HEADERS="*",
    ).api

    assert api.access_control_allow_origins == ("https://a.example.org", "http://[::1]:3000")
    assert api.access_control_allow_methods == ("POST", "GET")
    assert api.access_control_allow_headers == ("*",)


def test_wrong_value_in_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"\[core\] parallelism is 'x' in .*tradewind\.cfg"):
        load(tmp_path, "[core]\nparallelism = x\n")


def test_wrong_database_url_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"sql_alchemy_conn is \(hidden\)") as caught:
        load(tmp_path, AIRFLOW__DATABASE__SQL_ALCHEMY_CONN="user:hunter2@host")

    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_database_url_stays_out_of_the_representation(tmp_path: Path) -> None:
    settings = load(tmp_path, AIRFLOW__DATABASE__SQL_ALCHEMY_CONN="postgresql://user:hunter2@host/db")

    assert "hunter2" not in repr(settings)


def test_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot read the configuration file .*missing\.cfg"):
        load_settings({}, tmp_path / "missing.cfg")


def test_file_that_is_no_ini_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read the configuration file"):
        load(tmp_path, "parallelism: 3\n")


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = load(tmp_path)

    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.core.parallelism = 1  # type: ignore[misc]


def test_time_zone_is_kept_by_its_name(tmp_path: Path) -> None:
    assert load(tmp_path, AIRFLOW__CORE__DEFAULT_TIMEZONE="Europe/Amsterdam").core.default_timezone == (
        "Europe/Amsterdam"
    )


@pytest.mark.parametrize(
    ("text", "expected"), [("", timedelta(days=30)), ("7", timedelta(days=7)), ("0", timedelta.max)]
)
def test_what_tasks_remember_is_kept_for_days_or_for_ever(tmp_path: Path, text: str, expected: timedelta) -> None:
    given = {"AIRFLOW__STATE_STORE__DEFAULT_RETENTION_DAYS": text} if text else {}

    assert load(tmp_path, **given).state_store.default_retention == expected


def test_home_and_file_of_airflow_are_used_where_there_are_no_others(tmp_path: Path) -> None:
    """B6: what an Airflow deployment has on disk keeps its meaning."""
    file = tmp_path / "airflow.cfg"
    file.write_text("[core]\nparallelism = 5\n[database]\nsql_alchemy_conn = sqlite:////%%40.db\n", encoding="utf-8")

    of_home = load_settings({"AIRFLOW_HOME": str(tmp_path)})
    named = load_settings({"TRADEWIND_HOME": "/other", "AIRFLOW_CONFIG": str(file)})
    both = load(tmp_path, "[core]\nparallelism = 6\n", AIRFLOW_HOME=str(tmp_path))

    assert (of_home.home, of_home.core.parallelism) == (tmp_path, 5)
    assert (named.home, named.core.parallelism) == (Path("/other"), 5)
    assert (both.core.parallelism, both.database.sql_alchemy_conn) == (6, "sqlite:////%40.db")


def test_variables_in_a_value_are_put_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE_DAGS_ARE", "/srv/dags")

    assert load(tmp_path, "[core]\ndags_folder = $WHERE_DAGS_ARE/mine\n").dags_folder == Path("/srv/dags/mine")
