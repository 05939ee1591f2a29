"""A scheduler as a process of its own, for tests that kill it: `python -m tests.faults.scheduler_process URL HOME`.

Its executor ends each attempt at once and writes down that it ran it, one line per attempt, so that a test can count.
"""

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tradewind.bootstrap import make_loop, make_scheduler, wire
from tradewind.executors.instant import InstantExecutor, succeed
from tradewind.model.task import TaskReport, WorkItem
from tradewind.runtime.service import stop_signals
from tradewind.settings import load_settings

OPTIONS = {
    "TRADEWIND__CORE__PARALLELISM": "8",
    "TRADEWIND__SCHEDULER__JOB_HEARTBEAT_SEC": "0.2",
    "TRADEWIND__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "1",
    "TRADEWIND__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.05",
}


def main(url: str, home: Path) -> None:
    """Schedule until told to stop."""
    options = {name: os.environ.get(name, value) for name, value in OPTIONS.items()}
    environment = {"TRADEWIND_HOME": str(home), "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": url, **options}
    wiring = wire(load_settings(environment))
    journal = os.open(home / f"{os.getpid()}.journal", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def run(work: WorkItem, now: datetime) -> Sequence[TaskReport]:
        run_key, task_id, map_index, attempt = work.attempt
        os.write(journal, f"{run_key} {task_id} {map_index} {attempt} {work.try_number}\n".encode())
        return succeed(work, now)

    with stop_signals(wiring.wakeup) as stopping:
        scheduler = make_scheduler(wiring, [InstantExecutor(wiring.clock.now, outcome=run)])
        make_loop(wiring, scheduler, stopping.is_set).run()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
