"""A process with one thread that forks others, and ends whatever they leave behind.

It is a subreaper: a process whose parent has died becomes its child. A child that it did not fork is therefore what an
attempt has left running, and is killed. (While an attempt lives, what it orphans goes to the attempt itself, which is a
subreaper too.) See decision 0009.
"""

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, NoReturn

from tradewind.runtime.subreaper import become_subreaper
from tradewind.worker.child.termination import hold_termination, release_termination
from tradewind.worker.protocol import Command, Forked, Gone, NotForked, Notice, Signal, decode_command, encode

_LARGEST_COMMAND: Final = 64 * 1024
_MOST_DESCRIPTORS: Final = 3
_LARGEST_LIST: Final = 64 * 1024
_BYTES_PER_MAXRSS: Final = 1024 if sys.platform == "linux" else 1


class Forker:
    """Obeys the commands that come in at `control`, until that is closed at the other end."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self._numbers: dict[int, int] = {}
        """By pid: which command it was forked for."""
        self._ended_reading, self._ended_writing = -1, -1
        self._children_list = -1

    def run(self) -> None:
        """Until the other end of the control socket is closed; then nothing that was forked is left."""
        become_subreaper()
        self._listen_for_ends()
        with suppress(OSError):  # a kernel that does not tell
            self._children_list = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY)
        poll = select.poll()
        for descriptor in (self.control.fileno(), self._ended_reading):
            poll.register(descriptor, select.POLLIN)
        while self.is_wanted():
            for descriptor, _ in poll.poll(self.patience_ms()):
                if descriptor == self._ended_reading:
                    self._reap()
                elif not self._hear():
                    self.end_everything()
                    return
        self.end_everything()

    def is_wanted(self) -> bool:
        """Whether to go on."""
        return True

    def patience_ms(self) -> int | None:
        """How long to wait for a command before asking `is_wanted` again."""
        return None

    def obey(self, command: Command, descriptors: list[int]) -> None:
        """Carry out a command other than `Signal`. The descriptors are closed afterwards."""
        raise NotImplementedError

    def fork(self, number: int, live: Callable[[], NoReturn]) -> None:
        """Start a process for that number. It does not hear SIGTERM until it says so: see `hold_termination`."""
        hold_termination()
        try:
            pid = os.fork()
        except OSError as error:
            release_termination()
            self.tell(NotForked(number, str(error)))
            return
        if pid == 0:
            self._leave()
            live()
        release_termination()
        self._numbers[pid] = number
        self.tell(Forked(number, pid))

    def tell(self, notice: Notice) -> None:
        """Say something to whoever gives the commands."""
        with suppress(BrokenPipeError, ConnectionError):  # then the next thing heard is the end
            self.control.sendall(encode(notice))

    def end_everything(self) -> None:
        """Kill all children, those that become ours thereby, and so on until none is left."""
        while True:
            for pid in self._children():
                _kill(pid)
            try:
                os.wait()
            except ChildProcessError:
                return

    def _leave(self) -> None:
        """In the new process: let go of what belongs to the parent."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in (self._ended_reading, self._ended_writing, self._children_list):
            if descriptor >= 0:
                os.close(descriptor)
        self.control.close()

    def _listen_for_ends(self) -> None:
        self._ended_reading, self._ended_writing = os.pipe()
        os.set_blocking(self._ended_reading, False)
        os.set_blocking(self._ended_writing, False)
        signal.set_wakeup_fd(self._ended_writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def _hear(self) -> bool:
        """Take one command. False: nobody is there any more."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.control, _LARGEST_COMMAND, _MOST_DESCRIPTORS)
        except ConnectionError:
            return False
        if not data:
            return False
        try:
            command = decode_command(data)
            if isinstance(command, Signal):
                self._signal(command)
            else:
                self.obey(command, descriptors)
        finally:
            for descriptor in descriptors:
                with suppress(OSError):  # given to an object that has closed it
                    os.close(descriptor)
        return True

    def _signal(self, command: Signal) -> None:
        for pid, number in self._numbers.items():
            if number == command.number:
                _tell(pid, command.signal)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._ended_reading, 4096):
                pass
        gone = list(self._ended())
        self._kill_strangers()  # before anybody is told that an attempt is over
        for notice in gone:
            self.tell(notice)

    def _ended(self) -> Iterator[Gone]:
        """Those that have ended, of those that were forked here."""
        with suppress(ChildProcessError):
            while True:
                pid, status, used = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    return
                number = self._numbers.pop(pid, None)
                if number is not None:
                    yield _gone(number, status, used)

    def _kill_strangers(self) -> None:
        for pid in self._children():
            if pid not in self._numbers:
                _kill(pid)

    def _children(self) -> list[int]:
        if self._children_list < 0:
            return list(self._numbers)
        listed = b""
        while part := os.pread(self._children_list, _LARGEST_LIST, len(listed)):
            listed += part
        return [int(pid) for pid in listed.split()]


def _gone(number: int, status: int, used: Any) -> Gone:
    cpu_s = used.ru_utime + used.ru_stime
    return Gone(number, os.waitstatus_to_exitcode(status), cpu_s, used.ru_maxrss * _BYTES_PER_MAXRSS)


def _tell(pid: int, number: int) -> None:
    """Send a signal once to a process and its group; a process that leads no group yet is meant alone."""
    with suppress(ProcessLookupError, PermissionError):
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            os.kill(pid, number)


def _kill(pid: int) -> None:
    """End a process and the group that it made, also one that has left that group."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def monotonic() -> float:
    """Seconds that never go back. Nobody fakes time in these processes."""
    return time.monotonic()  # noqa: TID251
