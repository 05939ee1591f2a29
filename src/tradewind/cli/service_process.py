"""What every service of the command line is besides its work: a process with a name, a PID file, an end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tradewind.errors import Busy
from tradewind.runtime.daemon import become_daemon
from tradewind.runtime.environment import name_process
from tradewind.runtime.lifeline import hold_on_to_lifeline
from tradewind.runtime.pid_file import is_process, pid_file
from tradewind.runtime.service import left_on_termination
from tradewind.runtime.systemd import STOPPING, notify_systemd
from tradewind.settings import Settings

Daemon = Annotated[bool, typer.Option("--daemon", "-D", help="go on in the background")]
PidFile = Annotated[
    Path | None, typer.Option("--pid", metavar="FILE", help="where to write the process id; home, for a daemon")
]
LogFile = Annotated[
    Path | None, typer.Option("--log-file", "-l", metavar="FILE", help="where a daemon writes; home by default")
]


StdoutFile = Annotated[
    Path | None, typer.Option("--stdout", metavar="FILE", help="where a daemon writes what is no error; as --log-file")
]
StderrFile = Annotated[
    Path | None,
    typer.Option("--stderr", metavar="FILE", help="where a daemon writes what it has to tell; as --log-file"),
]


@dataclass(frozen=True, slots=True)
class Background:
    """What `--daemon`, `--pid`, `--log-file`, `--stdout` and `--stderr` say."""

    is_daemon: bool = False
    pid: Path | None = None
    log: Path | None = None
    stdout: Path | None = None
    stderr: Path | None = None


@contextmanager
def service_process(
    name: str,
    settings: Settings,
    background: Background | None = None,
    *,
    file_name: str | None = None,
    insists: bool = False,
) -> Iterator[None]:
    """This process as a service, for as long as a block runs. Enter it before there are threads or connections.

    `file_name`: what its files are called, unless as it is. For `insists` see `hold_on_to_lifeline`.

    Raises:
        Busy: it runs already, by its PID file.
    """
    asked = background or Background()
    stem = f"tradewind-{file_name or name}"
    pid = asked.pid or (settings.home / f"{stem}.pid" if asked.is_daemon else None)
    if pid is not None and is_process(pid):
        raise Busy(f"{name} is running already: {pid} names its process")
    if asked.is_daemon:
        log = asked.log or settings.home / f"{stem}.log"
        become_daemon(asked.stdout or log, asked.stderr or log)
    name_process(f"tradewind: {name}")
    hold_on_to_lifeline(insists=insists)
    with left_on_termination(), pid_file(pid):
        try:
            yield
        finally:
            notify_systemd(STOPPING)
