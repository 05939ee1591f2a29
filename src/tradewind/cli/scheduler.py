"""`tradewind scheduler`: the service that decides what runs when, and hands it to the executors."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.options import LARGEST
from tradewind.cli.service_health import heard_in_database, served_health
from tradewind.cli.service_process import (
    Background,
    Daemon,
    LogFile,
    PidFile,
    StderrFile,
    StdoutFile,
    service_process,
)
from tradewind.cli.telling import teller
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.runtime.memory import keep_for_good, load_for_good
from tradewind.runtime.service import stop_signals
from tradewind.telemetry.events import (
    AttemptLost,
    DagFenced,
    DeadlineMissed,
    Event,
    ExecutorFailed,
    JobDied,
    PartitionRefused,
    RunMoved,
    SlotOverdue,
    TaskCannotFit,
)
from tradewind.telemetry.hub import Hub

if TYPE_CHECKING:
    from tradewind import bootstrap, bootstrap_telemetry
else:
    bootstrap = Deferred("tradewind.bootstrap")
    bootstrap_telemetry = Deferred("tradewind.bootstrap_telemetry")


def command(
    num_runs: Annotated[
        int | None,
        typer.Option(
            "--num-runs", "-n", max=LARGEST, help="end after so many passes; -1: never. By default [scheduler] num_runs"
        ),
    ] = None,
    only_idle: Annotated[
        bool | None, typer.Option("--only-idle", "-i", help="count only passes in which there was nothing to do")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="tell also what went well")] = False,
    daemon: Daemon = False,
    pid: PidFile = None,
    log_file: LogFile = None,
    stdout: StdoutFile = None,
    stderr: StderrFile = None,
) -> None:
    """Decide what runs when, and have it run. SIGTERM and SIGINT end it; what runs goes on, and is found again."""
    load_for_good("tradewind.bootstrap_telemetry")  # whoever reads the PID file may end it at once: load first
    load_for_good("tradewind.bootstrap")
    settings = load_settings()
    own = settings.scheduler
    most_passes = own.num_runs if num_runs is None else num_runs
    hub = Hub()
    with (
        service_process("scheduler", settings, Background(daemon, pid, log_file, stdout, stderr)),
        bootstrap_telemetry.measured(settings, hub, "scheduler") as metrics,
        # What it decides, a worker makes lasting: no task begins before its worker has written that it does.
        wired(settings, hub=hub, waits_for_disk=False) as wiring,
        bootstrap.made_executors(wiring) as executors,
        stop_signals(wiring.wakeup) as stopping,
        served_health(
            (own.scheduler_health_check_server_host, own.scheduler_health_check_server_port),
            heard_in_database(wiring, "scheduler", own.scheduler_health_check_threshold),
            service="scheduler",
            is_wanted=own.enable_health_check,
            metrics=metrics,
        ),
    ):
        hub.attach(teller(wiring.clock, partial(line_of, is_verbose=verbose)))
        keep_for_good()
        bootstrap.make_loop(
            wiring,
            bootstrap.make_scheduler(wiring, executors),
            stopping.is_set,
            most_passes=most_passes if most_passes > 0 else None,
            counts_only_idle=own.only_idle if only_idle is None else only_idle,
        ).run()


def line_of(event: Event, *, is_verbose: bool) -> str | None:
    """What the log says of it; `None`: nothing."""
    match event:
        case ExecutorFailed():
            return f"{event.executor}: {event.error}"
        case DagFenced():
            return f"DAG {event.dag_id} cannot be scheduled: {event.error}"
        case DeadlineMissed():
            name = f"{event.name!r} " if event.name else ""
            return f"{event.dag_id}, run {event.run_id}: missed its deadline {name}of {event.due_at}"
        case SlotOverdue():
            return f"DAG {event.dag_id}, tick {event.run_after.isoformat()}: {event.missing} is late ({event.done})"
        case PartitionRefused():
            key = event.partition_key
            return f"DAG {event.dag_id} gets no run for partition {key!r} of event {event.event_key}: {event.reason}"
        case TaskCannotFit():
            return f"{_task(event.task)} of DAG {event.dag_id} waits for pool {event.pool} in vain: {event.reason}"
        case AttemptLost():
            return f"run {event.task.run_key}, {_task(event.task)}: {event.reason}"
        case JobDied():
            return f"scheduler {event.job_key} on {event.hostname} is gone; its work is taken over"
        case RunMoved() if is_verbose:
            return f"{event.dag_id}, run {event.run_id}: {event.state}"
        case _:
            return None


def _task(key: TaskKey) -> str:
    return f"task {key.task_id}" if key.map_index == UNMAPPED else f"task {key.task_id}[{key.map_index}]"
