"""What a task prints, logs and warns of is heard by its supervisor, without its secrets (D5, E1)."""
# ruff: noqa: T201 - it is what tasks do

import io
import logging
import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import pytest

from tradewind.sdk.log import field_logger, mask_secret
from tradewind.sdk.secrets_masker import reset_secrets_masker
from tradewind.wire.frames import FrameReader
from tradewind.wire.lines import LONGEST_LINE
from tradewind.worker.child.output import Capture, set_levels
from tradewind.worker.protocol import FrameKind, decode_records

SECRET = "hunter2-hunter2"


@pytest.fixture
def secret() -> Iterator[str]:
    """A text that must not be seen."""
    mask_secret(SECRET)
    yield SECRET
    reset_secrets_masker()


@contextmanager
def capture(send: Callable[[bytes], object]) -> Iterator[None]:
    """As in a child, which ends thereafter. The process of the tests gets back what it had."""
    root = logging.getLogger()
    former = sys.stdout, sys.stderr, warnings.showwarning, root.handlers, root.level
    captured = Capture()
    captured.install()
    set_levels()
    captured.connect(send)
    try:
        yield
    finally:
        captured.finish()
        sys.stdout, sys.stderr, warnings.showwarning, root.handlers, level = former
        root.setLevel(level)


def heard(task: Callable[[], object]) -> list[dict[str, Any]]:
    """The records that the supervisor gets when the task runs."""
    frames: list[bytes] = []
    with capture(frames.append):
        task()
    return records_of(b"".join(frames))


def records_of(data: bytes) -> list[dict[str, Any]]:
    frames = list(FrameReader().feed(data))
    assert {kind for kind, _ in frames} <= {FrameKind.LOG}
    return [record for _, content in frames for record in decode_records(content)]


def told(records: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(record["logger"], record["level"], record["event"]) for record in records]


def test_printed_lines_are_heard_in_order_with_what_is_logged() -> None:
    def task() -> None:
        print("one\ntwo")
        logging.getLogger("my.module").warning("three of %d", 4)
        print("oh", file=sys.stderr)
        print("no newline", end="")

    records = heard(task)

    assert told(records) == [
        ("task.stdout", "info", "one"),
        ("task.stdout", "info", "two"),
        ("my.module", "warning", "three of 4"),
        ("task.stderr", "error", "oh"),
        ("task.stdout", "info", "no newline"),
    ]
    assert all(isinstance(record["timestamp"], datetime) for record in records)
    assert records[2]["filename"] == "test_output.py"
    assert isinstance(records[2]["lineno"], int)


def test_bytes_and_other_writers_to_the_standard_streams_are_heard() -> None:
    def task() -> None:
        sys.stdout.buffer.write("grün\n".encode())
        sys.stdout.writelines(["a", "b\n"])
        print("\ud800 surrogate")
        assert isinstance(sys.stdout, io.TextIOWrapper)
        sys.stdout.reconfigure(line_buffering=True)
        assert (sys.stdout.fileno(), sys.stderr.fileno()) == (1, 2)
        assert not sys.stdout.isatty()

    assert [record["event"] for record in heard(task)] == ["grün", "ab", "\\ud800 surrogate"]


def test_fields_of_a_record_are_fields_of_the_line() -> None:
    def task() -> None:
        hook: Any = field_logger("my.hook")
        hook.info("copied %s", "all", rows=5, big=2**80, nested={1: (2, {3})}, thing=object())
        logging.getLogger("x").info("plain", extra={"user": "me", "event": "no", "level": "no"})

    copied, plain = heard(task)

    assert (copied["event"], copied["rows"], copied["big"]) == ("copied all", 5, str(2**80))
    assert copied["nested"] == {"1": [2, [3]]}
    assert copied["thing"].startswith("<object object")
    assert (plain["event"], plain["level"], plain["user"]) == ("plain", "info", "me")


