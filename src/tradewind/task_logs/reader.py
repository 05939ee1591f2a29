"""Reading the log of a try: all its files together, here and elsewhere, from any point on."""

import base64
import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from tradewind.task_logs.lines import Line, Message, lines_of, message_of
from tradewind.task_logs.places import Try, log_name
from tradewind.task_logs.remote import RemoteLogs

DEFAULT_PAGE: Final = 10_000

# Where a copy elsewhere says something else than the file here, it is a source of its own.
_REMOTE_SUFFIX: Final = "@remote"
_MOST_BYTES: Final = 2**62
"""More than any file has, and no more than a file can be told to go to."""
_decode_positions: Final = msgspec.json.Decoder(dict[str, int]).decode


@dataclass(frozen=True, slots=True)
class Page:
    """Messages in the order of their times."""

    messages: list[Message]
    token: str
    """Where to go on. Valid also when there is nothing more yet."""
    sources: tuple[str, ...]
    """The files that were read; none: nothing was logged, or it is gone."""
    is_last: bool
    """Whether there was nothing more at the moment."""


@dataclass(frozen=True, slots=True)
class _Source:
    key: str
    shown: str
    lines: Iterator[Line]


class LogReader:
    """Reads logs from a folder and, where there is one, from the storage elsewhere."""

    def __init__(self, folder: Path, remote: RemoteLogs | None = None) -> None:
        self._folder = folder
        self._remote = remote

    def read(
        self,
        of: Try,
        token: str = "",
        limit: int = DEFAULT_PAGE,
        *,
        limit_bytes: int | None = None,
        looks_elsewhere: bool = True,
    ) -> Page:
        """The next messages after those of the page whose token is given, at most `limit`.

        No more are read once they have `limit_bytes` together: whoever serves pages to others cannot hold whole logs.

        Raises:
            OSError: a file is there and cannot be read.
        """
        positions = _positions(token)
        sources = self._sources(of, positions, looks_elsewhere=looks_elsewhere)
        merged = heapq.merge(*(_numbered(number, source) for number, source in enumerate(sources)), key=_time)
        messages: list[Message] = []
        is_last, size = True, 0
        for count, (number, line) in enumerate(merged):
            if count >= limit or (limit_bytes is not None and size >= limit_bytes):
                is_last = False
                break
            positions[sources[number].key] = line.end
            size += len(line.raw)
            if line.raw:
                messages.append(message_of(line.raw))
        return Page(messages, _token(positions), tuple(source.shown for source in sources), is_last)

    def all(self, of: Try) -> Iterator[Message]:
        """All messages that there are now."""
        page = self.read(of)
        yield from page.messages
        while not page.is_last:
            page = self.read(of, page.token)
            yield from page.messages

    def follow(self, of: Try, is_over: Callable[[], bool], wait: Callable[[], object]) -> Iterator[Message]:
        """All messages, also those that are yet to come.

        Args:
            of: the try.
            is_over: whether nothing more will be written.
            wait: returns when it is worth looking again.
        """
        token, is_first = "", True
        while True:
            # Asked before reading: what is written between the two must not be missed.
            is_end = is_over()
            # Storage elsewhere gets a log when it is complete, and is slow to ask.
            page = self.read(of, token, looks_elsewhere=is_first or is_end)
            yield from page.messages
            token, is_first = page.token, False
            if is_end and page.is_last:
                return
            if page.is_last:
                wait()

    def _sources(self, of: Try, positions: Mapping[str, int], *, looks_elsewhere: bool) -> list[_Source]:
        name = log_name(of)
        names = {name, *self._local_names(name)}
        remote = self._remote if looks_elsewhere else None
        if remote is not None:
            names.update(remote.names_like(f"{name}.trigger."))
        return [source for each in sorted(names) for source in self._sources_of(each, positions, remote)]

    def _local_names(self, name: str) -> list[str]:
        """The log and those of its triggers: their names continue its own."""
        path = self._folder / name
        try:
            entries = [entry.name for entry in path.parent.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        folder = name.rpartition("/")[0]
        return [f"{folder}/{entry}" for entry in entries if entry.startswith(f"{path.name}.trigger.")]

    def _sources_of(self, name: str, positions: Mapping[str, int], remote: RemoteLogs | None) -> Iterator[_Source]:
        path = self._folder / name
        local_size = _size(path)
        if local_size is not None:
            yield _Source(name, str(path), lines_of(_opened(path, positions.get(name, 0))))
        if remote is None or (local_size is not None and remote.size(name) in {None, local_size}):
            return
        copy = remote.open(name)
        if copy is None:
            return
        if local_size is None:
            key, known = name, set[bytes]()
        else:
            # Another machine has had a part in this try.
            key, known = name + _REMOTE_SUFFIX, {line.raw for line in lines_of(_opened(path, 0))}
        copy.seek(positions.get(key, 0))
        lines = (line for line in lines_of(copy, keeps_unfinished=True) if line.raw not in known)
        yield _Source(key, f"remote:{name}", lines)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return None


def _opened(path: Path, position: int) -> BinaryIO:
    file = path.open("rb")
    file.seek(position)
    return file


def _numbered(number: int, source: _Source) -> Iterator[tuple[int, Line]]:
    return ((number, line) for line in source.lines)


def _time(entry: tuple[int, Line]) -> datetime:
    return entry[1].at


def is_token(token: str) -> bool:
    """Whether a page may have had it. Which files it names does not matter: only those of a try are read."""
    return _decoded(token) is not None


def _positions(token: str) -> dict[str, int]:
    """What a token says. One that makes no sense is none: it came from outside."""
    return _decoded(token) or {}


def _decoded(token: str) -> dict[str, int] | None:
    if not token:
        return {}
    try:
        found = _decode_positions(base64.urlsafe_b64decode(token.encode()))
    except (ValueError, msgspec.MsgspecError):
        return None
    return found if all(0 <= end <= _MOST_BYTES for end in found.values()) else None


def _token(positions: Mapping[str, int]) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(positions)).decode()
