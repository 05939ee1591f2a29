"""Tasks whose failures are told by e-mail."""

from datetime import timedelta

from airflow.sdk import DAG, task

with DAG("mailing", schedule=None):

    @task(
        retries=1,
        retry_delay=timedelta(seconds=0.3),
        email="crew@example.com",
        email_on_retry=True,
        email_on_failure=True,
    )
    def both() -> None:
        raise RuntimeError("man overboard")

    @task(email=["captain@example.com", "mate@example.com"], email_on_failure=True)
    def two_people() -> None:
        raise RuntimeError("leak")

    @task(email="crew@example.com", email_on_failure=False)
    def nobody() -> None:
        raise RuntimeError("nothing to tell")

    both()
    two_people()
    nobody()
