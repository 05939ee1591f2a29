"""`tradewind standalone`: all of it on this machine, with one command."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.components import WEB_SERVER, components
from tradewind.cli.deferred import Deferred
from tradewind.runtime.clock import SystemClock
from tradewind.runtime.environment import set_variables
from tradewind.runtime.keeper import Part
from tradewind.runtime.listening import listen
from tradewind.settings import HOME_VARIABLE, Settings, load_settings

if TYPE_CHECKING:
    from tradewind.standalone import deployment as deploying
    from tradewind.standalone import first_user
    from tradewind.standalone import home as homes
else:
    deploying = Deferred("tradewind.standalone.deployment")
    first_user = Deferred("tradewind.standalone.first_user")
    homes = Deferred("tradewind.standalone.home")

Home = Annotated[
    Path | None, typer.Option("--home", file_okay=False, help="where everything is kept; ~/tradewind by default")
]
Host = Annotated[str | None, typer.Option("--host", "-H", help="where to listen; this machine only by default")]
Port = Annotated[int | None, typer.Option("--port", "-p", min=1, max=65535, help="8080 by default")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="tell also what went well")]


def command(
    home: Home = None,
    dags_folder: Annotated[
        Path | None, typer.Option(file_okay=False, help="where DAG files are; dags in the home by default")
    ] = None,
    host: Host = None,
    port: Port = None,
    verbose: Verbose = False,
) -> None:
    """Start everything: database, scheduler, DAG processor, worker, web server. Ctrl-C stops it."""
    set_variables(variables(home=home, dags_folder=dags_folder, host=host, port=port))
    run_standalone(verbose=verbose)


def run_standalone(
    *,
    verbose: bool = False,
    more_parts: Callable[[Settings], list[Part]] = lambda _: [],
    opened: Callable[[str], object] | None = None,
) -> None:
    """Until told to stop. `opened` is called with the URL when it is ready.

    Raises:
        TradewindError: it cannot start.
    """
    clock = SystemClock()
    started_at = clock.monotonic()
    settings = load_settings()
    lifeline = deploying.hold_home(settings.home, clock)
    listener = listen(settings.api.host, settings.api.port)
    settings = homes.prepare_home(settings)
    parts = [*components(settings, listener, clock, verbose=verbose), *more_parts(settings)]
    deployment = deploying.Deployment(settings, parts, clock, partial(_prepare, settings))
    if opened is not None:
        deployment.opened = partial(opened, settings.api.url)
    deployment.run(lifeline, started_at, first=WEB_SERVER)


def _prepare(settings: Settings) -> list[str]:
    homes.prepare_database(settings)
    return first_user.make_first_user(settings)


def variables(
    *, home: Path | None = None, dags_folder: Path | None = None, host: str | None = None, port: int | None = None
) -> Mapping[str, str]:
    """What was asked for, as every process of the deployment reads it."""
    given = {
        # The worker is a component like the others: it shares their memory, and is started again by the same hand.
        "TRADEWIND__WORKERS__START_WITH_SCHEDULER": "False",
        HOME_VARIABLE: home and str(home.absolute()),
        "TRADEWIND__CORE__DAGS_FOLDER": dags_folder and str(dags_folder.absolute()),
        "TRADEWIND__API__HOST": host,
        "TRADEWIND__API__PORT": port and str(port),
    }
    return {name: text for name, text in given.items() if text}
