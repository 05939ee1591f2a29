"""`tradewind worker`: runs the tasks of an executor on this machine. Schedulers start it by themselves."""

import signal
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.backends import prepare_backends
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.service_health import heard_by_hub, served_health
from tradewind.cli.service_process import service_process
from tradewind.cli.telling import teller
from tradewind.runtime.memory import keep_for_good
from tradewind.telemetry.hub import Hub

if TYPE_CHECKING:
    from tradewind import bootstrap_telemetry, bootstrap_worker
else:
    bootstrap_telemetry = Deferred("tradewind.bootstrap_telemetry")
    bootstrap_worker = Deferred("tradewind.bootstrap_worker")


def command(
    executor: Annotated[str, typer.Option("--executor", help="whose tasks to run")] = "LocalExecutor",
) -> None:
    """Run the tasks that schedulers hand to an executor on this machine.

    It ends when it has had nothing to do for a while and no scheduler is connected. SIGTERM and SIGINT let it finish
    what it has begun; a second one stops that too.
    """
    import_module("tradewind.bootstrap_worker")  # whoever reads the PID file may end it at once: load first
    settings = load_settings()
    prepare_backends(settings)
    hub = Hub()
    # The engine of a supervisor flushes what must be on disk, after it has told the schedulers.
    with (
        service_process(f"worker of {executor}", settings, insists=True),
        wired(settings, hub=hub, waits_for_disk=False) as wiring,
        bootstrap_worker.made_supervisor(wiring, executor) as supervisor,
    ):
        hub.attach(teller(wiring.clock, lambda _: None))
        if supervisor is None:
            return  # there is one already

        def stop(_signal: int, _frame: FrameType | None) -> None:
            supervisor.interrupt()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        keep_for_good()
        supervisor.run()
