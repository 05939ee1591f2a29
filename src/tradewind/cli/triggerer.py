"""`tradewind triggerer`: the service that waits for what deferred tasks wait for."""

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
from tradewind.runtime.service import stop_signals
from tradewind.telemetry.events import (
    Event,
    JobDied,
    TriggerBlocked,
    TriggerQuarantined,
    WatcherBlocked,
    WatcherQuarantined,
    WatcherSaid,
)
from tradewind.telemetry.hub import Hub

if TYPE_CHECKING:
    from tradewind import bootstrap, bootstrap_telemetry, bootstrap_triggerer
else:
    bootstrap = Deferred("tradewind.bootstrap")
    bootstrap_telemetry = Deferred("tradewind.bootstrap_telemetry")
    bootstrap_triggerer = Deferred("tradewind.bootstrap_triggerer")


def command(
    capacity: Annotated[
        int | None,
        typer.Option(min=1, max=LARGEST, help="how many triggers it runs at most; triggerer.capacity by default"),
    ] = None,
    queues: Annotated[
        str | None, typer.Option(metavar="NAMES", help="only triggers of these queues, with commas between them")
    ] = None,
    daemon: Daemon = False,
    pid: PidFile = None,
    log_file: LogFile = None,
    stdout: StdoutFile = None,
    stderr: StderrFile = None,
) -> None:
    """Run the triggers of deferred tasks.

    There may be several: they share the triggers, and take over those of one that dies. SIGTERM and SIGINT leave all
    triggers to others.
    """
    load_for_good("tradewind.bootstrap_telemetry")  # whoever reads the PID file may end it at once: load first
    load_for_good("tradewind.bootstrap_triggerer")
    hub = Hub()
    settings = load_settings()
    own = settings.triggerer
    if queues is not None and not own.queues_enabled:
        raise typer.BadParameter(
            "[triggerer] queues_enabled is False, so no trigger has a queue", param_hint="--queues"
        )
    prepare_backends(settings)
    with (
        service_process("triggerer", settings, Background(daemon, pid, log_file, stdout, stderr)),
        bootstrap_telemetry.measured(settings, hub, "triggerer") as metrics,
        wired(settings, hub=hub) as wiring,
        bootstrap_triggerer.made_triggerer(wiring, capacity=capacity, queues=_names(queues)) as triggerer,
        stop_signals(wiring.trigger_wakeup) as stopping,
        served_health(
            (own.health_check_server_host, own.health_check_server_port),
            heard_in_database(wiring, "triggerer", own.triggerer_health_check_threshold),
            service="triggerer",
            is_wanted=own.enable_health_check,
            metrics=metrics,
        ),
    ):
        hub.attach(teller(wiring.clock, _line))
        bootstrap.make_loop(wiring, triggerer, stopping.is_set, wiring.trigger_wakeup).run()


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name for each in text.split(",") if (name := each.strip())]


def _line(event: Event) -> str | None:
    match event:
        case JobDied():
            return f"the triggerer of job {event.job_key} on {event.hostname} is dead: its triggers are free"
        case TriggerBlocked() | WatcherBlocked():
            return event.text if event.is_remarkable else None
        case TriggerQuarantined() | WatcherQuarantined():
            return event.text
        case WatcherSaid():
            return f"{event.class_path}: {event.text}"
        case _:
            return None
