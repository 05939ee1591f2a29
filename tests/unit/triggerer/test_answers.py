"""What triggers ask for: in whose name, by whom it is answered, and that it always is."""

import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import msgspec

from tradewind.model.assignment import Asker
from tradewind.model.exchange import Refusal, Request
from tradewind.model.ids import AttemptKey, RunKey, TriggerKey
from tradewind.triggerer.answers import Answers
from tradewind.triggerer.protocol import Asked
from tradewind.worker.protocol import Answer, Question
from tradewind.worker.questions import decode_answer, encode_arguments

ATTEMPT = AttemptKey(RunKey(1), "t", -1, 2)
ASKER = Asker(ATTEMPT.task, "d", "r")
PATIENCE_S = 10.0


class OutsideSecrets:
    """Knows one variable, and cannot be asked for another."""

    def answer(self, question: str, arguments: Mapping[str, object]) -> object | None:
        if arguments == {"key": "bad"}:
            raise OSError("the vault is shut")
        return "from outside" if arguments == {"key": "outside"} else None


@contextmanager
def asking(answer: Callable[[Sequence[Request]], list[object]]) -> Iterator[Callable[..., Any]]:
    """A way to ask as trigger 1, or another, and to get the answer."""
    given: queue.SimpleQueue[Answer] = queue.SimpleQueue()

    def whose(trigger: TriggerKey) -> tuple[AttemptKey, Asker] | None:
        return (ATTEMPT, ASKER) if trigger == 1 else None

    with closing(Answers(whose, OutsideSecrets(), answer)) as answers:

        def ask(key: str, trigger: int = 1) -> Any:
            answers.ask(b"\xc1", given.put)  # what makes no sense is passed over
            question = Question(5, "get_variable", encode_arguments("get_variable", (key,), {}))
            answers.ask(msgspec.msgpack.encode(Asked(trigger, question)), given.put)
            answer = given.get(timeout=PATIENCE_S)
            assert answer.number == 5
            return answer.error if answer.error_kind else decode_answer("get_variable", answer.value)

        yield ask


def test_what_is_known_outside_comes_from_there_and_all_else_from_the_database() -> None:
    asked: list[Request] = []

    def answer(requests: Sequence[Request]) -> list[object]:
        asked.extend(requests)
        return ["stored"] * len(requests)

    with asking(answer) as ask:
        assert (ask("outside"), ask("inside"), ask("bad")) == ("from outside", "stored", "the vault is shut")
    assert asked == [Request(ATTEMPT, ASKER, "get_variable", {"key": "inside"})]


def test_a_trigger_that_is_not_run_here_gets_no_answer_but_a_refusal() -> None:
    with asking(lambda _: [Refusal("NotFound", "there is none")]) as ask:
        assert "no longer run here" in ask("inside", trigger=2)
        assert ask("inside") == "there is none"


def test_whatever_goes_wrong_triggers_do_not_wait_for_ever() -> None:
    def fail(_: Sequence[Request]) -> list[object]:
        raise ZeroDivisionError("a mistake")

    with asking(fail) as ask:
        assert [ask("inside"), ask("inside")] == ["a mistake", "a mistake"]