def test_an_exception_is_data_with_its_causes() -> None:
    def task() -> None:
        try:
            try:
                raise KeyError("inner")
            except KeyError as error:
                error.add_note("a hint")
                raise ValueError("outer") from error
        except ValueError:
            logging.getLogger("x").exception("failed")

    (record,) = heard(task)

    outer, inner = record["error_detail"]
    assert (outer["exc_type"], outer["exc_value"], outer["is_cause"]) == ("ValueError", "outer", False)
    assert (inner["exc_type"], inner["exc_notes"], inner["is_cause"]) == ("KeyError", ["a hint"], True)
    (frame,) = outer["frames"]
    assert (frame["filename"], frame["name"]) == (__file__, "task")


def test_odd_exceptions_are_told_of_as_well() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    def deep(level: int) -> None:
        if level:
            deep(level - 1)
        group = ExceptionGroup("both", [Mute(), ValueError("b")])
        group.__context__ = group  # a circle
        raise group

    def task() -> None:
        try:
            deep(200)
        except ExceptionGroup:
            logging.getLogger("x").exception("failed")
        try:
            compile("a b", "file.py", "exec")
        except SyntaxError:
            logging.getLogger("x").exception("failed")

    group, syntax = (record["error_detail"][0] for record in heard(task))

    assert group["is_group"]
    assert [stacks[0]["exc_type"] for stacks in group["exceptions"]] == ["Mute", "ValueError"]
    assert "cannot be shown" in group["exceptions"][0][0]["exc_value"]
    assert len(group["frames"]) == 51
    assert group["frames"][25]["name"] == "Skipped frames: 152"
    assert syntax["syntax_error"]["line"] == "a b\n"


def test_warnings_are_heard() -> None:
    def task() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("this will go", FutureWarning, stacklevel=1)

    (record,) = heard(task)

    assert (record["logger"], record["level"], record["event"]) == ("py.warnings", "warning", "this will go")
    assert (record["category"], record["filename"]) == ("FutureWarning", __file__)


def test_no_secret_gets_out_of_the_process(secret: str) -> None:
    """E1: masked at the source."""

    class Config:
        def __repr__(self) -> str:
            return f"Config({secret})"

    def task() -> None:
        print(f"it is {secret}")
        sys.stdout.write(secret[:7])
        sys.stdout.flush()
        sys.stdout.write(secret[7:] + "\n")
        log = logging.getLogger("x")
        log.info("it is %s", secret, extra={"user": secret, "config": Config(), "deep": [{"a": (secret,)}]})
        hook: Any = field_logger("y")
        hook.info("fields", token="anything", key=Config())
        try:
            raise ValueError(f"bad {secret}")
        except ValueError as error:
            error.add_note(secret)
            log.exception("failed", stack_info=True)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn(f"old {secret}", stacklevel=1)

    records = heard(task)

    assert SECRET not in repr(records)
    assert records[0]["event"] == records[2]["event"] == "it is ***"
    assert records[1]["event"] == "***"
    assert records[3]["token"] == "***"


def test_a_log_message_that_is_too_long_becomes_several() -> None:
    records = heard(lambda: logging.getLogger("x").info("y" * (LONGEST_LINE + 5)))

    assert [len(record["event"]) for record in records] == [LONGEST_LINE, 5]


def test_much_output_is_sent_in_small_frames() -> None:
    frames: list[bytes] = []
    with capture(frames.append):
        print("\n".join(["x" * 1000] * 5000))

    assert len(records_of(b"".join(frames))) == 5000
    assert max(map(len, frames)) < 1_000_000


def test_levels_are_those_of_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__LOGGING__LOGGING_LEVEL", "warning")
    monkeypatch.setenv("AIRFLOW__LOGGING__NAMESPACE_LEVELS", "loud.one=DEBUG, wrong, other=nonsense")

    def task() -> None:
        logging.getLogger("quiet").info("unheard")
        logging.getLogger("quiet").warning("heard")
        logging.getLogger("loud.one").debug("heard as well")

    try:
        assert [record["event"] for record in heard(task)] == ["heard", "heard as well"]
    finally:
        logging.getLogger("loud.one").setLevel(logging.NOTSET)


