"""The runner's end of its socket to the supervisor (E3)."""

import socket
import subprocess
import sys

_STUCK_RUNNER = """
import socket, sys
from tradewind.triggerer.runner.link import Link
link = Link(socket.socket(fileno=int(sys.argv[1])), patience_s=0.01)
link.listen(lambda kind, content: None, lambda: None)
print("listening", flush=True)
while True:
    pass
"""


def test_a_runner_that_never_awaits_ends_with_its_supervisor() -> None:
    """E3: no process outlives the triggerer, whatever a trigger does to the event loop."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-c", _STUCK_RUNNER, str(theirs.fileno())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, pass_fds=[theirs.fileno()]) as runner:
        theirs.close()
        try:
            assert runner.stdout is not None
            assert runner.stdout.readline() == b"listening\n"
            ours.close()
            assert runner.wait(timeout=60) == 1
        finally:
            runner.kill()
