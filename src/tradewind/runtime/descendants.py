"""What is left of the processes that this one started, and of those that they started."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress

import psutil


def end_descendants(sleep: Callable[[float], None], patience_s: float) -> int:
    """Return when there are none any more; those that are there after so many seconds are killed.

    This process must get the orphans of all that it starts: see `subreaper`.

    Returns:
        How many had to be killed.
    """
    pause_s = 0.02
    killed = 0
    while not _are_all_gone():
        if patience_s <= 0:
            killed += _kill_all()
        sleep(pause_s)
        patience_s -= pause_s
    return killed


def _are_all_gone() -> bool:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def _kill_all() -> int:
    processes = psutil.Process().children(recursive=True)
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGKILL)
    return len(processes)
