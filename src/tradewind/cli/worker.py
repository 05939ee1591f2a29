"""`tradewind worker`: runs the tasks of an executor on this machine. Schedulers start it by themselves."""

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.backends import prepare_backends
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.service_health import heard_by_hub, served_health
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
from tradewind.errors import Busy
from tradewind.runtime.clock import SystemClock
from tradewind.runtime.memory import keep_for_good, load_for_good
from tradewind.runtime.readiness import tell_ready
from tradewind.telemetry.hub import Hub

if TYPE_CHECKING:
    from tradewind import bootstrap_telemetry, bootstrap_worker
    from tradewind.settings import Settings
    from tradewind.worker.supervisor.service import Supervisor
else:
    bootstrap_telemetry = Deferred("tradewind.bootstrap_telemetry")
    bootstrap_worker = Deferred("tradewind.bootstrap_worker")


def command(
    executor: Annotated[str, typer.Option("--executor", help="whose tasks to run")] = "LocalExecutor",
    execution_api_url: Annotated[
        str | None,
        typer.Option(
            "--execution-api-url",
            metavar="URL",
            help="the web server to ask instead of a database: [core] execution_api_server_url, unless said; '': none",
        ),
    ] = None,
    daemon: Daemon = False,
    pid: PidFile = None,
    log_file: LogFile = None,
    stdout: StdoutFile = None,
    stderr: StderrFile = None,
) -> None:
    """Run the tasks that schedulers hand to an executor on this machine.

    One that schedulers could start again ends when it has had nothing to do for a while and no scheduler is connected.
    SIGTERM and SIGINT let it finish what it has begun; a second one stops that too.
    """
    load_for_good("tradewind.bootstrap_telemetry")  # whoever reads the PID file may end it at once: load first
    load_for_good("tradewind.bootstrap_worker")
    settings = load_settings()
    if execution_api_url is not None:
        settings = replace(settings, core=replace(settings.core, execution_api_server_url=execution_api_url))
    if daemon or not settings.workers.start_with_scheduler:  # nobody would start it again
        settings = replace(settings, workers=replace(settings.workers, idle_timeout=math.inf))
    name = bootstrap_worker.executor_named(executor, settings).name
    prepare_backends(settings)
    hub, clock, own = Hub(), SystemClock(), settings.workers
    background = Background(daemon, pid, log_file, stdout, stderr)
    with (
        service_process(f"worker of {name}", settings, background, file_name=f"worker-{name}", insists=True),
        bootstrap_telemetry.measured(settings, hub, "worker") as metrics,
        _supervisor(settings, name, hub) as supervisor,
        served_health(
            (own.health_check_server_host, own.health_check_server_port),
            heard_by_hub(hub, clock, settings.scheduler.scheduler_health_check_threshold),
            service="worker",
            is_wanted=own.enable_health_check and supervisor is not None,
            metrics=metrics,
        ),
    ):
        hub.attach(teller(clock, lambda _: None))
        if supervisor is None and (daemon or pid):
            raise Busy(f"there is a worker of {name} on this machine already")
        if supervisor is None:
            return  # several schedulers may start one at once, and one is enough

        def stop(_signal: int, _frame: FrameType | None) -> None:
            supervisor.interrupt()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        keep_for_good()
        tell_ready()
        supervisor.run()


@contextmanager
def _supervisor(settings: "Settings", executor: str, hub: Hub) -> "Iterator[Supervisor | None]":
    if settings.core.execution_api_server_url:
        with bootstrap_worker.made_remote_supervisor(settings, executor, hub) as supervisor:
            yield supervisor
        return
    # The engine of a supervisor flushes what must be on disk, after it has told the schedulers.
    with (
        wired(settings, hub=hub, waits_for_disk=False) as wiring,
        bootstrap_worker.made_supervisor(wiring, executor) as supervisor,
    ):
        yield supervisor
