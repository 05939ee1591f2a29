"""What a task logs and prints, kept for the result of the test."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import Final, TextIO

_current: Final[ContextVar[list[str] | None]] = ContextVar("tradewind_task_log", default=None)
# At INFO these would write down each of their steps.
_TALKATIVE: Final = ("alembic", "asyncio", "sqlalchemy")


@contextmanager
def keeping(lines: list[str]) -> Iterator[None]:
    """What is logged and printed in this block goes to `lines`, too."""
    token = _current.set(lines)
    try:
        yield
    finally:
        _current.reset(token)


class _Keeper(logging.Handler):
    """Keeps records of the task that logs them."""

    def emit(self, record: logging.LogRecord) -> None:
        lines = _current.get()
        if lines is not None:
            lines.append(self.format(record))


class _PrintKeeper:
    """A text stream that also keeps what the running task prints, line by line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        lines = _current.get()
        if lines is not None:
            lines.extend(line for line in text.splitlines() if line)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextmanager
def kept_logs(level: int = logging.INFO, *, shown_on: TextIO | None = None) -> Iterator[None]:
    """Let tasks be heard from this level on; with `shown_on`, also by whoever looks at that stream."""
    root = logging.getLogger()
    handlers: list[logging.Handler] = [_Keeper()]
    if shown_on is not None:
        handlers.append(logging.StreamHandler(shown_on))
        handlers[-1].setFormatter(logging.Formatter("[%(asctime)s] %(levelname)s %(name)s: %(message)s"))
    handlers[0].setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    former = {name: logging.getLogger(name).level for name in ("", *_TALKATIVE)}
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(former[name] or logging.WARNING)
    root.setLevel(min(former[""] or level, level))
    for handler in handlers:
        root.addHandler(handler)
    try:
        with redirect_stdout(_PrintKeeper(sys.stdout)):  # type: ignore[type-var]
            yield
    finally:
        for handler in handlers:
            root.removeHandler(handler)
        for name, number in former.items():
            logging.getLogger(name).setLevel(number)
