"""`tradewind dag-processor`: the service that reads DAG files."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.backends import prepare_backends
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
from tradewind.runtime.memory import load_for_good
from tradewind.runtime.readiness import tell_ready
from tradewind.runtime.service import stop_signals
from tradewind.settings import Settings
from tradewind.telemetry.events import BundleFailed, CallbackCalled, DagsPublished, Event, FileFailed
from tradewind.telemetry.hub import Hub

if TYPE_CHECKING:
    from tradewind import bootstrap, bootstrap_telemetry
else:
    bootstrap = Deferred("tradewind.bootstrap")
    bootstrap_telemetry = Deferred("tradewind.bootstrap_telemetry")


def command(
    bundle_name: Annotated[
        list[str] | None, typer.Option("--bundle-name", "-B", metavar="NAME", help="only this bundle; may be repeated")
    ] = None,
    dags_folder: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="where the files are, instead of core.dags_folder"),
    ] = None,
    num_runs: Annotated[
        int,
        typer.Option(
            "--num-runs", "-n", max=LARGEST, help="read everything so many times, then end; -1: until stopped"
        ),
    ] = -1,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="tell also what went well")] = False,
    daemon: Daemon = False,
    pid: PidFile = None,
    log_file: LogFile = None,
    stdout: StdoutFile = None,
    stderr: StderrFile = None,
) -> None:
    """Find DAG files, read them, store what they say."""
    load_for_good("tradewind.bootstrap_telemetry")  # whoever reads the PID file may end it at once: load first
    load_for_good("tradewind.bootstrap")
    hub = Hub()
    settings = _settings(dags_folder)
    own = settings.dag_processor
    with (
        service_process("dag-processor", settings, Background(daemon, pid, log_file, stdout, stderr)),
        bootstrap_telemetry.measured(settings, hub, "dag-processor") as metrics,
        wired(settings, hub=hub) as wiring,
        bootstrap.made_dag_processor(wiring, bundle_name or ()) as (processor, wakeup),
        stop_signals(wakeup) as stopping,
        served_health(
            (own.health_check_server_host, own.health_check_server_port),
            heard_in_database(wiring, "dag_processor", own.health_check_threshold),
            service="DAG processor",
            is_wanted=own.enable_health_check,
            metrics=metrics,
        ),
    ):
        hub.attach(teller(wiring.clock, partial(_line, is_verbose=verbose)))
        if num_runs < 0:
            bootstrap.make_loop(wiring, processor, stopping.is_set, wakeup).run()
            return
        processor.start()
        tell_ready()
        try:
            for number in range(num_runs):
                processor.settle(is_forced=number > 0, is_stopping=stopping.is_set)
        finally:
            processor.stop()


def _settings(dags_folder: Path | None) -> Settings:
    settings = load_settings()
    prepare_backends(settings)
    if dags_folder is None:
        return settings
    return replace(settings, core=replace(settings.core, dags_folder=str(dags_folder.absolute())))


def _line(event: Event, *, is_verbose: bool) -> str | None:
    match event:
        case FileFailed():
            return f"{event.bundle}: {event.path} cannot be used:\n{event.error}"
        case BundleFailed():
            return f"{event.bundle}: {event.error}"
        case CallbackCalled() if event.error is not None or is_verbose:
            ended = "done" if event.error is None else f"failed:\n{event.error}"
            return f"on_{event.event}_callback of {event.dag_id}, run {event.run_id}: {ended}"
        case DagsPublished() if is_verbose:
            gone = f"; gone: {', '.join(event.stale)}" if event.stale else ""
            return f"read: {', '.join(event.dag_ids) or 'no DAG'}{gone}"
        case _:
            return None
