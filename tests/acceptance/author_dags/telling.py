"""Tasks and a run whose ends are told to mail and web servers."""

from datetime import timedelta

from airflow.providers.slack.notifications.slack_webhook import SlackWebhookNotifier
from airflow.providers.smtp.notifications.smtp import SmtpNotifier
from airflow.sdk import DAG, task
from airflow.sdk.exceptions import AirflowSkipException

from tradewind.sdk.notifiers.webhook import WebhookNotifier

HOOK = {"http_conn_id": "alerts"}

with DAG(
    "telling",
    schedule=None,
    on_failure_callback=[
        WebhookNotifier(json={"run": "{{ dag_run.run_id }} {{ reason }}"}, **HOOK),
        SmtpNotifier(to="fleet@example.com", subject="{{ dag.dag_id }} failed", html_content="see {{ run_id }}"),
    ],
):

    @task(
        retries=1,
        retry_delay=timedelta(0),
        on_retry_callback=WebhookNotifier(
            json={"retry": "{{ ti.task_id }} {{ ti.try_number }} {{ exception }}"}, **HOOK
        ),
        on_failure_callback=[
            SlackWebhookNotifier(slack_webhook_conn_id="slack", text="{{ ti.task_id }}: {{ exception }}"),
            SmtpNotifier(to="crew@example.com", subject="{{ ti.task_id }}: {{ exception }}", html_content="oh"),
        ],
    )
    def sinks() -> None:
        raise RuntimeError("man overboard")

    @task(on_success_callback=WebhookNotifier(json={"success": "{{ ti.task_id }}"}, **HOOK))
    def sails() -> None:
        pass

    @task(on_skipped_callback=WebhookNotifier(json={"skipped": "{{ ti.task_id }}"}, **HOOK))
    def stays() -> None:
        raise AirflowSkipException("no wind")

    @task(on_execute_callback=WebhookNotifier(json={"begins": "{{ ti.task_id }}"}, **HOOK))
    def begins() -> None:
        pass

    sinks(), sails(), stays(), begins()
