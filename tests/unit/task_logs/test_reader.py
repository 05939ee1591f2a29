"""The log of a try is read from all its files, from any point on, and while it is written (D5)."""

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.unit.task_logs.logs import START, TRY, line, put, record
from tradewind.task_logs.places import log_name
from tradewind.task_logs.reader import LogReader, is_token
from tradewind.task_logs.remote import RemoteLogs
from tradewind.task_logs.writer import AttemptLog


def said(messages: list[dict[str, Any]]) -> list[str]:
    return [message["event"] for message in messages]


def test_messages_come_with_all_their_fields(tmp_path: Path) -> None:
    put(tmp_path, line(0, "copied", rows=5))

    page = LogReader(tmp_path).read(TRY)

    assert page.messages == [
        {"timestamp": "2026-01-01T12:00:00Z", "level": "info", "event": "copied", "logger": "test", "rows": 5}
    ]
    assert page.sources == (str(tmp_path / log_name(TRY)),)
    assert page.is_last


def test_a_try_without_a_log_has_no_messages(tmp_path: Path) -> None:
    page = LogReader(tmp_path / "nowhere").read(TRY)

    assert (page.messages, page.sources, page.is_last) == ([], (), True)


def test_what_triggers_log_stands_where_it_belongs_in_time(tmp_path: Path) -> None:
    put(tmp_path, line(0, "deferred") + line(10, "resumed"))
    put(tmp_path, line(1, "waiting") + line(5, "still waiting"), suffix=".trigger.7.log")
    put(tmp_path, line(7, "another triggerer took over"), suffix=".trigger.8.log")
    put(tmp_path, line(3, "of another try"), of=TRY._replace(number=11))
    put(tmp_path, line(3, "of another try"), of=TRY._replace(number=11), suffix=".trigger.7.log")

    assert said(LogReader(tmp_path).read(TRY).messages) == [
        "deferred",
        "waiting",
        "still waiting",
        "another triggerer took over",
        "resumed",
    ]


def test_lines_of_one_file_keep_their_order_whatever_their_times_say(tmp_path: Path) -> None:
    put(tmp_path, line(5, "first") + line(2, "second") + "no JSON at all\n" + line(6, "third"))
    put(tmp_path, line(5.5, "meanwhile"), suffix=".trigger.1.log")

    assert said(LogReader(tmp_path).read(TRY).messages) == ["first", "second", "no JSON at all", "meanwhile", "third"]


@pytest.mark.parametrize(
    ("content", "event"),
    [
        (b"plain text\n", "plain text"),
        (b'{"event": "cut of\n', '{"event": "cut of'),
        (b"[1, 2]\n", "[1, 2]"),
        (b"broken \xff\n", "broken \\xff"),
        (b'{"timestamp": "yesterday", "event": 5}\n', "5"),
        (b'{"level": "info"}\n', ""),
        (b'{"timestamp": "2026-01-01T12:00:00", "event": "naive"}\n', "naive"),
    ],
)
def test_whatever_stands_in_a_file_is_shown(tmp_path: Path, content: bytes, event: str) -> None:
    put(tmp_path, content + line(1, "next").encode())
    put(tmp_path, line(0.5, "elsewhere"), suffix=".trigger.1.log")

    messages = said(LogReader(tmp_path).read(TRY).messages)
    assert event in messages
    assert "next" in messages


def test_pages_follow_one_another_without_gap_or_repetition(tmp_path: Path) -> None:
    put(tmp_path, "".join(line(second, f"task {second}") for second in range(0, 50, 2)))
    put(tmp_path, "".join(line(second, f"trigger {second}") for second in range(1, 50, 2)), suffix=".trigger.1.log")
    reader = LogReader(tmp_path)

    pages = [reader.read(TRY, limit=7)]
    while not pages[-1].is_last:
        pages.append(reader.read(TRY, pages[-1].token, limit=7))

    events = [event for page in pages for event in said(page.messages)]
    assert events == [f"{'trigger' if second % 2 else 'task'} {second}" for second in range(50)]
    assert len(pages) == 8


