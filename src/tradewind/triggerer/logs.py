"""Where what triggers log is kept: beside the log of the try that waits."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from tradewind.model.ids import JobKey
from tradewind.model.trigger import ClaimedTrigger
from tradewind.task_logs.places import Try, trigger_log_name
from tradewind.task_logs.shipper import LogShipper
from tradewind.task_logs.writer import AttemptLog


class TriggerLogs:
    """Files are open only while something is written: there may be more triggers than a process may have files."""

    def __init__(
        self,
        folder: Path,
        *,
        now: Callable[[], datetime],
        limit_bytes: int,
        shipper: LogShipper | None = None,
        fail: Callable[[str, Exception], object] = lambda _name, _error: None,
    ) -> None:
        """`shipper` copies logs elsewhere, if they shall be; `fail` is told which log cannot be written, and why."""
        self._folder = folder
        self._now = now
        self._limit_bytes = limit_bytes
        self._shipper = shipper
        self._fail = fail

    def write(self, trigger: ClaimedTrigger, job: JobKey, records: Sequence[dict[str, object]]) -> None:
        """Append what the trigger says in the triggerer of that job."""
        name = _name(trigger, job)
        log = AttemptLog(
            self._folder / name, now=self._now, limit_bytes=self._limit_bytes, fail=partial(self._fail, name)
        )
        for record in records:
            log.line(record)
        log.close()

    def ended(self, trigger: ClaimedTrigger, job: JobKey) -> None:
        """Nothing more will be written here."""
        name = _name(trigger, job)
        if self._shipper is not None and (self._folder / name).exists():
            self._shipper.ship(name, is_over=True)

    def close(self) -> None:
        """Return when all logs are where they shall be."""
        if self._shipper is not None:
            self._shipper.close()


def _name(trigger: ClaimedTrigger, job: JobKey) -> str:
    attempt = trigger.attempt
    of = Try(trigger.dag_id, trigger.run_id, attempt.task_id, attempt.map_index, trigger.try_number)
    return trigger_log_name(of, job)
