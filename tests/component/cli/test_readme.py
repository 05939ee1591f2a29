"""What README.md promises under "Start" is true, word by word (A1)."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conformance.executors.supervised import stop_worker

PATIENCE_S = 120.0
README = Path(__file__).parents[3] / "README.md"
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)


class Terminal:
    """A shell in a folder, with the variables that the README sets."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environ = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TRADEWIND_HOME": str(folder / "home"),
        }

    def run(self, line: str) -> str:
        """What a command writes; it must succeed."""
        done = subprocess.run(
            ["bash", "-ec", line],
            cwd=self._folder,
            env=self._environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, line: str) -> subprocess.Popen[bytes]:
        """A command that goes on, as in a terminal of its own."""
        return subprocess.Popen(["bash", "-c", f"exec {line}"], cwd=self._folder, env=self._environ)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    (tmp_path / "home" / "dags").mkdir(parents=True)
    yield Terminal(tmp_path)
    stop_worker(tmp_path / "home", "LocalExecutor")


@pytest.fixture
def services() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for service in started:
        service.terminate()
    assert [service.wait(PATIENCE_S) for service in started] == [0] * len(started)


def until(is_true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < deadline, f"in vain waited until {what}"


def test_the_quick_start_does_what_it_says(
    tmp_path: Path, terminal: Terminal, services: list[subprocess.Popen[bytes]]
) -> None:
    text = README.read_text(encoding="utf-8").partition("## The parts")[0]
    (tmp_path / "home" / "dags" / "hello.py").write_text(PYTHON.findall(text)[0], encoding="utf-8")
    _make, prepare, processor, scheduler, use = SHELL.findall(text)

    terminal.run(prepare)
    services += [terminal.start(processor.partition("#")[0]), terminal.start(scheduler.partition("#")[0])]
    until(lambda: "hello" in terminal.run("tradewind dags list"), "the DAG was read")
    shown = [terminal.run(line) for line in use.splitlines()]

    assert any("first" in text for text in shown)
    assert "hello world" in shown[-1]
    until(lambda: terminal.run("tradewind dags state hello first") == "success\n", "the run succeeded")
