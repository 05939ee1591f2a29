"""Names of provider packages that Airflow installs by itself, for where those packages are not installed.

Only what DAG files and settings take for granted: the way around version differences (`common.compat`), XComs on object
stores (`common.io`), and the operators that Airflow 1 and 2 had in its core (`smtp`, `common.sql`).
"""

from collections.abc import Mapping
from typing import Final

_SQL: Final = "tradewind.compat.adapters.sql_operators"

OPTIONAL: Final[Mapping[str, Mapping[str, str]]] = {
    "airflow.providers.common.compat": {},
    "airflow.providers.common.compat.assets": {
        "tradewind.sdk.assets": "Asset AssetAlias AssetAll AssetAny",
    },
    "airflow.providers.common.compat.lineage.hook": {"tradewind.sdk.lineage": "get_hook_lineage_collector"},
    "airflow.providers.common.compat.notifier": {"tradewind.sdk.notifier": "BaseNotifier"},
    "airflow.providers.common.compat.sdk": {
        "tradewind.sdk": "*",
        "tradewind.sdk.exceptions": "*",
        "tradewind.sdk.taskflow": "*",
        "tradewind.sdk.context": "*",
        "tradewind.sdk.xcom": "XCOM_RETURN_KEY XCom",
        "tradewind.sdk.mapped": "MappedOperator",
        "tradewind.sdk.sensor": "poke_mode_only",
        "tradewind.sdk.task_instance": "TaskInstanceKey",
        "tradewind.sdk.lineage": (
            "AssetLineageInfo HookLineage HookLineageCollector HookLineageReader NoOpCollector"
            " get_hook_lineage_collector"
        ),
        "tradewind.sdk.log": "mask_secret",
        "tradewind.sdk.stats": "Stats",
        "tradewind.compat.adapters.set_later": "SET_DURING_EXECUTION",
        "tradewind.sdk.timezone": "timezone=.",
        "tradewind.sdk.object_storage": "io=.",
        "tradewind.compat.adapters.listeners": "get_listener_manager hookimpl",
        "tradewind.compat.adapters.masking": "redact",
        "tradewind.compat.adapters.plugins": "AirflowPlugin",
        "tradewind.compat.adapters.timeout": "timeout",
    },
    "airflow.providers.common.io.xcom.backend": {"tradewind.sdk.xcom_object_storage": "XComObjectStorageBackend"},
    "airflow.providers.common.messaging.triggers.msg_queue": {
        "tradewind.sdk.messaging.queue_trigger": "MessageQueueTrigger",
    },
    "airflow.providers.redis.triggers.redis_await_message": {
        "tradewind.sdk.messaging.redis_triggers": "AwaitMessageTrigger",
    },
    "airflow.providers.common.sql.operators.generic_transfer": {_SQL: "GenericTransfer"},
    "airflow.providers.common.sql.operators.sql": {_SQL: "SQLCheckOperator SQLExecuteQueryOperator"},
    "airflow.providers.common.sql.sensors.sql": {_SQL: "SqlSensor"},
    "airflow.providers.http.sensors.http": {"tradewind.sdk.standard.http_waiting": "HttpSensor"},
    "airflow.providers.http.triggers.http": {"tradewind.sdk.standard.http_waiting": "HttpSensorTrigger"},
    "airflow.providers.amazon.aws.sensors.s3": {"tradewind.sdk.standard.s3_waiting": "S3KeySensor"},
    "airflow.providers.amazon.aws.triggers.s3": {"tradewind.sdk.standard.s3_waiting": "S3KeyTrigger"},
    "airflow.providers.slack.notifications.slack_webhook": {
        "tradewind.sdk.notifiers.slack": "SlackWebhookNotifier send_slack_webhook_notification",
    },
    "airflow.providers.smtp.notifications.smtp": {
        "tradewind.sdk.notifiers.smtp": "SmtpNotifier send_smtp_notification",
    },
    "airflow.providers.smtp.operators.smtp": {"tradewind.compat.adapters.email_operator": "EmailOperator"},
}
