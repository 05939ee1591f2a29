"""The components of a deployment on one machine. Whoever adds one adds it here."""

import socket
from functools import partial
from typing import TYPE_CHECKING, Final

from tradewind.cli import dag_processor, scheduler, triggerer, worker
from tradewind.cli.api_server import run_api_server
from tradewind.cli.deferred import Deferred
from tradewind.errors import MigrationNeeded
from tradewind.runtime.clock import Clock
from tradewind.runtime.keeper import Part
from tradewind.runtime.memory import load_for_good
from tradewind.settings import Settings

if TYPE_CHECKING:
    from tradewind import bootstrap
else:
    bootstrap = Deferred("tradewind.bootstrap")

WEB_SERVER: Final = "api-server"
_LOOK_INTERVAL_S: Final = 0.02


def components(settings: Settings, listener: socket.socket, clock: Clock, *, verbose: bool = False) -> list[Part]:
    """Each as a process of its own.

    `listener` is the socket of the web server: whoever connects while it is started again is served afterwards.
    """
    # Before the processes part: what is loaded here, they share.
    for name in ("tradewind.bootstrap_telemetry", "tradewind.bootstrap_triggerer", "tradewind.bootstrap_worker"):
        load_for_good(name)
    bootstrap.load_driver(settings)
    api_url = None if settings.workers.without_database else ""
    return [
        Part(WEB_SERVER, partial(_serve, settings, listener, clock)),
        Part("scheduler", partial(scheduler.command, verbose=verbose)),
        Part("dag-processor", partial(dag_processor.command, verbose=verbose)),
        Part("triggerer", triggerer.command),
        *(
            Part(
                f"worker {name}" if number else "worker",
                partial(worker.command, name, api_url),
                must_be_urged=True,
            )
            for number, name in enumerate(bootstrap.local_workers(settings))
        ),
    ]


def _serve(settings: Settings, listener: socket.socket, clock: Clock) -> None:
    """Nobody else needs the web application, and it takes longest to load: meanwhile the database is made."""
    load_for_good("tradewind.bootstrap_api")
    while True:
        try:
            bootstrap.check_schema(settings.database.sql_alchemy_conn)
        except MigrationNeeded:
            clock.sleep(_LOOK_INTERVAL_S)
        else:
            break
    run_api_server(settings, listener=listener)
