"""What triggers log goes to the supervisor, each record with the number of its trigger."""

import logging
from contextvars import ContextVar
from typing import Final

from tradewind.triggerer.protocol import FrameKind, Logged
from tradewind.triggerer.runner.link import Link
from tradewind.worker.child.log_record import as_line, described, plain_record
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
            records = [plain_record(each) for each in described(record)]
            trigger = CURRENT_TRIGGER.get()
            if trigger is None:
                print("".join(map(as_line, records)), end="", flush=True)  # noqa: T201
            else:
                self._link.send(FrameKind.LOG, Logged(trigger, records))
        except Exception:
            self.handleError(record)


def capture_logs(link: Link) -> None:
    """From now on, in this process."""
    logging.getLogger().handlers = [_Handler(link)]
    set_levels()
