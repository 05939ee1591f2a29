"""What a program prints: bytes that come as they come, cut into lines of text."""

import codecs
import operator
from collections.abc import Callable
from typing import Final

LONGEST_LINE: Final = 64 * 1024
"""Characters. What is longer becomes several lines, so that nobody has to hold it in memory at once."""
_KEPT_TOGETHER: Final = 4096
"""So much of a line without an end is held back when it is cut: a secret that is still on its way may begin there."""

_ENDS_THE_OLD_WAY: Final = operator.methodcaller("endswith", "\r")
_make_decoder: Final = codecs.getincrementaldecoder("utf-8")


class LineReader:
    """Cuts a stream of bytes into lines. What is not UTF-8 is shown as `\\xff`; escape sequences stay as they are."""

    __slots__ = ("_decode", "_mask", "_parts", "_size")

    def __init__(self, mask: Callable[[str], str] | None = None) -> None:
        """`mask` sees as many lines at a time as there are: secrets may be longer than a line."""
        self._mask = mask
        self._decode = _make_decoder("backslashreplace").decode
        # A list, for a line that comes byte by byte must not be copied as often.
        self._parts: list[str] = []
        self._size = 0

    def feed(self, data: bytes, *, is_end: bool = False) -> list[str]:
        """The lines that are complete now; at the end also the last one, which may lack its newline."""
        text = self._decode(data, is_end)
        self._parts.append(text)
        self._size += len(text)
        if not is_end and self._size <= LONGEST_LINE and "\n" not in text:
            return []
        whole = "".join(self._parts)
        if self._mask is not None:
            whole = self._mask(whole)
        *lines, rest = whole.split("\n")
        if is_end and rest:
            lines.append(rest)
            rest = ""
        elif len(rest) > LONGEST_LINE:
            lines.append(rest[:-_KEPT_TOGETHER])
            rest = rest[-_KEPT_TOGETHER:]
        self._parts, self._size = [rest] if rest else [], len(rest)
        return cut(lines)


def cut(lines: list[str]) -> list[str]:
    """The same lines without their carriage returns, and none longer than is allowed."""
    # Programs may print millions of them, and Python's own loops are fast.
    if max(map(len, lines), default=0) <= LONGEST_LINE:
        return [line.removesuffix("\r") for line in lines] if any(map(_ENDS_THE_OLD_WAY, lines)) else lines
    return [
        line[start : start + LONGEST_LINE].removesuffix("\r")
        for line in lines
        for start in range(0, len(line) or 1, LONGEST_LINE)
    ]
