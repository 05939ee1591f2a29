"""Has connections tried out, each by a process of its own: `child/connection_test.py`."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from tradewind.model.connection_text import build_json
from tradewind.model.task_answers import ConnectionResult

_COMMAND: Final = (sys.executable, "-P", "-m", "tradewind.worker.child.connection_test")


class Trial:
    """One connection that is tried out."""

    def __init__(self, connection: ConnectionResult, environ: Mapping[str, str], *, patience_s: float) -> None:
        """The environment should hold no secret."""
        self._connection = connection
        self._environ = environ
        self._patience_s = patience_s
        self._process: subprocess.Popen[bytes] | None = None
        self._is_called_off = False

    def run(self) -> tuple[bool, str]:
        """Whether it works, and a sentence about it, which may repeat what is secret."""
        connection = self._connection
        question = json.dumps({"conn_id": connection.conn_id, "connection": build_json(connection)}).encode()
        process = self._process = subprocess.Popen(
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(self._environ),
            start_new_session=True,
        )
        if self._is_called_off:
            _kill(process)
        try:
            answer, _ = process.communicate(question, timeout=self._patience_s)
        except subprocess.TimeoutExpired:
            return False, f"it gave no answer within {self._patience_s:g} seconds"
        finally:
            _kill(process)
            process.communicate()
        if self._is_called_off:
            return False, "its worker was stopped"
        try:
            works, message = json.loads(answer)
        except ValueError:
            return False, f"the process that tried it out ended without an answer, with exit code {process.returncode}"
        return bool(works), str(message)

    def call_off(self) -> None:
        """Nobody waits for it any more. For other threads than the one that runs it, and for signal handlers."""
        self._is_called_off = True
        if self._process is not None:
            _kill(self._process)


def try_connection(connection: ConnectionResult, environ: Mapping[str, str], *, patience_s: float) -> tuple[bool, str]:
    """The same, of one that nobody calls off."""
    return Trial(connection, environ, patience_s=patience_s).run()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """With whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
