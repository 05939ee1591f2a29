"""Which process hears which signal: what user code forks is ended as any program is (D2, E1)."""

import subprocess
import sys

import pytest

PREPARED = """
import os, signal, sys
from tradewind.worker.child.termination import (
    handle_signals, hold_termination, obey_termination, release_termination
)
handle_signals()
"""
TELLS_OF_COPY = """
pid = os.fork()
if pid == 0:
    signal.raise_signal(signal.SIGTERM)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def says(code: str) -> str:
    """What a fresh interpreter prints."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return ran.stdout.strip()


def test_nursery_and_zygotes_do_not_listen() -> None:
    assert says(
        PREPARED + "os.kill(os.getpid(), signal.SIGTERM); signal.raise_signal(signal.SIGINT); print('here')"
    ) == ("here")


def test_what_a_zygote_forks_does_not_listen_before_it_has_a_task() -> None:
    assert says(PREPARED + TELLS_OF_COPY) == "7"


def test_a_child_that_is_told_to_stop_while_it_begins_stops() -> None:
    """Else it would only be killed when the patience of who told it has run out."""
    act = """
ends = set()
for _ in range(100):
    reading, writing = os.pipe()
    hold_termination()
    pid = os.fork()
    if pid == 0:
        os.close(writing)
        obey_termination()
        os.read(reading, 1)
        os._exit(7)
    release_termination()
    os.kill(pid, signal.SIGTERM)
    os.close(writing)
    os.close(reading)
    ends.add(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(ends)
"""
    assert says(PREPARED + act) == "{143}"


def test_a_copy_that_a_task_forks_is_ended_by_the_system() -> None:
    assert says(PREPARED + "obey_termination()\n" + TELLS_OF_COPY) == "-15"


def test_a_copy_that_is_ended_while_it_begins_ends() -> None:
    """As the workers of a pool that has all it wanted: who waits for them would wait for ever."""
    act = """
obey_termination()
ends = set()
for _ in range(100):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(7)
    os.kill(pid, signal.SIGTERM)
    os.close(writing)
    os.close(reading)
    ends.add(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(ends)
"""
    assert says(PREPARED + act) == "{-15}"


def test_forking_leaves_the_task_listening() -> None:
    act = """
obey_termination()
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGUSR1,))
if os.fork() == 0:
    os._exit(0)
print(signal.pthread_sigmask(signal.SIG_BLOCK, ()) == {signal.SIGUSR1})
"""
    assert says(PREPARED + act) == "True"


def test_a_handler_of_the_authors_own_stays() -> None:
    own = "obey_termination()\nsignal.signal(signal.SIGTERM, lambda *_: os._exit(3))\n"

    assert says(PREPARED + own + TELLS_OF_COPY) == "3"


def test_a_task_is_told_to_stop_once() -> None:
    """D4: told again, it would leave what it does in its last moments undone, such as its callbacks."""
    act = """
from tradewind.sdk.exceptions import AirflowTaskTerminated
class Life:
    def kill(self):
        print("on_kill", flush=True)
obey_termination(Life())
try:
    signal.raise_signal(signal.SIGTERM)
except AirflowTaskTerminated:
    signal.raise_signal(signal.SIGTERM)
    print("called back")
"""
    assert says(PREPARED + act).split("\n") == ["on_kill", "called back"]


@pytest.mark.parametrize(
    ("leads", "expected"), [(True, ["killpg"]), (False, ["killpg", "kill"])], ids=["a leader", "no leader yet"]
)
def test_a_process_is_sent_a_signal_once(leads: bool, expected: list[str]) -> None:
    """D4: by its group if it leads one. Two signals are one only while the first was not heard."""
    act = f"""
import socket
from tradewind.worker.child.forker import Forker
from tradewind.worker.protocol import Signal
calls = []
def killpg(pid, number):
    calls.append("killpg")
    if not {leads}:
        raise ProcessLookupError
forker = Forker(socket.socketpair()[0])
forker.fork(1, lambda: os._exit(0))
os.killpg, os.kill = killpg, lambda pid, number: calls.append("kill")
forker._signal(Signal(1, signal.SIGTERM))
print(*calls)
"""
    assert says(PREPARED + act).split() == expected


@pytest.mark.parametrize(("number", "expected"), [("SIGTERM", "143"), ("SIGINT", "interrupted")])
def test_a_child_without_a_task_listens(number: str, expected: str) -> None:
    act = f"""
pid = os.fork()
if pid == 0:
    obey_termination()
    try:
        signal.raise_signal(signal.{number})
    except KeyboardInterrupt:
        os.write(1, b"interrupted")
        os._exit(0)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if code:
    print(code)
"""
    assert says(PREPARED + act) == expected
