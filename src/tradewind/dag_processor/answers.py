"""Answers the questions of DAG files that are being read, in a thread of its own: they may take long."""

import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from tradewind.dag_processor.protocol import Answer, FrameKind, Question
from tradewind.wire.frames import pack

Answerer = Callable[[str, Mapping[str, Any]], object]
"""The name of a method of `sdk.runtime.SecretsRuntime`, and its arguments."""

_QUESTIONS: Final = frozenset({"get_variable", "get_variable_keys", "get_connection"})
_OF_CALLBACKS: Final = _QUESTIONS | {"get_xcom"}
"""What may be asked after the end of a task or of a run."""
_PATIENCE_S: Final = 5.0


class Answers:
    """Takes questions, and hands out frames with their answers."""

    def __init__(self, answer: Answerer, send: Callable[[bytes], None]) -> None:
        self._answer = answer
        self._send = send
        self._questions: queue.SimpleQueue[tuple[Question, bool] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="answers to DAG files", daemon=True)
        self._thread.start()

    def ask(self, question: Question, *, is_of_callback: bool) -> None:
        """It will be answered in its turn."""
        self._questions.put((question, is_of_callback))

    def close(self) -> None:
        """Answer nothing more."""
        self._questions.put(None)
        self._thread.join(_PATIENCE_S)  # whoever it waits for may never answer

    def _run(self) -> None:
        while (asked := self._questions.get()) is not None:
            with suppress(OSError):  # who asked is gone
                self._send(pack(FrameKind.ANSWER, self._answered(*asked)))

    def _answered(self, question: Question, is_of_callback: bool) -> Answer:
        try:
            if question.method not in (_OF_CALLBACKS if is_of_callback else _QUESTIONS):
                return Answer(number=question.number, error=f"{question.method} needs a running task")
            found = self._answer(question.method, question.arguments)
        except Exception as error:  # whatever it is, the file has to be told
            return Answer(number=question.number, error=f"{type(error).__name__}: {error}")
        value = asdict(found) if is_dataclass(found) and not isinstance(found, type) else found
        return Answer(number=question.number, value=value)
