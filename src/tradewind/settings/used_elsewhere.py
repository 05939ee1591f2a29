"""Options that are no part of `Settings`, because user code, or what stands beside it, reads them itself."""

from typing import Final

_KEYS: Final = {
    "common.io": "xcom_objectstorage_compression xcom_objectstorage_path xcom_objectstorage_threshold",
    "core": """
        allowed_deserialization_classes allowed_deserialization_classes_regexp dag_run_conf_overrides_params
        default_task_execution_timeout default_task_weight_rule hostname_callable max_templated_field_length
        xcom_backend
    """,
    "email": """
        default_email_on_failure default_email_on_retry email_backend email_conn_id from_email html_content_template
        ssl_context subject_template
    """,
    "kerberos": "ccache kinit_path principal reinit_frequency",
    "lineage": "max_assets_per_collector max_extras_per_collector",
    "logging": "logging_level namespace_levels secret_mask_adapter",
    "operators": "default_deferrable default_owner default_queue",
    "sensors": "default_timeout",
    "smtp": "smtp_host smtp_mail_from smtp_port smtp_retry_limit smtp_ssl smtp_starttls smtp_timeout",
    "standard": "venv_install_method",
    "state_store": "clear_on_success",
    "triggerer": (
        "blocked_main_thread_warning_threshold on_kill_timeout shared_stream_ack_timeout"
        " shared_stream_cohort_grace_period shared_stream_subscriber_queue_size"
    ),
    "workers": "state_store_backend",
}

USED_ELSEWHERE: Final = frozenset((section, key) for section, keys in _KEYS.items() for key in keys.split())
