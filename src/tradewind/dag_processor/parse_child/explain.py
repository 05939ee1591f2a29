"""Says what went wrong in a DAG file, and what to do about it."""

import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_LONGEST: Final = 100_000
_MOST_FRAMES: Final = 40
_NOT_SHOWN: Final = (str(Path(__file__).parent), "<frozen importlib")


class ReadTimeout(BaseException):
    """The file took too long. Not an `Exception`: files that catch those must not catch this."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the file was not read within {seconds:g} s")
        self.seconds = seconds


class TimetableTimeout(BaseException):
    """A timetable of the author's own took too long to say what it was asked. No `Exception` either."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(f"the timetable {name} has not answered within {seconds:g} s")


def explain(error: BaseException, roots: Sequence[str], depth: int) -> str:
    """The end of the traceback with all of the author's own lines, the error, and what to do.

    `depth` is how many of the last frames are shown whosever they are; 0 leaves the traceback out.
    """
    advice = _advice(error)
    parts = [_shown(error, tuple(f"{root}/" for root in roots), depth), f"What to do: {advice}" if advice else ""]
    return "\n".join(part for part in parts if part)


def _shown(error: BaseException, roots: tuple[str, ...], depth: int) -> str:
    told = traceback.TracebackException.from_exception(error, compact=True)
    own = traceback.extract_tb(error.__traceback__)
    is_authors = any(frame.filename.startswith(roots) for frame in own)
    if depth == 0 or not is_authors:
        return "".join(told.format_exception_only()).strip()
    seen: set[int] = set()
    current: traceback.TracebackException | None = told
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        current.stack[:] = _kept(list(current.stack), roots, depth)
        current = current.__cause__ or current.__context__
    text = "".join(told.format()).strip()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}\n…\n{text[-_LONGEST // 2 :]}"


def _kept(frames: list[traceback.FrameSummary], roots: tuple[str, ...], depth: int) -> list[traceback.FrameSummary]:
    """The author's own frames and the last ones, but neither ours nor the import system's."""
    first = next((i for i, frame in enumerate(frames) if frame.filename.startswith(roots)), 0)
    last = len(frames) - depth
    kept = [
        frame
        for i, frame in enumerate(frames)
        if frame.filename.startswith(roots) or (i >= max(first, last) and not frame.filename.startswith(_NOT_SHOWN))
    ]
    half = _MOST_FRAMES // 2
    return kept if len(kept) <= _MOST_FRAMES else [*kept[:half], *kept[-half:]]


def _advice(error: BaseException) -> str:
    match error:
        case TimetableTimeout():
            return (
                "let next_dagrun_info, and what else the timetable is asked, return soon: None says that no run follows"
            )
        case ReadTimeout():
            return (
                "move slow work, such as queries and downloads, from the top level of the file into tasks;"
                " or raise [core] dagbag_import_timeout"
            )
        case SystemExit():
            return "remove the call of sys.exit or exit: a DAG file is imported, not run as a program"
        case MemoryError():
            return (
                "do not load data at the top level of the file, do it in a task;"
                " or raise [dag_processor] parsing_memory_limit_mb"
            )
        case RecursionError():
            return "a function calls itself without an end: the repeated lines above say which"
        case SyntaxError() if "unicode" in str(error) or "codec" in str(error) or "encoding" in str(error):
            return "save the file as UTF-8, or name its encoding in a comment in its first line"
        case SyntaxError():
            return f"correct line {error.lineno} of {error.filename}"
        case ModuleNotFoundError():
            return (
                f"install the package that has the module {error.name!r}, or put the module into the bundle"
                " or into the plugins folder"
            )
        case ImportError() if "partially initialized" in str(error) or "circular import" in str(error):
            return "two modules import each other: move what both need into a third one"
        case FileNotFoundError():
            return "put the file back, or correct the path; a path is relative to where the process was started"
        case _:
            return ""
