"""Output of programs is cut into lines, however it comes (D5, E1)."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tradewind.wire.lines import LONGEST_LINE, LineReader

SECRET = "hunter2"


def read(*pieces: bytes) -> list[str]:
    reader = LineReader(lambda text: text.replace(SECRET, "***"))
    lines = [line for piece in pieces for line in reader.feed(piece)]
    return [*lines, *reader.feed(b"", is_end=True)]


printed = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", "ü".encode(), b"\xff", SECRET.encode(), b"hunt"])).map(
    b"".join
)


@given(printed, st.lists(st.integers(0, 60)))
def test_where_the_stream_is_cut_makes_no_difference(data: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(data)]
    pieces = [data[start:end] for start, end in itertools.pairwise(places)]

    assert read(*pieces) == read(data)


@given(printed)
def test_no_secret_and_nothing_else_is_missing(data: bytes) -> None:
    text = data.decode(errors="backslashreplace").replace("\r\n", "\n").replace(SECRET, "***")

    lines = read(data)

    assert "\n".join(lines) == text.removesuffix("\n")
    assert not any(SECRET in line for line in lines)


def test_a_line_without_an_end_is_given_out_in_parts() -> None:
    reader = LineReader()
    lines: list[str] = []
    for number in range(1, 101):
        lines += reader.feed(b"x" * 10_000)
        assert number * 10_000 - sum(map(len, lines)) <= LONGEST_LINE  # what is held in memory
    lines += reader.feed(b"", is_end=True)

    assert sum(map(len, lines)) == 1_000_000
    assert max(map(len, lines)) <= LONGEST_LINE


def test_a_secret_across_the_cut_of_a_long_line_is_hidden() -> None:
    for before in range(LONGEST_LINE - len(SECRET) - 4, LONGEST_LINE + 4):
        lines = read(b"x" * before + SECRET[:4].encode(), SECRET[4:].encode() + b"y" * 10_000)

        assert "".join(lines) == "x" * before + "***" + "y" * 10_000


def test_a_text_of_one_long_line_is_cut() -> None:
    lines = read(b"x" * (3 * LONGEST_LINE + 1) + b"\nshort\n")

    assert [len(line) for line in lines] == [LONGEST_LINE, LONGEST_LINE, LONGEST_LINE, 1, 5]
