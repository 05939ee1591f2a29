"""The engine at work: a few DAGs run to their end on an embedded database, in the terminal.

Until tasks can execute code, an executor that answers at once stands in for the workers; everything else is the real
thing: the database, the scheduler, its decisions and their explanation.
"""

import sys
import tempfile
from datetime import datetime
from pathlib import Path

from tradewind.bootstrap import make_scheduler, wire
from tradewind.executors.instant import InstantExecutor, succeed
from tradewind.model.dag import Dag, Retry, Task
from tradewind.model.mapping import OutputLength
from tradewind.model.states import RunState, TaskRole, TaskState, TriggerRule
from tradewind.model.task import Failed, Started, Succeeded, TaskReport, WorkItem
from tradewind.operations.explain import why_task_waits
from tradewind.operations.publish_dag import publish_dag
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.scheduler.service import Scheduler
from tradewind.settings import load_settings
from tradewind.storage.database import Database
from tradewind.storage.migrate import upgrade

_COLOURS = {
    TaskState.SUCCESS: "32",
    TaskState.FAILED: "31",
    TaskState.SKIPPED: "35",
    TaskState.UPSTREAM_FAILED: "33",
    TaskState.UP_FOR_RETRY: "33",
    TaskState.SCHEDULED: "36",
}

DAGS = (
    Dag(
        "daily_sales",
        tasks=(
            Task("extract"),
            Task("choose_path", upstream=("extract",)),
            Task("full_load", upstream=("choose_path",)),
            Task("quick_load", upstream=("choose_path",)),
            Task("report", upstream=("full_load", "quick_load"), trigger_rule=TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS),
        ),
    ),
    Dag(
        "many_files",
        max_active_tasks=2,
        tasks=(
            Task("list_files"),
            Task("load_file", upstream=("list_files",), mapping=OutputLength("list_files")),
            Task("summarise", upstream=("load_file",)),
        ),
    ),
    Dag(
        "with_cluster",
        tasks=(
            Task("create_cluster", role=TaskRole.SETUP),
            Task("flaky_job", upstream=("create_cluster",), retry=Retry(retries=2, delay_s=0.0)),
            Task("broken_job", upstream=("flaky_job",)),
            Task("publish", upstream=("broken_job",)),
            Task(
                "delete_cluster",
                upstream=("create_cluster", "publish"),
                role=TaskRole.TEARDOWN,
                trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
            ),
        ),
    ),
    Dag("held_back", tasks=(Task("needs_gpu", pool="gpu"),)),
)


def _outcome(work: WorkItem, now: datetime) -> tuple[TaskReport, ...]:
    """What the stand-in for the workers answers."""
    match work.attempt.task_id:
        case "choose_path":
            return (Succeeded(work.attempt, now, skips=("quick_load",)),)
        case "list_files":
            return (Succeeded(work.attempt, now, map_length=5),)
        case "flaky_job" if work.try_number < 3:
            return (Started(work.attempt, now), Failed(work.attempt, now, reason="connection reset"))
        case "broken_job":
            return (Started(work.attempt, now), Failed(work.attempt, now, reason="division by zero"))
        case _:
            return tuple(succeed(work, now))


def main() -> int:
    """Run the demonstration. Returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="tradewind-demo-") as home:
        settings = load_settings({"TRADEWIND_HOME": home})
        upgrade(settings.database.sql_alchemy_conn)
        wiring = wire(settings)
        _print(f"SQLite database: {Path(home)}")
        structures = Structures()
        now = wiring.clock.now()
        with wiring.database.begin() as tx:
            for dag in DAGS:
                publish_dag(tx, dag, now, is_paused_by_default=False)
                trigger_run(tx, RunRequest(dag.dag_id, run_id="demo"), structures, now, suffix="demodemo")
        scheduler = make_scheduler(wiring, [InstantExecutor(wiring.clock.now, outcome=_outcome)])
        started = wiring.clock.monotonic()
        _run(scheduler)
        elapsed_ms = (wiring.clock.monotonic() - started) * 1000
        count = _show(wiring.database, structures, wiring.clock.now())
        _print(f"\n{count} task instances decided, queued and finished in {elapsed_ms:.0f} ms.")
        wiring.database.close()
    return 0


def _run(scheduler: Scheduler) -> None:
    scheduler.start()
    while scheduler.run_once():
        pass
    scheduler.stop()


def _show(database: Database, structures: Structures, now: datetime) -> int:
    count = 0
    with database.begin() as tx:
        for dag in DAGS:
            run = tx.runs.find(dag.dag_id, "demo")
            assert run is not None
            ended = "" if run.state is RunState.RUNNING else f" {run.state}"
            _print(f"\n{dag.dag_id}:{ended}")
            for task in tx.tasks.instances(run.key):
                count += 1
                name = task.task_id if task.map_index < 0 else f"{task.task_id}[{task.map_index}]"
                tries = f"  (try {task.try_number})" if task.try_number > 1 else ""
                reason = f"  {task.reason}" if task.reason else ""
                _print(f"  {name:<18} {_coloured(task.state)}{tries}{reason}")
                if task.state is TaskState.SCHEDULED:
                    waits = why_task_waits(tx, dag.dag_id, "demo", task.task_id, structures, now)
                    _print("".join(f"      why? {reason.text}" for reason in waits))
    return count


def _coloured(state: TaskState) -> str:
    return f"\033[{_COLOURS.get(state, '0')}m{state}\033[0m" if sys.stdout.isatty() else state.value


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
