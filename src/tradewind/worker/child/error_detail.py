"""An exception as data: what was raised, where, and because of what. In Airflow's form, so that its readers know it."""

from collections.abc import Callable
from traceback import walk_tb
from types import TracebackType
from typing import Final

Stacks = list[dict[str, object]]

_MOST_FRAMES: Final = 50


def error_detail(error: BaseException, hide: Callable[[str], str], trace: TracebackType | None = None) -> Stacks:
    """The exception, then what it was caused by, and so on; `hide` takes secrets out of their texts.

    With `trace`, that is told of where it was raised: whoever logs it may leave out what is not the author's.
    """
    stacks = _stacks(error, hide, set())
    if trace is not None:
        stacks[0]["frames"] = _frames(trace)
    return stacks


def _stacks(error: BaseException, hide: Callable[[str], str], seen: set[int]) -> Stacks:
    stacks: Stacks = []
    is_cause = False
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        stacks.append(_stack(following, hide, is_cause, seen))
        is_cause = following.__cause__ is not None
        # What was being handled is no news where the author named the cause, or said that there is none.
        context = None if following.__suppress_context__ else following.__context__
        following = following.__cause__ or context
    return stacks


def _stack(error: BaseException, hide: Callable[[str], str], is_cause: bool, seen: set[int]) -> dict[str, object]:
    members = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return {
        "exc_type": type(error).__name__,
        "exc_value": hide(_text(error)),
        "exc_notes": [hide(_text(note)) for note in getattr(error, "__notes__", ())],
        "syntax_error": _syntax_error(error, hide) if isinstance(error, SyntaxError) else None,
        "is_cause": is_cause,
        "frames": _frames(error.__traceback__),
        "is_group": isinstance(error, BaseExceptionGroup),
        "exceptions": [_stacks(member, hide, seen) for member in members],
    }


def _syntax_error(error: SyntaxError, hide: Callable[[str], str]) -> dict[str, object]:
    return {
        "offset": error.offset or 0,
        "filename": error.filename or "?",
        "line": hide(error.text or ""),
        "lineno": error.lineno or 0,
        "msg": error.msg,
    }


def _frames(traceback: TracebackType | None) -> list[dict[str, object]]:
    frames: list[dict[str, object]] = [
        {"filename": frame.f_code.co_filename or "?", "lineno": line, "name": frame.f_code.co_name}
        for frame, line in walk_tb(traceback)
    ]
    skipped = len(frames) - _MOST_FRAMES
    if skipped > 0:
        # Who called, and what went wrong, are at the two ends.
        middle = {"filename": "", "lineno": -1, "name": f"Skipped frames: {skipped}"}
        frames[_MOST_FRAMES // 2 : -_MOST_FRAMES // 2] = [middle]
    return frames


def _text(value: object) -> str:
    try:
        return str(value)
    except Exception as error:
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
