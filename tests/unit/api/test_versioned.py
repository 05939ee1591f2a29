"""Answers that are the same as long as the version of a DAG is."""

from fastapi import Response

from tradewind.api.versioned import VersionedAnswers


def made(body: bytes, calls: list[bytes]) -> Response:
    calls.append(body)
    return Response(body)


def test_an_answer_is_made_once() -> None:
    answers, calls = VersionedAnswers(), list[bytes]()

    first = answers.answer((1, "task_id"), lambda: made(b"[1]", calls))
    again = answers.answer((1, "task_id"), lambda: made(b"[1]", calls))
    other = answers.answer((2, "task_id"), lambda: made(b"[2]", calls))

    assert [each.body for each in (first, again, other)] == [b"[1]", b"[1]", b"[2]"]
    assert calls == [b"[1]", b"[2]"]


def test_what_was_not_asked_for_longest_makes_room() -> None:
    answers, calls = VersionedAnswers(most_bytes=10), list[bytes]()

    for key in (1, 2, 1, 3, 1, 2):
        answers.answer(key, lambda: made(b"12345", calls))
    answers.answer(4, lambda: made(b"too long to keep", calls))
    answers.answer(4, lambda: made(b"too long to keep", calls))

    assert calls == [b"12345"] * 4 + [b"too long to keep"] * 2
