"""Services of a deployment as processes, started by the command line."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import psutil
import sqlalchemy as sa

from benchmarks.harness import STALLED_AFTER_S, Stalled, World
from tradewind.storage.schema import dag

COMMAND: Final = (sys.executable, "-m", "tradewind.cli.main")
_POLL_S: Final = 0.05
_KILO: Final = 1024


def environ_of(world: World, dags_folder: Path, **options: str) -> dict[str, str]:
    """The environment of its services."""
    return {
        **os.environ,
        "TRADEWIND_HOME": str(world.settings.home),
        "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": world.settings.database.sql_alchemy_conn,
        "TRADEWIND__CORE__DAGS_FOLDER": str(dags_folder),
        "TRADEWIND__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        **options,
    }


def read_dags(world: World, environ: Mapping[str, str], expected: set[str]) -> None:
    """Have the DAG processor read all files once. Raises where it does not find what is expected."""
    subprocess.run([*COMMAND, "dag-processor", "--num-runs", "2"], env=environ, check=True, capture_output=True)
    with world.wiring.database.engine.connect() as connection:
        known = set(connection.execute(sa.select(dag.c.dag_id)).scalars())
    if known != expected:
        raise Stalled("the DAG file was not read")


@contextmanager
def running_services(
    environ: Mapping[str, str], commands: Sequence[Sequence[str]], home: Path
) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """For as long as the block runs; then they end, with the workers that they started."""
    services = [subprocess.Popen([*COMMAND, *command], env=environ) for command in commands]
    try:
        yield services
    finally:
        ended: list[subprocess.Popen[bytes] | psutil.Process] = [*services, *workers(home)]
        for process in ended:
            process.send_signal(signal.SIGTERM)
            with suppress(psutil.Error, psutil.TimeoutExpired, subprocess.TimeoutExpired):
                process.wait(20)


def workers(home: Path) -> Iterator[psutil.Process]:
    """Those that the scheduler has started: they lead sessions of their own."""
    for process in psutil.process_iter(["cmdline"]):
        if "tradewind: worker of" in " ".join(process.info["cmdline"] or []):
            with suppress(psutil.Error):
                if process.environ().get("TRADEWIND_HOME") == str(home):
                    yield process


def await_web_server(url: str, server: "subprocess.Popen[bytes]") -> None:
    """Until it answers."""
    deadline = time.monotonic() + STALLED_AFTER_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/api/v2/version"):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(_POLL_S)
    raise Stalled("the web server does not answer")


def peak_mb(pid: int) -> float:
    """The most memory that a process has had so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / _KILO
