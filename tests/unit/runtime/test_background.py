"""Processes that outlive whoever starts them."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tradewind.runtime.background import Background


def test_a_process_has_its_own_session_its_environment_and_a_log(tmp_path: Path) -> None:
    script = "import os, sys; print(os.getsid(0) == os.getpid(), os.environ['NAME'], sys.stdin.read() == '')"
    background = Background({"NAME": "value"})

    for _ in range(2):
        process = background.start([sys.executable, "-c", script], tmp_path / "log")
        os.waitpid(process, 0)

    assert (tmp_path / "log").read_text() == 2 * "True value True\n"
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


def test_what_has_ended_is_cleared_away_when_the_next_one_starts(tmp_path: Path) -> None:
    background = Background()
    ended = background.start([sys.executable, "-c", ""], tmp_path / "log")
    # Its end can be seen without taking it away.
    os.waitid(os.P_PID, ended, os.WEXITED | os.WNOWAIT)

    running = background.start([sys.executable, "-c", ""], tmp_path / "log")

    with pytest.raises(ChildProcessError):
        os.waitpid(ended, os.WNOHANG)
    os.waitpid(running, 0)


def test_it_is_known_who_still_runs(tmp_path: Path) -> None:
    background = Background()
    script = "import signal; signal.pause()"
    process = background.start([sys.executable, "-c", script], tmp_path / "log")
    assert background.is_running(process)

    os.kill(process, signal.SIGKILL)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)

    assert not background.is_running(process)


def test_a_command_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Background().start([str(tmp_path / "nothing")], tmp_path / "log")
