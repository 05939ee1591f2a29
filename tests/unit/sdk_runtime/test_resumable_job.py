"""Operators that find their job again when they are retried (D4)."""

from typing import Any, cast

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.sdk.context import Context
from tradewind.sdk.log import LoggingMixin
from tradewind.sdk.resumable_job import ResumableJobMixin
from tradewind.sdk.state_store import TaskScope, TaskStateStoreAccessor


class Job(ResumableJobMixin, LoggingMixin):
    """Remembers what it did with jobs elsewhere."""

    def __init__(self, status: str = "RUNNING", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.status = status
        self.did: list[str] = []

    def submit_job(self, context: Context) -> Any:
        self.did.append("submit")
        return "new"

    def get_job_status(self, external_id: Any, context: Context) -> str:
        return self.status

    def is_job_active(self, status: str) -> bool:
        return status == "RUNNING"

    def is_job_succeeded(self, status: str) -> bool:
        return status == "DONE"

    def poll_until_complete(self, external_id: Any, context: Context) -> None:
        self.did.append(f"poll {external_id}")

    def get_job_result(self, external_id: Any, context: Context) -> Any:
        return f"result of {external_id}"


@pytest.fixture
def context(runtime: MemoryRuntime) -> Context:
    """With a task state store."""
    return Context(task_state_store=TaskStateStoreAccessor(TaskScope("d", "r", "t")))


def test_first_attempt_starts_a_job_and_stores_its_id_before_waiting(runtime: MemoryRuntime, context: Context) -> None:
    job = Job()

    assert job.execute_resumable(context) == "result of new"
    assert job.did == ["submit", "poll new"]
    assert runtime.task_states == {"remote_job_id": "new"}


@pytest.mark.parametrize(
    ("status", "did", "result"),
    [
        ("RUNNING", ["poll old"], "result of old"),
        ("DONE", [], "result of old"),
        ("FAILED", ["submit", "poll new"], "result of new"),
    ],
)
def test_retry_goes_on_with_the_job(
    runtime: MemoryRuntime, context: Context, status: str, did: list[str], result: str
) -> None:
    runtime.task_states["remote_job_id"] = "old"
    job = Job(status)

    assert job.execute_resumable(context) == result
    assert job.did == did


def test_job_that_is_not_durable_is_always_started(runtime: MemoryRuntime, context: Context) -> None:
    runtime.task_states["remote_job_id"] = "old"
    job = Job(durable=False)

    assert job.execute_resumable(context) == "result of new"
    assert runtime.task_states == {"remote_job_id": "old"}


def test_without_a_store_the_job_runs_and_a_warning_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert Job().execute_resumable(cast("Context", {})) == "result of new"

    assert "no task state store" in caplog.text
