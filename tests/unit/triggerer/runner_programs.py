"""Real runner processes for tests: what they say, and a supervisor that answers them."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tradewind.triggerer.protocol import Code, FrameKind, Start, TaskName, Watch, decode_asked
from tradewind.triggerer.runner_process import WATCHER_RUNNER, Frame, RunnerProcess
from tradewind.worker.protocol import Answer
from tradewind.worker.questions import decode_arguments, encode_answer

PATIENCE_S = 60.0
PROGRAMS = ("triggers", "watchers")


class Program:
    """A runner of triggers or of watchers, whose classes are in one file. It is answered with these variables."""

    def __init__(self, program: str, folder: Path, text: str, variables: Mapping[str, str]) -> None:
        (folder / "noisy.py").write_text(text)
        self._is_of_watchers = program == "watchers"
        self._variables = variables
        self._code = Code("files", str(folder), "noisy.py", "")
        self._heard = threading.Event()
        self.askers: list[int] = []
        """Who asked, one for each question."""
        self.frames: list[Frame] = []
        arguments = {"program": WATCHER_RUNNER} if self._is_of_watchers else {}
        self.process = RunnerProcess(dict(os.environ), self._heard.set, self._answer, **arguments)

    def start(self, number: int, name: str) -> None:
        """Have it run a class of the file."""
        path = f"noisy.{name}"
        if self._is_of_watchers:
            self.process.send(FrameKind.WATCH, Watch(number, path, "{}", self._code, [], 0))
        else:
            task = TaskName("d", "r", "t", -1, 1)
            self.process.send(FrameKind.START, [Start(number, path, "{}", task, self._code)])

    def until(self, is_enough: Callable[[list[Frame]], bool]) -> list[Frame]:
        """All that it said so far, once that is enough."""
        while True:
            self.frames += self.process.frames()
            if is_enough(self.frames):
                return self.frames
            assert self._heard.wait(PATIENCE_S), "the runner says nothing"
            self._heard.clear()

    def until_event(self) -> bytes:
        """What it said of the first trigger that fired, or watcher that saw something."""
        kinds = (FrameKind.FIRED, FrameKind.SEEN)
        frames = self.until(lambda frames: any(kind in kinds for kind, _ in frames))
        return next(content for kind, content in frames if kind in kinds)

    def _answer(self, content: bytes, reply: Callable[[Answer], None]) -> None:
        asked = decode_asked(content)
        self.askers.append(asked.trigger)
        arguments = decode_arguments(asked.question.method, asked.question.arguments)
        value = self._variables.get(str(arguments["key"]))
        reply(Answer(asked.question.number, encode_answer(asked.question.method, value)))


@contextmanager
def running(program: str, folder: Path, text: str, variables: Mapping[str, str] | None = None) -> Iterator[Program]:
    """One, while the block runs."""
    made = Program(program, folder, text, variables or {})
    try:
        yield made
    finally:
        made.process.kill()
        made.process.close()
