"""`tradewind api-server`: the web server."""

import logging
import socket
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tradewind.cli.backends import prepare_backends
from tradewind.cli.deferred import Deferred
from tradewind.cli.options import LARGEST
from tradewind.cli.service_process import (
    Background,
    Daemon,
    LogFile,
    PidFile,
    StderrFile,
    StdoutFile,
    service_process,
)
from tradewind.runtime.clock import SystemClock
from tradewind.runtime.die_with_parent import die_with_parent
from tradewind.runtime.keeper import Keeper, Listener, Part
from tradewind.runtime.listening import listen
from tradewind.runtime.memory import keep_for_good
from tradewind.runtime.readiness import tell_ready
from tradewind.settings import Settings, load_settings

if TYPE_CHECKING:
    from tradewind import bootstrap_api
else:
    bootstrap_api = Deferred("tradewind.bootstrap_api")

_APPS: Final = ("all", "core")


def command(
    host: Annotated[str | None, typer.Option("--host", "-H", help="where to listen; [api] host by default")] = None,
    port: Annotated[int | None, typer.Option("--port", "-p", min=0, max=65535, help="[api] port by default")] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-w", min=1, max=LARGEST, help="how many processes serve; [api] workers by default"),
    ] = None,
    proxy_headers: Annotated[
        bool | None, typer.Option("--proxy-headers", help="believe a proxy in front what it says about clients")
    ] = None,
    ssl_cert: Annotated[str | None, typer.Option("--ssl-cert", metavar="FILE", help="serve HTTPS with it")] = None,
    ssl_key: Annotated[str | None, typer.Option("--ssl-key", metavar="FILE", help="the key of the certificate")] = None,
    access_logfile: Annotated[
        str | None, typer.Option("--access-logfile", metavar="FILE", help="log every request; - for the terminal")
    ] = None,
    apps: Annotated[str, typer.Option("--apps", help="which parts to serve: all or core")] = "all",
    daemon: Daemon = False,
    pid: PidFile = None,
    log_file: LogFile = None,
    stdout: StdoutFile = None,
    stderr: StderrFile = None,
) -> None:
    """Serve the REST API. SIGTERM and SIGINT end it after the requests that are under way."""
    if apps not in _APPS:
        raise typer.BadParameter(f"{apps!r} is none of {', '.join(_APPS)}", param_hint="--apps")
    settings = load_settings()
    given: dict[str, Any] = {
        "host": host,
        "port": port,
        "workers": workers,
        "proxy_headers": proxy_headers,
        "ssl_cert": ssl_cert,
        "ssl_key": ssl_key,
        "access_logfile": access_logfile,
    }
    api = replace(settings.api, **{key: value for key, value in given.items() if value is not None})
    run_api_server(replace(settings, api=api), Background(daemon, pid, log_file, stdout, stderr))


def run_api_server(
    settings: Settings, background: Background | None = None, listener: socket.socket | None = None
) -> None:
    """Serve until told to stop, on a socket that listens already if one is given.

    Raises:
        SettingsError: the address is not to be had, or the certificate cannot be used.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    shared = listener or listen(settings.api.host, settings.api.port)
    with service_process("api-server", settings, background):
        if settings.api.workers == 1:
            _serve(settings, shared)
            return
        # Where the processes tell one another what they counted. A short path: that of a socket may not be long.
        with tempfile.TemporaryDirectory(prefix="tradewind-") as folder:
            names = [f"worker {number}" for number in range(settings.api.workers)]
            parts = [Part(name, lambda: _serve(settings, shared, Path(folder))) for name in names]
            told = Listener(ended=_tell_end, all_ready=tell_ready)
            Keeper(parts, SystemClock(), told, prepare=die_with_parent).run()


def _serve(settings: Settings, listener: socket.socket, siblings: Path | None = None) -> None:
    def ready() -> None:
        keep_for_good()
        tell_ready()

    prepare_backends(settings)
    bootstrap_api.serve_api(settings, listener, ready, siblings)


def _tell_end(name: str, code: int, pause_s: float) -> None:
    typer.echo(f"api-server, {name}: ended with {code}; starts again in {pause_s:g} s", err=True)
