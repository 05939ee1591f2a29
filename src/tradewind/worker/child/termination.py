"""SIGTERM: the task is told to stop.

The handler is set once, in the nursery, and inherited by all: each step that a child need not take lets a task start
sooner. Nursery and zygotes do not obey it, for they must see their children out.
"""

import os
import signal
import threading
from contextlib import suppress
from types import FrameType
from typing import ClassVar, NamedTuple

from tradewind.sdk.exceptions import AirflowTaskTerminated
from tradewind.worker.task_life.life import TaskLife


class _Child(NamedTuple):
    """Whose process this is."""

    pid: int
    life: TaskLife | None
    is_told: bool = False
    """Whether it was told to stop already."""


class _Obedience:
    child: _Child | None = None
    masks: ClassVar[dict[int, set[int]]] = {}
    """By thread that is about to fork: the signals that it blocked before."""


def handle_signals() -> None:
    """From now on, in this process and in all that it forks."""
    signal.signal(signal.SIGTERM, _terminate)
    # Not ignored, for programs that a task starts would inherit that.
    signal.signal(signal.SIGINT, _interrupt)
    os.register_at_fork(before=_hold_for_copy, after_in_parent=_release, after_in_child=_let_copy_be_ended)


def hold_termination() -> None:
    """Before a child is forked: what tells it to stop must not come before it listens, for then it would be lost.

    Python forgets the signals that reach a new process before it has put itself in order.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))


def release_termination() -> None:
    """What came meanwhile comes now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))


def obey_termination(life: TaskLife | None = None) -> None:
    """This process is a child, and may be told to stop: at once, or as the task wants to."""
    _Obedience.child = _Child(os.getpid(), life)
    if life is None:
        release_termination()


def obey_no_more() -> None:
    """This process is no child: it only lived like one."""
    _Obedience.child = None


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    child = _Obedience.child
    if child is None:
        return
    if child.life is None:
        os._exit(128 + signal.SIGTERM)
    if child.is_told:
        return  # it is on its way; to be told again would cut its last words and callbacks short
    _Obedience.child = child._replace(is_told=True)
    with suppress(Exception):
        child.life.kill()
    raise AirflowTaskTerminated("the task was told to stop (SIGTERM)")


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _Obedience.child is not None:
        signal.default_int_handler(number, frame)


def _hold_for_copy() -> None:
    """Before user code forks: a copy that is ended while it begins must get the signal when it can obey it.

    A pool of `multiprocessing` ends its workers as soon as it has what it wants, also those that have only begun, and
    then waits for them for ever.
    """
    if _Obedience.child is not None:
        _Obedience.masks[threading.get_ident()] = set(signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,)))


def _release() -> None:
    blocked = _Obedience.masks.pop(threading.get_ident(), None)
    if blocked is not None:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _let_copy_be_ended() -> None:
    """A copy that user code has forked ends nothing but itself, and at once.

    Without a handler: one of Python's runs only between two steps of Python code, and a copy that waits for a lock that
    nobody will ever release, as the workers of `multiprocessing` do when they are ended, takes no more steps.
    """
    if _Obedience.child is None:
        return  # forked by a zygote or the nursery
    if signal.getsignal(signal.SIGTERM) is _terminate:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _release()
