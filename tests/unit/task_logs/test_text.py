"""Messages as people read them (D5)."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.task_logs.logs import record
from tradewind.task_logs.text import as_text


def test_a_message_is_one_line_with_its_fields_at_the_end() -> None:
    message = {
        "timestamp": "2026-01-01T12:00:00.5Z",
        "level": "warning",
        "event": "copied",
        "logger": "my.module",
        "filename": "a.py",
        "lineno": 3,
        "rows": 5,
        "table": "sales",
        "keys": ["a"],
    }

    assert as_text(message) == '2026-01-01 12:00:00.5Z WARNING my.module: copied rows=5 table=sales keys=["a"]'
    assert as_text({"event": "only this"}) == "only this"


def test_an_exception_is_shown_as_python_shows_it() -> None:
    cause = {
        "exc_type": "ZeroDivisionError",
        "exc_value": "division by zero",
        "exc_notes": [],
        "is_cause": True,
        "frames": [{"filename": "a.py", "lineno": 1, "name": "inner"}],
    }
    error = {
        "exc_type": "ValueError",
        "exc_value": "no value",
        "exc_notes": ["a hint"],
        "is_cause": False,
        "frames": [
            {"filename": "a.py", "lineno": 2, "name": "outer"},
            {"filename": "", "lineno": -1, "name": "Skipped frames: 7"},
        ],
    }

    assert as_text({"event": "failed", "error_detail": [error, cause]}).split("\n") == [
        "failed",
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in inner',
        "ZeroDivisionError: division by zero",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        '  File "a.py", line 2, in outer',
        "  [Skipped frames: 7]",
        "ValueError: no value",
        "a hint",
    ]


def test_colours_are_kept_for_those_who_see_colours() -> None:
    message = {"level": "error", "event": "\x1b[32mgreen", "logger": "x"}

    assert as_text(message) == "ERROR x: green"
    assert as_text(message, has_colours=True) == "\x1b[31mERROR\x1b[0m x: \x1b[32mgreen\x1b[0m"


def test_a_progress_bar_is_shown_in_its_last_state() -> None:
    assert as_text({"event": "  0%\r 50%\r100%\r"}) == "100%"


@given(st.lists(st.sampled_from(["\x1b", "[", "]", "0;", "m", "2J", "P", "\\", "\x07", "\x9b", "31", "a", "\b"])))
def test_no_log_takes_hold_of_the_terminal(parts: list[str]) -> None:
    """E1: what a task prints may come from anywhere."""
    message = record(0, "".join(parts), field="".join(parts))

    for text in (as_text(message), as_text(message, has_colours=True)):
        without_colours = re.sub(r"\x1b\[[0-9;:]*m", "", text)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", without_colours)


def test_whatever_a_message_holds_it_can_be_shown() -> None:
    nested = {"frames": [5], "exc_type": "E", "syntax_error": "?", "exceptions": [[{"exc_type": "F"}], 7]}
    odd = {"event": "x", "error_detail": ["text", nested], "stack": 5, "level": None}

    assert as_text(odd).split("\n")[2:5] == [
        "E",
        "  +---------------- 1 ----------------",
        "  | Traceback (most recent call last):",
    ]
