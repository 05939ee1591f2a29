"""Operators that start a job elsewhere and find it again when they are retried."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from tradewind.sdk.stats import Stats

if TYPE_CHECKING:
    import logging

    from tradewind.sdk.context import Context


class ResumableJobMixin:
    """Keeps the id of a job in the task state store, so that a retry goes on with the job instead of starting another.

    Write it before `BaseOperator` among the base classes, and call `execute_resumable` in `execute`. Between the start
    of the job and the storing of its id there remains a moment in which a crash leads to a second job.
    """

    external_id_key: str = "remote_job_id"
    """The key of the id. With another name, jobs that are running now would not be found."""

    if TYPE_CHECKING:

        @property
        def log(self) -> logging.Logger: ...

    def __init__(self, *, durable: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.durable = durable

    @abstractmethod
    def submit_job(self, context: Context) -> Any:
        """Start the job, and return its id, a JSON value; `None` if it has none."""

    @abstractmethod
    def get_job_status(self, external_id: Any, context: Context) -> str:
        """The status of a job, in the words of the system that runs it."""

    @abstractmethod
    def is_job_active(self, status: str) -> bool:
        """Whether a job of that status still runs."""

    @abstractmethod
    def is_job_succeeded(self, status: str) -> bool:
        """Whether a job of that status is done and well."""

    @abstractmethod
    def poll_until_complete(self, external_id: Any, context: Context) -> None:
        """Wait until the job has ended; raise if it failed."""

    @abstractmethod
    def get_job_result(self, external_id: Any, context: Context) -> Any:
        """What the job gives; `None` if nothing."""

    def execute_resumable(self, context: Context) -> Any:
        """Find the job of an earlier attempt or start one, wait for it, and return its result."""
        store = context.get("task_state_store") if self.durable else None
        if store is None:
            if self.durable:
                self.log.warning("There is no task state store, so a retry would start another job")
            return self._wait_for(self.submit_job(context), context)
        earlier = store.get(self.external_id_key)
        if earlier is None:
            self._count("fresh_submit")
        else:
            self._count("reconnect_attempt")
            status = self.get_job_status(earlier, context)
            if self.is_job_active(status):
                self._count("reconnect_success")
                self.log.info("Going on with job %s of an earlier attempt, which is %s", earlier, status)
                return self._wait_for(earlier, context)
            if self.is_job_succeeded(status):
                self._count("already_succeeded")
                self.log.info("Job %s of an earlier attempt is already done", earlier)
                return self.get_job_result(earlier, context)
            self._count("terminal_resubmit")
            self.log.warning("Job %s of an earlier attempt ended as %s, so another one is started", earlier, status)
        external_id = self.submit_job(context)
        if external_id is not None:
            store.set(self.external_id_key, external_id)
        return self._wait_for(external_id, context)

    def _wait_for(self, external_id: Any, context: Context) -> Any:
        self.poll_until_complete(external_id, context)
        return self.get_job_result(external_id, context)

    def _count(self, what: str) -> None:
        Stats.incr(f"resumable_job.{what}", tags={"operator": type(self).__name__})
