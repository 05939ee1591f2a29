"""Logs are written whatever happens to the task and to the disk (D5)."""

import errno
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.unit.task_logs.logs import START, events, objects, record
from tradewind.task_logs.writer import LOGGER, AttemptLog


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dag_id=a" / "run_id=r" / "task_id=t" / "attempt=1.log"


def open_log(path: Path, *, limit_bytes: int = 0, mask: Callable[[str], str] | None = None) -> AttemptLog:
    return AttemptLog(path, now=lambda: START, limit_bytes=limit_bytes, mask=mask)


def is_in_trouble(log: AttemptLog) -> bool:
    return log.error is not None


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """A disk on which no file can have more bytes than this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_record_is_a_json_line_with_all_its_fields(path: Path) -> None:
    log = open_log(path)
    detail = [{"exc_type": "ValueError", "exc_value": "x", "frames": []}]

    log.line(record(0, "copied", rows=5, error_detail=detail))
    log.close()

    assert path.read_text() == (
        '{"timestamp":"2026-01-01T12:00:00Z","level":"info","event":"copied","logger":"test","rows":5,'
        '"error_detail":[{"exc_type":"ValueError","exc_value":"x","frames":[]}]}\n'
    )


def test_nothing_is_made_where_nothing_is_logged(path: Path) -> None:
    log = open_log(path)
    log.flush()
    log.close()

    assert not path.parent.exists()


def test_what_was_flushed_can_be_read_while_the_task_runs(path: Path) -> None:
    """D5: live while it runs."""
    log = open_log(path)
    log.line(record(0, "first"))
    assert not path.exists()

    log.flush()
    assert events(path) == ["first"]

    log.line(record(1, "second"))
    log.close()
    assert events(path) == ["first", "second"]


def test_much_is_written_before_anybody_asks_for_it(path: Path) -> None:
    log = open_log(path)
    for number in range(300):
        log.line(record(number, "x" * 1000))

    assert path.stat().st_size > 200_000
    log.close()


def test_attempts_of_one_try_share_a_file(path: Path) -> None:
    for event in ("before the deferral", "after it"):
        log = open_log(path)
        log.line(record(0, event))
        log.close()

    assert events(path) == ["before the deferral", "after it"]


def test_output_becomes_lines_of_its_stream(path: Path) -> None:
    log = open_log(path)
    log.output("stdout", "grün\nha".encode()[:3])
    log.output("stdout", "grün\nha".encode()[3:])
    log.output("stderr", b"\x1b[31mred\x1b[0m\r\nbroken \xff\n\n")
    log.output("stdout", b"lf a line")
    log.close()

    assert [(each["logger"], each["level"], each["event"]) for each in objects(path)] == [
        ("task.stdout", "info", "grün"),
        ("task.stderr", "error", "\x1b[31mred\x1b[0m"),
        ("task.stderr", "error", "broken \\xff"),
        ("task.stderr", "error", ""),
        ("task.stdout", "info", "half a line"),
    ]
    assert all(each["timestamp"] == "2026-01-01T12:00:00Z" for each in objects(path))


def test_secrets_in_raw_output_are_hidden_also_where_they_come_in_pieces(path: Path) -> None:
    """E1: what another program prints is masked by the process that reads it."""
    log = open_log(path, mask=lambda text: text.replace("hunter2", "***").replace("two\nlines", "***"))
    for piece in (b"it is hun", b"ter2 and hun", b"ter2!\n", b"hunter2"):
        log.output("stdout", piece)
    log.output("stderr", b"of two\nlines\n")
    log.close()

    assert events(path) == ["it is *** and ***!", "of ***", "***"]


@pytest.mark.parametrize(
    "value", [2**80, {1: {2: 3}}, {(1, 2): 3}, "\ud800", object, b"\xff", {"a", "b"}, float("nan"), 1 + 2j]
)
def test_whatever_is_in_a_record_the_line_is_written(path: Path, value: Any) -> None:
    log = open_log(path)
    log.line(record(0, "odd", value=value))
    log.line(record(1, "half \ud800"))
    log.close()

    assert events(path) == ["odd", "half \\ud800"]


@pytest.mark.parametrize("at_once", [1, 2_500], ids=["one by one", "many at once"])
def test_beyond_its_limit_a_log_keeps_its_beginning_and_its_end(path: Path, at_once: int) -> None:
    """B7: a task that prints without end fills no disk, and why it failed can be read all the same."""
    log = open_log(path, limit_bytes=50_000)
    for start in range(0, 10_000, at_once):
        log.output("stdout", b"".join(b"%d of many\n" % number for number in range(start, start + at_once)))
        if at_once > 1:
            log.flush()
    log.flush()
    log.line(record(9, "and so it failed"))
    log.close()

    lines = objects(path)
    notes = [number for number, each in enumerate(lines) if each["logger"] == LOGGER]
    assert lines[0]["event"] == "0 of many"
    assert lines[-1]["event"] == "and so it failed"
    assert lines[notes[0]]["event"] == ("The limit of 50.0 kB is reached. After this, only the end is kept.")
    assert notes[1] == notes[0] + 1
    missing = int(lines[notes[1]]["event"].split()[0])
    assert missing == 10_001 - (len(lines) - 2)
    assert path.stat().st_size < 50_000 + 70_000


def test_a_log_that_just_fits_into_its_limit_is_whole(path: Path) -> None:
    open_and_close = open_log(path)
    open_and_close.line(record(0, "x"))
    open_and_close.close()
    size = path.stat().st_size
    path.unlink()

    log = open_log(path, limit_bytes=3 * size)
    for _ in range(3):
        log.line(record(0, "x"))
        log.flush()
    log.close()

    assert events(path) == ["x", "x", "x"]


def test_the_limit_is_one_of_the_file_and_not_of_each_attempt(path: Path) -> None:
    for _ in range(5):
        log = open_log(path, limit_bytes=10_000)
        log.output("stdout", (b"x" * 99 + b"\n") * 40)
        log.close()

    notes = [each["event"] for each in objects(path) if each["logger"] == LOGGER]
    assert notes[0].startswith("The limit of 10.0 kB is reached")
    assert len(notes) == 4


def test_a_full_disk_loses_lines_but_says_how_many(path: Path) -> None:
    """D2: the task goes on, and its log says what it lacks as soon as it can be written again."""
    log = open_log(path)
    log.line(record(0, "before"))
    log.flush()
    size = path.stat().st_size
    with largest_file(size + 10):
        for number in range(2_000):
            log.line(record(number, f"while it is full {number}"))
            if number % 100 == 0:
                log.flush()
        log.flush()
        assert is_in_trouble(log)
        assert events(path) == ["before"]  # no line that is torn
    log.line(record(2_000, "after"))
    log.close()

    lines = objects(path)
    assert not is_in_trouble(log)
    assert lines[0]["event"] == "before"
    assert lines[1]["event"].endswith("missing here, for the file could not be written: File too large")
    missing = int(lines[1]["event"].split()[0])
    assert [each["event"] for each in lines[2:]] == [
        *(f"while it is full {number}" for number in range(missing, 2_000)),
        "after",
    ]


def test_a_short_trouble_with_the_disk_loses_nothing_and_is_told_of_once(path: Path) -> None:
    troubles: list[OSError] = []
    log = AttemptLog(path, now=lambda: START, fail=troubles.append)
    with largest_file(0):
        for event in ("first", "second"):
            log.line(record(0, event))
            log.flush()
    log.line(record(1, "third"))
    log.close()

    assert events(path) == ["first", "second", "third"]
    assert [trouble.errno for trouble in troubles] == [errno.EFBIG]


@pytest.mark.parametrize("obstacle", ["file", "nowhere"])
def test_a_folder_that_cannot_be_made_stops_no_task(tmp_path: Path, obstacle: str) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "nowhere").symlink_to("/proc/none")
    log = open_log(tmp_path / obstacle / "attempt=1.log", limit_bytes=1000)

    log.line(record(0, "unheard"))
    log.flush()
    log.output("stdout", b"x" * 5000 + b"\n")
    log.close()

    assert isinstance(log.error, OSError)
