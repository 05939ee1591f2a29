"""Frames between processes: cut right wherever the stream is cut, refused when they make no sense (A5)."""

import pytest

from tradewind.dag_processor.outcome import MOST_OUTPUT, to_parse
from tradewind.dag_processor.protocol import (
    Began,
    Ended,
    FrameKind,
    Notice,
    Outcome,
    ParseRequest,
    Problem,
)
from tradewind.model.dag_file import DagProblem, FileKey, FileParse, FileWarning
from tradewind.wire.frames import LARGEST_FRAME, FrameReader, pack

REQUEST = ParseRequest(number=1, bundle="b", root="/dags", path="a.py", timeout_s=50, memory_limit_mb=100)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_frames_are_cut_right_wherever_the_stream_is_cut(size: int) -> None:
    stream = pack(FrameKind.BEGAN) + pack(FrameKind.ENDED, b"content") + pack(FrameKind.LOADED, b"")
    reader = FrameReader()

    frames = [frame for i in range(0, len(stream), size) for frame in reader.feed(stream[i : i + size])]

    assert frames == [(FrameKind.BEGAN, b""), (FrameKind.ENDED, b"content"), (FrameKind.LOADED, b"")]


def test_a_frame_that_is_too_large_is_refused_before_it_is_read() -> None:
    header = (LARGEST_FRAME + 1).to_bytes(4, "big") + b"\x04"

    with pytest.raises(ValueError, match="a frame of"):
        list(FrameReader().feed(header))


def parse_of(outcome: Outcome, *, forbids_inflation: bool = False) -> FileParse:
    return to_parse(
        outcome,
        REQUEST,
        key=FileKey(1),
        environment="e",
        bundle_version="v",
        known_hash="known",
        forbids_inflation=forbids_inflation,
    )


def outcome_of(ended: Ended | None, **values: object) -> Outcome:
    began = pack(FrameKind.BEGAN, Began(content_hash="c", source="text"))[5:]
    content = None if ended is None else pack(FrameKind.ENDED, ended)[5:]
    return Outcome(number=1, began=began, ended=content, **values)  # type: ignore[arg-type]


def test_what_a_child_says_is_what_is_stored() -> None:
    ended = Ended(
        is_read=True,
        dags=["{}"],
        problems=[Problem("bad", "d")],
        notices=[Notice("k", "m", 3, "d"), Notice("k", "m", 4, None, "/dags/lib/x.py")],
        dependencies=[("lib/x.py", "h")],
        is_volatile=True,
    )

    parse = parse_of(outcome_of(ended, duration_ms=7))

    assert (parse.content_hash, parse.source, parse.dags, parse.duration_ms) == ("c", "text", ("{}",), 7)
    assert parse.problems == (DagProblem("bad", "d"),)
    assert parse.warnings == (FileWarning("k", "m", 3, "d"), FileWarning("k", "lib/x.py, line 4: m"))
    assert (parse.dependencies, parse.is_volatile, parse.is_read) == ((("lib/x.py", "h"),), True, True)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"is_timed_out": True}, "not read within 50 s"),
        ({"is_too_large": True}, "more than 100 MB"),
        ({"is_lost": True}, "this file, and no other"),
        ({"exit_code": -9}, "SIGKILL"),
        ({"exit_code": -63}, "signal 63"),
        ({"exit_code": 3}, "exit code 3"),
    ],
)
def test_a_child_that_died_is_told_by_how_it_died(values: dict[str, object], words: str) -> None:
    parse = parse_of(outcome_of(None, output="its last words", **values))

    (problem,) = parse.problems
    assert words in problem.message
    assert "What to do:" in problem.message
    assert "its last words" in problem.message
    assert not parse.is_read
    assert parse.content_hash == "c"


def test_a_child_that_never_began_leaves_what_was_known() -> None:
    parse = parse_of(Outcome(number=1, exit_code=1))

    assert (parse.content_hash, parse.source) == ("known", "")


def test_a_message_that_makes_no_sense_counts_as_none() -> None:
    parse = parse_of(Outcome(number=1, began=b"nonsense", ended=b"\xc1", exit_code=0))

    assert not parse.is_read
    assert "exit code 0" in parse.problems[0].message


def test_printing_too_much_is_an_error_that_hurts_no_dag() -> None:
    parse = parse_of(outcome_of(Ended(is_read=True, dags=["{}"]), output_bytes=MOST_OUTPUT + 1))

    assert (parse.dags, parse.is_read) == (("{}",), True)
    assert "printed 1.0 MB" in parse.problems[0].message


def test_a_slow_file_is_told_so() -> None:
    parse = parse_of(outcome_of(Ended(is_read=True), duration_ms=6_000))

    assert [(warning.kind, "6.0 s" in warning.message) for warning in parse.warnings] == [("slow_file", True)]


def test_inflation_is_an_error_where_it_is_forbidden() -> None:
    ended = Ended(is_read=True, dags=["{}"], notices=[Notice("version_inflation", "changes", 3)])

    parse = parse_of(outcome_of(ended), forbids_inflation=True)

    assert (parse.dags, parse.is_read) == ((), False)
    assert parse.problems == (DagProblem("line 3: changes"),)
