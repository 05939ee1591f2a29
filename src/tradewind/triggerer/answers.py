"""Answers what triggers ask, in a thread of its own: it may take long, and events must not wait for it."""

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Protocol

import msgspec

from tradewind.model.assignment import Asker
from tradewind.model.exchange import Refusal, Request
from tradewind.model.ids import AttemptKey, TriggerKey
from tradewind.triggerer.protocol import decode_asked
from tradewind.worker.protocol import Answer, Question
from tradewind.worker.questions import decode_arguments, encode_answer

_OUTSIDE: Final = ("get_variable", "get_connection")
"""What may be known outside of the database."""
_MOST_AT_ONCE: Final = 500
_PATIENCE_S: Final = 5.0


class Outside(Protocol):
    """Where variables and connections are looked for first; `secrets.chain.SecretsChain` is one."""

    def answer(self, question: str, arguments: Mapping[str, object]) -> object | None:
        """The answer, if it has one."""


Reply = Callable[[Answer], None]
"""Gives an answer to whoever asked."""
Whose = Callable[[TriggerKey], tuple[AttemptKey, Asker] | None]
"""In whose name a trigger asks. Nobody's: it is no longer run here."""


class Answers:
    """Takes questions, and hands out answers. Those that have gathered are answered together."""

    def __init__(
        self,
        whose: Whose,
        outside: Outside,
        answer: Callable[[Sequence[Request]], list[object]],
    ) -> None:
        self._whose = whose
        self._outside = outside
        self._answer = answer
        self._open: queue.SimpleQueue[tuple[bytes, Reply] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="answers to triggers", daemon=True)
        self._thread.start()

    def ask(self, content: bytes, reply: Reply) -> None:
        """It will be answered in its turn."""
        self._open.put((content, reply))

    def close(self) -> None:
        """Answer nothing more."""
        self._open.put(None)
        self._thread.join(_PATIENCE_S)  # whoever it waits for may never answer

    def _run(self) -> None:
        while True:
            gathered = [self._open.get()]
            with suppress(queue.Empty):
                while len(gathered) < _MOST_AT_ONCE:
                    gathered.append(self._open.get_nowait())
            self._answer_all([asked for asked in gathered if asked is not None])
            if None in gathered:
                return

    def _answer_all(self, contents: Sequence[tuple[bytes, Reply]]) -> None:
        requests: list[tuple[Question, Reply, Request]] = []
        for content, reply in contents:
            try:
                asked = decode_asked(content)
            except msgspec.MsgspecError:
                continue  # nobody could be answered
            found = self._at_once(TriggerKey(asked.trigger), asked.question)
            if isinstance(found, Request):
                requests.append((asked.question, reply, found))
            else:
                _give(asked.question, found, reply)
        answers = self._answered([request for _, _, request in requests]) if requests else []
        for (question, reply, _), answer in zip(requests, answers, strict=True):
            _give(question, answer, reply)

    def _answered(self, requests: Sequence[Request]) -> Sequence[object]:
        try:
            return self._answer(requests)
        except Exception as error:  # whatever it is, triggers wait for an answer
            return [Refusal(type(error).__name__, str(error))] * len(requests)

    def _at_once(self, trigger: TriggerKey, question: Question) -> object:
        """The answer that needs no database, or else a `Request`."""
        whose = self._whose(trigger)
        if whose is None:
            return Refusal("TaskIsLate", "this trigger is no longer run here, so it may ask for nothing")
        try:
            arguments = decode_arguments(question.method, question.arguments)
            found = self._outside.answer(question.method, arguments) if question.method in _OUTSIDE else None
        except msgspec.MsgspecError as error:
            return Refusal("ValueError", str(error))
        except Exception as error:  # a backend is somebody else's code
            return Refusal(type(error).__name__, str(error))
        return Request(*whose, question.method, arguments) if found is None else found


def _give(question: Question, answer: object, reply: Reply) -> None:
    if isinstance(answer, Refusal):
        reply(Answer(question.number, error_kind=answer.kind, error=answer.message))
    else:
        reply(Answer(question.number, encode_answer(question.method, answer)))
