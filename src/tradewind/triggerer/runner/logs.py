"""What triggers log and print goes to the supervisor, each record with the number of its trigger."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Final

from tradewind.triggerer.protocol import NOBODY, FrameKind, Logged
from tradewind.triggerer.runner.link import Link
from tradewind.triggerer.runner.prints import Prints
from tradewind.worker.child.log_record import Record, as_line, described, plain_record
from tradewind.worker.child.output import set_levels

CURRENT_TRIGGER: Final[ContextVar[int | None]] = ContextVar("CURRENT_TRIGGER", default=None)
"""Whose code runs. Tasks and threads that a trigger starts inherit it."""


class _Handler(logging.Handler):
    """Sends records of triggers; those of nobody are printed."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record."""
        try:
            trigger = CURRENT_TRIGGER.get()
            if trigger is None:
                print("".join(map(as_line, described(record))), end="", flush=True)  # noqa: T201
            else:
                _send(self._link, trigger, described(record))
        except Exception:
            self.handleError(record)


class Capture:
    """Of what is logged and printed in this process, from now on."""

    def __init__(self, link: Link) -> None:
        self._prints = Prints(lambda: CURRENT_TRIGGER.get() or NOBODY, partial(_send, link))
        self._prints.capture()
        logging.getLogger().handlers = [_Handler(link)]
        set_levels()

    @contextmanager
    def of(self, number: int) -> Iterator[None]:
        """What is said in the block is said by this trigger, or watcher, of which nothing is heard afterwards."""
        token = CURRENT_TRIGGER.set(number)
        try:
            yield
        finally:
            CURRENT_TRIGGER.reset(token)
            self._prints.finish(number)


def _send(link: Link, trigger: int, records: list[Record]) -> None:
    link.send(FrameKind.LOG, Logged(trigger, [plain_record(each) for each in records]))
