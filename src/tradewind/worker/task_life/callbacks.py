"""Calling an author's callbacks. What they raise goes to the log and nowhere else."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

from tradewind.sdk.context import Context, whole

log = logging.getLogger(__name__)


def run_callbacks(kind: str, callbacks: Iterable[Callable[[Any], Any]] | None, context: Context) -> None:
    """Call all of them, whatever the ones before did. `kind` names them in the log."""
    for callback in callbacks or ():
        try:
            callback(whole(context))
        except (Exception, SystemExit):  # a callback that exits means itself
            log.exception("%s %s failed", kind, getattr(callback, "__name__", callback))
