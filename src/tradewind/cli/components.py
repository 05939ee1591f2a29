"""The components of a deployment on one machine. Whoever adds one adds it here."""

import socket
from functools import partial

from tradewind.bootstrap import local_workers
from tradewind.cli import dag_processor, scheduler, worker
from tradewind.cli.api_server import run_api_server
from tradewind.runtime.keeper import Part
from tradewind.settings import Settings


def components(settings: Settings, listener: socket.socket, *, verbose: bool = False) -> list[Part]:
    """Each as a process of its own. The one that takes longest to be ready is the first.

    `listener` is the socket of the web server: whoever connects while it is started again is served afterwards.
    """
    return [
        Part("api-server", partial(run_api_server, settings, listener=listener)),
        Part("scheduler", partial(scheduler.command, verbose=verbose)),
        Part("dag-processor", partial(dag_processor.command, verbose=verbose)),
        *(
            Part(f"worker {name}" if number else "worker", partial(worker.command, name), must_be_urged=True)
            for number, name in enumerate(local_workers(settings))
        ),
    ]