def test_a_token_goes_on_where_the_last_page_ended(tmp_path: Path) -> None:
    path = put(tmp_path, line(0, "old"))
    reader = LogReader(tmp_path)
    token = reader.read(TRY).token
    assert reader.read(TRY, token).messages == []

    with path.open("a") as file:
        file.write(line(1, "new"))

    assert said(reader.read(TRY, token).messages) == ["new"]


def test_a_line_that_is_being_written_is_not_shown_before_it_is_complete(tmp_path: Path) -> None:
    path = put(tmp_path, line(0, "whole") + line(1, "half")[:20])
    reader = LogReader(tmp_path)
    page = reader.read(TRY)
    assert said(page.messages) == ["whole"]

    with path.open("a") as file:
        file.write(line(1, "half")[20:])

    assert said(reader.read(TRY, page.token).messages) == ["half"]


TOKENS_FROM_ELSEWHERE = [
    *("nonsense", "%%%", "W10=", "eyJhIjotMX0=", "eyJhIjoieCJ9", "ü"),
    base64.urlsafe_b64encode(b'{"a":%d}' % 10**30).decode(),
    base64.urlsafe_b64encode(b"[" * 50_000).decode(),
]


def test_a_page_ends_once_it_has_its_bytes(tmp_path: Path) -> None:
    put(tmp_path, "".join(line(number, "x" * 100) for number in range(5)))
    reader = LogReader(tmp_path)

    page = reader.read(TRY, limit_bytes=300)
    rest = reader.read(TRY, page.token)

    assert (len(page.messages), page.is_last) == (2, False)
    assert (len(rest.messages), rest.is_last) == (3, True)
    assert is_token(page.token)


@pytest.mark.parametrize("token", TOKENS_FROM_ELSEWHERE)
def test_a_token_from_elsewhere_does_no_harm(tmp_path: Path, token: str) -> None:
    """E1: it comes with requests."""
    put(tmp_path, line(0, "first"))

    assert said(LogReader(tmp_path).read(TRY, token).messages) == ["first"]
    assert not is_token(token)


def test_a_log_is_followed_until_its_try_is_over(tmp_path: Path) -> None:
    """D5: live while it runs; also what is written at the very last moment is seen."""
    log = AttemptLog(tmp_path / log_name(TRY), now=lambda: START)
    waits = iter(["begins", "works"])
    is_over = False

    def wait() -> None:
        nonlocal is_over
        event = next(waits, None)
        if event is None:
            log.line(record(9, "its last word"))
            log.close()
            is_over = True
        else:
            log.line(record(1, event))
            log.flush()

    messages = list(LogReader(tmp_path).follow(TRY, lambda: is_over, wait))

    assert said(messages) == ["begins", "works", "its last word"]


def test_a_log_that_is_only_elsewhere_is_read_there(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    put(there, line(0, "kept"))
    put(there, line(1, "kept as well"), suffix=".trigger.1.log")
    reader = LogReader(here, RemoteLogs(str(there)))

    page = reader.read(TRY)

    assert said(page.messages) == ["kept", "kept as well"]
    assert page.sources[0] == f"remote:{log_name(TRY)}"
    assert reader.read(TRY, page.token).messages == []


def test_what_another_machine_logged_of_the_same_try_is_added(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    put(there, line(0, "on the first machine") + line(2, "on both"))
    put(here, line(2, "on both") + line(3, "not copied yet"))
    reader = LogReader(here, RemoteLogs(str(there)))

    page = reader.read(TRY)

    assert said(page.messages) == ["on the first machine", "on both", "not copied yet"]
    assert reader.read(TRY, page.token).messages == []


def test_a_page_goes_on_in_the_copy_when_the_file_here_is_deleted(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    path = put(here, line(0, "read already"))
    reader = LogReader(here, RemoteLogs(there.as_uri()))
    token = reader.read(TRY).token
    put(there, line(0, "read already") + line(1, "then copied"))
    path.unlink()

    assert said(reader.read(TRY, token).messages) == ["then copied"]


def test_all_messages_are_more_than_a_page(tmp_path: Path) -> None:
    put(tmp_path, "".join(line(0, str(number)) for number in range(10_500)))

    assert said(list(LogReader(tmp_path).all(TRY))) == [str(number) for number in range(10_500)]
