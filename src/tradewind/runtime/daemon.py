"""A process that leaves the terminal it was started from."""

import os
from pathlib import Path


def become_daemon(output: Path, errors: Path) -> None:
    """Go on in the background, in a session of its own, with what is written appended to these files.

    The process that was started ends here. Call it before there are threads or connections.
    """
    opened = [_opened(path) for path in (output, errors)]
    nothing = os.open(os.devnull, os.O_RDONLY)
    _go_on_in_a_copy()
    os.setsid()
    _go_on_in_a_copy()  # who leads no session can never get a terminal again
    os.dup2(nothing, 0)
    for number, descriptor in enumerate(opened, start=1):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.close(nothing)


def _opened(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def _go_on_in_a_copy() -> None:
    if os.fork():
        os._exit(os.EX_OK)
