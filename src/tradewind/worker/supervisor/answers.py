"""What tasks ask for and say: answered here where that is possible, else gathered for the engine."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from tradewind.model.exchange import Refusal, Request
from tradewind.worker.protocol import Answer, Question
from tradewind.worker.questions import decode_arguments, encode_answer
from tradewind.worker.supervisor.attempt import Attempt
from tradewind.worker.supervisor.background import Background
from tradewind.worker.supervisor.options import OutsideSecrets

_OUTSIDE: Final = ("get_variable", "get_connection")
"""What may be known outside of the database."""


class _Asked(NamedTuple):
    """What a task has asked for or said, and nobody has answered."""

    attempt: Attempt
    question: Question
    arguments: Mapping[str, object]
    waits: bool

    @property
    def request(self) -> Request:
        """The same for the engine."""
        return Request(self.attempt.key, self.attempt.order.asker, self.question.method, self.arguments)


class Answers:
    """Takes questions, and gives the answers to who asked."""

    def __init__(self, secrets: OutsideSecrets, background: Background) -> None:
        self._secrets = secrets
        self._background = background
        self._open: list[_Asked] = []

    def __len__(self) -> int:
        return len(self._open)

    def ask(self, attempt: Attempt, question: Question, waits: bool) -> None:
        """A task asks for something, or says something."""
        try:
            asked = _Asked(attempt, question, decode_arguments(question.method, question.arguments), waits)
        except (ValueError, msgspec.MsgspecError) as error:
            _give(_Asked(attempt, question, {}, waits), Refusal(type(error).__name__, str(error)))
            return
        if question.method not in _OUTSIDE:
            self._open.append(asked)
        elif self._secrets.is_slow:
            self._background.run(lambda: self._find(asked), lambda found: self._found(asked, found))
        else:
            self._found(asked, self._find(asked))

    def requests(self) -> list[Request]:
        """What the engine is to answer, in order."""
        return [asked.request for asked in self._open]

    def give(self, answers: Sequence[object]) -> None:
        """The engine has answered all of them."""
        asked, self._open = self._open, []
        for each, answer in zip(asked, answers, strict=True):
            _give(each, answer)

    def _find(self, asked: _Asked) -> object | None:
        try:
            return self._secrets.answer(asked.question.method, asked.arguments)
        except Exception as error:  # a backend is somebody else's code
            return Refusal(type(error).__name__, str(error))

    def _found(self, asked: _Asked, found: object | None) -> None:
        if found is None:
            self._open.append(asked)
        else:
            _give(asked, found)


def _give(asked: _Asked, answer: object) -> None:
    attempt, question = asked.attempt, asked.question
    if isinstance(answer, Refusal):
        if asked.waits:
            attempt.answer(Answer(question.number, error_kind=answer.kind, error=answer.message))
        else:
            attempt.spoiled = attempt.spoiled or answer.message
    elif asked.waits:
        attempt.answer(Answer(question.number, encode_answer(question.method, answer)))
