"""The executors of this machine, with a supervisor whose attempts end when the suite says so."""

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

from tests.conformance.executors.places import NAME, PATIENCE_S, Place
from tests.conformance.executors.small_supervisor import CONTROL
from tradewind.executors.context import ExecutorContext
from tradewind.executors.interface import Executor
from tradewind.executors.local import LocalExecutor, SequentialExecutor
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.task import WorkItem
from tradewind.runtime.background import Background
from tradewind.runtime.clock import Clock, SystemClock
from tradewind.runtime.socket_folder import make_worker_folder
from tradewind.settings import load_settings
from tradewind.telemetry.events import Event
from tradewind.telemetry.hub import Hub


class LocalPlace(Place):
    """`LocalExecutor`."""

    kind: ClassVar[type[LocalExecutor]] = LocalExecutor

    def __init__(self, home: Path, clock: Clock | None = None, *, starts: bool = True) -> None:
        """`starts`: whether supervisors really come up when they are started."""
        self.home = home
        self.events: list[Event] = []
        self.starts = 0
        self.refusal: OSError | None = None
        """What the system says when a process shall be started."""
        self._really_starts = starts
        self._clock = clock or SystemClock()
        self._executors: list[Executor] = []
        self._background = Background()
        self._process: int | None = None
        self._control: socket.socket | None = None
        self._ended: set[AttemptKey] = set()

    def executor(self) -> Executor:
        settings = load_settings({"TRADEWIND_HOME": str(self.home)})
        context = ExecutorContext(NAME, settings, self._clock, Hub(self.events.append), self.start_worker)
        made = type(self).kind(context)
        self._executors.append(made)
        return made

    def start_worker(self, name: str) -> None:
        """What the executor calls when nobody listens."""
        self.starts += 1
        if self.refusal is not None:
            raise self.refusal
        if self._really_starts and self._process is None:
            folder = make_worker_folder(self.home, name)
            command = [sys.executable, "-m", "tests.conformance.executors.small_supervisor", str(folder)]
            self._process = self._background.start(command, folder / "worker.log")

    def ask(self, what: str, **details: object) -> Any:
        """Ask the supervisor, and wait for its answer."""
        if self._control is None:
            self._control = self._connected()
        self._control.sendall(json.dumps({"what": what, **details}).encode() + b"\n")
        with self._control.makefile("rb") as answers:
            return json.loads(answers.readline())

    def arrived(self) -> list[WorkItem]:
        for executor in self._executors:
            executor.reports()
        items = [WorkItem(*item) for item in self.ask("work")]
        return [item._replace(attempt=AttemptKey(RunKey(item.attempt[0]), *item.attempt[1:])) for item in items]

    def let_end(self, attempt: AttemptKey) -> None:
        assert attempt in [item.attempt for item in self.arrived()]
        self.ask("end", attempt=list(attempt))
        self._ended.add(attempt)

    def ended(self) -> set[AttemptKey]:
        return self._ended

    def replace_workers(self) -> None:
        self.kill()

    def freeze(self) -> None:
        self.arrived()
        assert self._process is not None
        os.kill(self._process, signal.SIGSTOP)

    def kill(self) -> None:
        """End the supervisor at once."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            self._process = None

    def close(self) -> None:
        for executor in self._executors:
            executor.close()
        self.kill()

    def _connected(self) -> socket.socket:
        """It takes a moment until a new supervisor listens."""
        path = make_worker_folder(self.home, NAME) / CONTROL
        deadline = time.monotonic() + PATIENCE_S
        while True:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.connect(str(path))
            except OSError:
                connection.close()
                assert time.monotonic() < deadline, "no supervisor listens"
            else:
                return connection


class SequentialPlace(LocalPlace):
    """`SequentialExecutor`."""

    kind = SequentialExecutor
