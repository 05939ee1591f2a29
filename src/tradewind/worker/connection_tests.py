"""Has connections tried out, each by a process of its own: `child/connection_test.py`."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from tradewind.model.connection_text import build_json
from tradewind.model.task_answers import ConnectionResult

_COMMAND: Final = (sys.executable, "-P", "-m", "tradewind.worker.child.connection_test")
_PATIENCE_S: Final = 60.0


def try_connection(
    connection: ConnectionResult, environ: Mapping[str, str], *, patience_s: float = _PATIENCE_S
) -> tuple[bool, str]:
    """Whether it works, and a sentence about it. The environment should hold no secret."""
    question = json.dumps({"conn_id": connection.conn_id, "connection": build_json(connection)}).encode()
    process = subprocess.Popen(
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(environ),
        start_new_session=True,
    )
    try:
        answer, _ = process.communicate(question, timeout=patience_s)
    except subprocess.TimeoutExpired:
        return False, f"it gave no answer within {patience_s:g} seconds"
    finally:
        _end(process)
    try:
        works, message = json.loads(answer)
    except ValueError:
        return False, f"the process that tried it out ended without an answer, with exit code {process.returncode}"
    return bool(works), str(message)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With whatever it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        process.communicate()
