"""`tradewind standalone` as a process, and what a person or a client sees of it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil

from tests.acceptance.deployment import PATIENCE_S, until

COMMAND: Final = (sys.executable, "-m", "tradewind.cli.main")
_STARTED: Final = re.compile(r"^(\S.*?) +\| started, process (\d+)$", re.MULTILINE)
_PASSWORD: Final = re.compile(r"log in as admin with the password (\w+)$", re.MULTILINE)


def free_port() -> int:
    """One that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@dataclass(slots=True)
class Standalone:
    """A deployment of one command."""

    home: Path
    port: int
    environ: Mapping[str, str]
    process: "subprocess.Popen[bytes]"
    token: str = ""
    seen: dict[int, psutil.Process] = field(default_factory=dict)
    """All processes of it that were ever looked at."""

    @property
    def said(self) -> str:
        """What it wrote to its terminal."""
        return _output(self.home).read_text(encoding="utf-8", errors="replace")

    @property
    def password(self) -> str:
        """That it told."""
        (password,) = _PASSWORD.findall(self.said)
        return str(password)

    def pids(self, name: str) -> list[int]:
        """The processes that a component has had, the latest last."""
        return [int(pid) for component, pid in _STARTED.findall(self.said) if component == name]

    def until(self, text: str) -> None:
        """Until it has said so."""
        try:
            until(lambda: text in self.said, f"it to say {text!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.said}") from None

    def command(self, *words: str) -> str:
        """What a command of `tradewind` writes in another terminal; it must not fail."""
        done = subprocess.run(
            [*COMMAND, *words], env=dict(self.environ), capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """The status and the JSON of an answer; no status: nobody answered."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read() or b"null")
        except OSError:
            return 0, None

    def log_in(self, password: str) -> int:
        """As the administrator; the status of the answer."""
        status, answer = self.ask("POST", "/auth/token", {"username": "admin", "password": password})
        if status == 201:
            self.token = answer["access_token"]
        return status

    def is_healthy(self) -> bool:
        """Whether all components were heard of."""
        _, health = self.ask("GET", "/api/v2/monitor/health")
        names = ("metadatabase", "scheduler", "dag_processor", "triggerer")
        return health is not None and all(health[name]["status"] == "healthy" for name in names)

    def look(self) -> list[psutil.Process]:
        """All its living processes, also those whose parents are gone."""
        with suppress(psutil.NoSuchProcess):
            self.seen |= {each.pid: each for each in psutil.Process(self.process.pid).children(recursive=True)}
        return [each for each in self.seen.values() if _lives(each)]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to stop; its exit code."""
        self.look()
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


def standing(
    home: Path, port: int, *, dags_folder: Path, variables: Mapping[str, str] | None = None
) -> AbstractContextManager[Standalone]:
    """One for as long as the block runs; afterwards not one of its processes is left."""
    words = ("standalone", "--home", str(home), "--dags-folder", str(dags_folder), "--port", str(port))
    return started_by(words, home, port, variables or {})


@contextmanager
def started_by(words: Sequence[str], home: Path, port: int, variables: Mapping[str, str]) -> Iterator[Standalone]:
    """The same by any command that starts all of it."""
    home.mkdir(parents=True, exist_ok=True)
    environ = {**os.environ, "TRADEWIND_HOME": str(home), **variables}
    with _output(home).open("wb") as output:
        process = subprocess.Popen([*COMMAND, *words], env=environ, stdout=output, stderr=output)
    made = Standalone(home, port, environ, process)
    try:
        made.until("ready after")
        yield made
    finally:
        made.look()
        if process.poll() is None:
            made.stop()
        left = made.look()
        for each in left:
            with suppress(psutil.NoSuchProcess):
                each.kill()
    assert left == [], made.said


def _output(home: Path) -> Path:
    return home.with_name(f"{home.name}.terminal.txt")


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
