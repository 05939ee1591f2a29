"""SIGTERM: the task is told to stop.

The handler is set once, in the nursery, and inherited by all: each step that a child need not take lets a task start
sooner. Nursery and zygotes do not obey it, for they must see their children out.
"""

import os
import signal
from contextlib import suppress
from types import FrameType
from typing import NamedTuple

from tradewind.sdk.exceptions import AirflowTaskTerminated
from tradewind.worker.task_life.life import TaskLife


class _Child(NamedTuple):
    """Whose process this is."""

    pid: int
    life: TaskLife | None


class _Obedience:
    child: _Child | None = None


def handle_signals() -> None:
    """From now on, in this process and in all that it forks."""
    signal.signal(signal.SIGTERM, _terminate)
    # Not ignored, for programs that a task starts would inherit that.
    signal.signal(signal.SIGINT, lambda *_: None)


def obey_termination(life: TaskLife | None = None) -> None:
    """This process is a child, and may be told to stop: at once, or as the task wants to."""
    _Obedience.child = _Child(os.getpid(), life)


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    child = _Obedience.child
    if child is None:
        return
    # A copy that user code has forked shall end nothing but itself.
    if child.pid != os.getpid() or child.life is None:
        os._exit(128 + signal.SIGTERM)
    with suppress(Exception):
        child.life.kill()
    raise AirflowTaskTerminated("the task was told to stop (SIGTERM)")
