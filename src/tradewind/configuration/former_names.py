"""Names that options had in earlier versions of Airflow."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

STILL_READ: Final[Mapping[tuple[str, str], tuple[tuple[str, str], ...]]] = {
    ("api", "access_logfile"): (("webserver", "access_logfile"),),
    ("api", "auto_refresh_interval"): (("webserver", "auto_refresh_interval"),),
    ("api", "base_url"): (("webserver", "base_url"),),
    ("api", "default_wrap"): (("webserver", "default_wrap"),),
    ("api", "enable_swagger_ui"): (("webserver", "enable_swagger_ui"),),
    ("api", "expose_config"): (("webserver", "expose_config"),),
    ("api", "fallback_page_limit"): (
        ("api", "page_size"),
        ("webserver", "page_size"),
    ),
    ("api", "grid_view_sorting_order"): (("webserver", "grid_view_sorting_order"),),
    ("api", "hide_paused_dags_by_default"): (("webserver", "hide_paused_dags_by_default"),),
    ("api", "host"): (("webserver", "web_server_host"),),
    ("api", "instance_name"): (("webserver", "instance_name"),),
    ("api", "log_fetch_timeout_sec"): (("webserver", "log_fetch_timeout_sec"),),
    ("api", "port"): (("webserver", "web_server_port"),),
    ("api", "require_confirmation_dag_change"): (("webserver", "require_confirmation_dag_change"),),
    ("api", "secret_key"): (("webserver", "secret_key"),),
    ("api", "ssl_cert"): (("webserver", "web_server_ssl_cert"),),
    ("api", "ssl_key"): (("webserver", "web_server_ssl_key"),),
    ("api", "worker_timeout"): (("webserver", "web_server_worker_timeout"),),
    ("api", "workers"): (("webserver", "workers"),),
    ("core", "execution_api_server_url"): (("workers", "execution_api_server_url"),),
    ("core", "num_dag_runs_to_retain_rendered_fields"): (("core", "max_num_rendered_ti_fields_per_task"),),
    ("dag_processor", "dag_file_processor_timeout"): (("core", "dag_file_processor_timeout"),),
    ("dag_processor", "parsing_pre_import_modules"): (("scheduler", "parsing_pre_import_modules"),),
    ("dag_processor", "refresh_interval"): (("scheduler", "dag_dir_list_interval"),),
    ("database", "sql_alchemy_conn"): (("core", "sql_alchemy_conn"),),
    ("fab", "access_denied_message"): (("webserver", "access_denied_message"),),
    ("fab", "expose_hostname"): (("webserver", "expose_hostname"),),
    ("fab", "navbar_color"): (("webserver", "navbar_color"),),
    ("fab", "navbar_hover_color"): (("webserver", "navbar_hover_color"),),
    ("fab", "navbar_text_color"): (("webserver", "navbar_text_color"),),
    ("fab", "navbar_text_hover_color"): (("webserver", "navbar_text_hover_color"),),
    ("scheduler", "ti_metrics_interval"): (("scheduler", "running_metrics_interval"),),
    ("triggerer", "capacity"): (("triggerer", "default_capacity"),),
    ("workers", "missing_dag_retries"): (("workers", "missing_dag_retires"),),
}
"""By the option of today: what it was called, and may still be called."""


@cache
def former_options() -> Mapping[str, str | None]:
    """By `section.option`, what became of an option: its name of today, or nothing where there is none any more."""
    names: dict[str, str | None] = json.loads(
        Path(__file__).with_name("former_options.json").read_text(encoding="utf-8")
    )
    return names
