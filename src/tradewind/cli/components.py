"""The components of a deployment on one machine. Whoever adds one adds it here."""

from collections.abc import Callable
from functools import partial

from tradewind.cli import dag_processor, scheduler
from tradewind.cli.api_server import run_api_server
from tradewind.runtime.keeper import Part
from tradewind.settings import Settings


def components(settings: Settings, *, verbose: bool = False) -> list[Part]:
    """Each as a process of its own. The local executor's worker is started by the scheduler."""
    # The web server takes longest to be ready.
    lives: dict[str, Callable[[], None]] = {
        "api-server": partial(run_api_server, settings),
        "scheduler": partial(scheduler.command, verbose=verbose),
        "dag-processor": partial(dag_processor.command, verbose=verbose),
    }
    return [Part(name, live) for name, live in lives.items()]