def test_what_a_dag_file_configured_says_nothing_twice() -> None:
    root = logging.getLogger()
    handler = logging.StreamHandler(sys.stderr)
    root.addHandler(handler)
    try:
        assert told(heard(lambda: logging.getLogger("x").error("once"))) == [("x", "error", "once")]
        assert handler in root.handlers
    finally:
        root.removeHandler(handler)


def test_threads_of_a_task_do_not_tear_each_others_lines() -> None:
    def talk(name: str) -> None:
        for _ in range(200):
            print(name * 50)

    def task() -> None:
        threads = [threading.Thread(target=talk, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    text = "".join(record["event"] for record in heard(task))
    assert sorted(text) == sorted("abcd" * 200 * 50)


def test_a_task_may_close_its_streams() -> None:
    def task() -> None:
        print("last words")
        sys.stdout.close()
        sys.stderr.close()

    assert [record["event"] for record in heard(task)] == ["last words"]


def test_nobody_who_listens_is_no_reason_to_fail() -> None:
    def send(frame: bytes) -> None:
        raise BrokenPipeError

    with capture(send):
        print("into the void")
        logging.getLogger("x").error("also")


def run_program(body: str) -> tuple[subprocess.CompletedProcess[bytes], list[dict[str, Any]]]:
    """Run a task in a process of its own. Returns its end with its raw output, and what it sent."""
    reading, writing = os.pipe()
    program = "import os\nfrom tradewind.worker.child.output import CAPTURE, prepare\nprepare()\n"
    program += f"CAPTURE.connect(lambda frame: os.write({writing}, frame))\n"
    program += f"try:\n{textwrap.indent(textwrap.dedent(body), '  ')}\nfinally:\n  CAPTURE.finish()\n"
    try:
        ended = subprocess.run(
            [sys.executable, "-c", program], pass_fds=[writing], capture_output=True, timeout=60, check=False
        )
    finally:
        os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        return ended, records_of(stream.read())


def test_a_crash_of_c_code_leaves_a_traceback() -> None:
    """D3: crashes are captured, too."""
    ended, records = run_program(
        """
        import ctypes
        print("before")
        ctypes.string_at(0)
        """
    )

    assert ended.returncode == -signal.SIGSEGV
    assert [record["event"] for record in records] == ["before"]
    assert b"Segmentation fault" in ended.stderr
    assert b"string_at" in ended.stderr


def test_what_a_killed_task_has_said_is_there() -> None:
    """D5: kept when the process dies."""
    ended, records = run_program(
        """
        import signal
        print("before")
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )

    assert ended.returncode == -signal.SIGKILL
    assert [record["event"] for record in records] == ["before"]


def test_processes_that_a_task_forks_print_and_do_not_disturb_its_stream() -> None:
    ended, records = run_program(
        """
        import logging, sys, threading
        from tradewind.sdk.log import mask_secret
        mask_secret("hunter2-hunter2")
        print("half ", end="")
        if os.fork() == 0:
            logging.getLogger("copy").error("oh hunter2-hunter2")
            os.write(1, b"raw\\n")
            os._exit(0)
        os.wait()
        print("a line")
        import subprocess
        subprocess.run(["echo", "another program"], stdout=sys.stdout, check=True)
        """
    )

    assert ended.returncode == 0
    assert ended.stdout == b"[error] copy: oh ***\nraw\nanother program\n"
    assert [record["event"] for record in records] == ["half a line"]


def test_a_message_that_cannot_be_formatted_is_told_of_without_its_secrets() -> None:
    ended, records = run_program(
        """
        import logging
        from tradewind.sdk.log import mask_secret
        mask_secret("hunter2-hunter2")
        logging.getLogger("x").error("%d apples", "hunter2-hunter2")
        """
    )

    events = [record["event"] for record in records]
    assert ended.returncode == 0
    assert events[0] == "--- Logging error ---"
    assert "Message: '%d apples'" in events
    assert "Arguments: ('***',)" in events
