"""How an author hears that a name has moved or is spelled differently now."""

import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import Final

_OURS: Final = f"{Path(__file__).parent.parent}/"


class DeprecatedImportWarning(FutureWarning, DeprecationWarning):
    """A name was imported by a path that Airflow deprecated or removed.

    Airflow makes it a `FutureWarning`, and people's filters name that. Python shows a `DeprecationWarning` to the
    author of the importing file and to tests, not to somebody who merely runs a package that imports so. Being both
    keeps both.
    """


class DeprecatedSpellingWarning(FutureWarning, DeprecationWarning):
    """An argument or key was used by the name that it had in Airflow 2."""


def warn_of_old_path(old_module: str, old_name: str, new_module: str, new_name: str) -> bool:
    """Say where the name is now, at the line that imports it. Returns whether there was anybody to tell.

    Provider packages try old paths first in order to run with old Airflows too: no author can change that.
    """
    frame = _author()
    if str(frame.f_globals.get("__name__")).startswith("airflow.providers."):
        return False
    _warn(f"{old_module}.{old_name} is deprecated: use {new_module}.{new_name}", DeprecatedImportWarning, frame)
    return True


def warn_of_old_spelling(what: str, instead: str) -> None:
    """Say what to write now, at the line that uses the old spelling."""
    _warn(f"{what} is deprecated: use {instead}", DeprecatedSpellingWarning, _author())


def _warn(message: str, category: type[Warning], frame: FrameType) -> None:
    # Between the author's line and this one stand as many frames as the import system and our adapters need.
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    file, line = frame.f_code.co_filename, frame.f_lineno
    warnings.warn_explicit(message, category, file, line, names.get("__name__", "<unknown>"), registry)


def _author() -> FrameType:
    """The nearest frame that is neither ours nor Python's import system."""
    frame = sys._getframe(1)  # noqa: SLF001 - Python's own way to ask who calls
    while frame.f_back is not None and _is_between(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _is_between(file: str) -> bool:
    return file.startswith((_OURS, "<frozen importlib")) or "/importlib/" in file
