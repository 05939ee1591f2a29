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

QUESTIONS: Final = frozenset({"get_variable", "get_variable_keys", "get_connection"})
_PATIENCE_S: Final = 5.0


class Answers:
    """Takes questions, and hands out frames with their answers."""

    def __init__(self, answer: Answerer, send: Callable[[bytes], None]) -> None:
        self._answer = answer
        self._send = send
        self._questions: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="answers to DAG files", daemon=True)
        self._thread.start()

    def ask(self, question: Question) -> None:
        """It will be answered in its turn."""
        self._questions.put(question)

    def close(self) -> None:
        """Answer nothing more."""
        self._questions.put(None)
        self._thread.join(_PATIENCE_S)  # whoever it waits for may never answer

    def _run(self) -> None:
        while (question := self._questions.get()) is not None:
            with suppress(OSError):  # who asked is gone
                self._send(pack(FrameKind.ANSWER, self._answered(question)))

    def _answered(self, question: Question) -> Answer:
        try:
            if question.method not in QUESTIONS:
                return Answer(number=question.number, error=f"{question.method} needs a running task")
            found = self._answer(question.method, question.arguments)
        except Exception as error:  # whatever it is, the file has to be told
            return Answer(number=question.number, error=f"{type(error).__name__}: {error}")
        value = asdict(found) if is_dataclass(found) and not isinstance(found, type) else found
        return Answer(number=question.number, value=value)
