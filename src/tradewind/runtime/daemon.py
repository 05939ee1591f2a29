"""A process that leaves the terminal it was started from."""

import os
from pathlib import Path


def become_daemon(log: Path) -> None:
    """Go on in the background, in a session of its own, with what is written appended to `log`.

    The process that was started ends here. Call it before there are threads or connections.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    _go_on_in_a_copy()
    os.setsid()
    _go_on_in_a_copy()  # who leads no session can never get a terminal again
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(nothing)
    os.close(output)


def _go_on_in_a_copy() -> None:
    if os.fork():
        os._exit(os.EX_OK)
