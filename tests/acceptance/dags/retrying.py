"""Failures: tries, policies, timeouts, and who is told."""

import os
import time
from datetime import timedelta
from pathlib import Path

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, ExceptionRetryPolicy, RetryAction, RetryRule, task
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))
SOON = timedelta(seconds=0.3)


def note(word: str):
    """A callback that writes down that it was called."""

    def write(context) -> None:
        instance = context.get("task_instance") or context.get("ti")
        with (FOLDER / f"told by {context['dag'].dag_id}").open("a") as file:
            file.write(f"{word} {instance.task_id if instance else '-'}\n")

    return write


TOLD = {
    "on_execute_callback": note("execute"),
    "on_success_callback": note("success"),
    "on_failure_callback": note("failure"),
    "on_retry_callback": note("retry"),
    "on_skipped_callback": note("skipped"),
}
POLICY = ExceptionRetryPolicy(
    rules=[
        RetryRule(exception="builtins.PermissionError", action=RetryAction.FAIL, reason="no use"),
        RetryRule(exception=ConnectionError, action=RetryAction.RETRY, retry_delay=SOON),
    ]
)

with DAG("tries", schedule=None, default_args={"retry_delay": SOON}):

    @task(retries=2)
    def third_time(ti=None) -> int:
        if ti.try_number < 3:
            raise RuntimeError("not yet")
        return ti.try_number

    @task(retries=1)
    def in_vain() -> None:
        raise RuntimeError("never")

    @task(retries=3)
    def at_once() -> None:
        raise AirflowFailException("there is no use")

    @task(retries=1, execution_timeout=timedelta(seconds=1))
    def too_long() -> None:
        time.sleep(60)

    @task(retries=5, retry_policy=POLICY, retry_delay=timedelta(hours=1))
    def by_policy(ti=None) -> int:
        if ti.try_number < 3:
            raise ConnectionResetError("again")
        return ti.try_number

    @task(retries=5, retry_policy=POLICY)
    def against_policy() -> None:
        raise PermissionError("no")

    third_time() >> EmptyOperator(task_id="after")
    in_vain() >> EmptyOperator(task_id="not_after")
    at_once()
    too_long()
    by_policy()
    against_policy()

with DAG("told", schedule=None, default_args={**TOLD, "retry_delay": SOON}, on_failure_callback=note("run_failure")):

    @task
    def succeeds() -> None:
        pass

    @task
    def skips() -> None:
        raise AirflowSkipException("not today")

    @task(retries=1)
    def fails() -> None:
        raise RuntimeError("as it should")

    succeeds() >> EmptyOperator(task_id="after", on_success_callback=note("empty"))
    skips()
    fails()

with DAG("told_of_success", schedule=None, on_success_callback=note("run_success")):
    EmptyOperator(task_id="nothing")
