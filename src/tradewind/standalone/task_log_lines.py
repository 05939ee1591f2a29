"""What tasks log, as it is written, for the terminal of `tradewind dev`."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from watchfiles import watch

from tradewind.task_logs.lines import lines_of, message_of
from tradewind.task_logs.text import as_text

_DEBOUNCE_MS: Final = 100
_LOOK_AGAIN_MS: Final = 1000
_LEFT_OUT: Final = ("timestamp", "logger")
"""Whoever watches knows when it is, and the task says enough about who speaks."""


def follow_task_logs(folder: Path, write: Callable[[str], None], *, has_colours: bool = False) -> None:
    """Write every line that is added to a log below the folder, for ever. What is there already is not news."""
    tail = LogTail(folder, has_colours=has_colours)
    tail.skip()
    lately: set[Path] = set()
    for changes in watch(
        folder, debounce=_DEBOUNCE_MS, rust_timeout=_LOOK_AGAIN_MS, yield_on_timeout=True, raise_interrupt=False
    ):
        changed = {Path(path) for _, path in changes}
        # A file that appears in a new folder may be written before that folder is watched.
        for line in tail.news(sorted(changed | lately)):
            write(line)
        lately = changed | {path.parent for path in changed}


class LogTail:
    """Remembers how far each log was read."""

    def __init__(self, folder: Path, *, has_colours: bool = False) -> None:
        self._folder = folder
        self._has_colours = has_colours
        self._ends: dict[Path, int] = {}

    def skip(self) -> None:
        """Take all that is there as read."""
        self._ends = {path: path.stat().st_size for path in self._folder.rglob("*.log")}

    def news(self, changed: Iterable[Path]) -> Iterator[str]:
        """The lines that were added to these files, and to those in these folders."""
        for path in dict.fromkeys(file for each in changed for file in _files(each)):
            name = _name(path.relative_to(self._folder))
            for line in self._added(path):
                message = {key: value for key, value in message_of(line).items() if key not in _LEFT_OUT}
                yield f"{name} {as_text(message, has_colours=self._has_colours)}"

    def _added(self, path: Path) -> Iterator[bytes]:
        try:
            file = path.open("rb")
        except OSError:
            return
        file.seek(self._ends.get(path, 0))
        for line in lines_of(file):
            self._ends[path] = line.end
            yield line.raw


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.log")) if path.is_dir() else [path] if path.suffix == ".log" else []


def _name(path: Path) -> str:
    """`dag.task[2]`, from the folders that the log lies in."""
    parts = dict(part.split("=", 1) for part in path.parts if "=" in part)
    mapped = f"[{parts['map_index']}]" if "map_index" in parts else ""
    return f"{unquote(parts.get('dag_id', '?'))}.{unquote(parts.get('task_id', '?'))}{mapped}"
