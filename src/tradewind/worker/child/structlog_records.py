"""What authors log with structlog becomes records as all else that they log: with its fields, and without secrets."""

import inspect
import logging
import sys
from types import ModuleType
from typing import Any, Final

from tradewind.sdk.log import shown_fields

_STRUCTLOG: Final = "structlog"


def join_structlog() -> None:
    """Let structlog log to `logging`, if a DAG file has imported it and has not configured it in another way.

    Airflow's own logs are made with it, so authors count on its being configured.
    """
    structlog: Any = sys.modules.get(_STRUCTLOG)
    if not isinstance(structlog, ModuleType) or structlog.is_configured():
        return
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.PositionalArgumentsFormatter(),
            _as_record,
        ],
        logger_factory=_logger,
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def _logger(*names: str) -> logging.Logger:
    """The one that is asked for, or that of the module which logs."""
    _, module = _author()
    return logging.getLogger(names[0] if names else module)


def _as_record(_logger: object, _method: str, event: dict[str, Any]) -> tuple[tuple[str], dict[str, Any]]:
    """The arguments of a method of `logging`; see `FieldLogger` for how fields are passed."""
    text = str(event.pop("event", ""))
    options: dict[str, Any] = {name: event.pop(name) for name in ("exc_info", "stack_info") if name in event}
    steps, _ = _author()
    # The method is called where this function was called from, two steps nearer to the author than here.
    return (text + shown_fields(event),), {**options, "extra": {"fields": event}, "stacklevel": steps - 2}


def _author() -> tuple[int, str]:
    """How many steps above this function the author's code is, and the name of its module."""
    frame, steps = inspect.currentframe(), 0
    while frame is not None and frame.f_back is not None:
        frame, steps = frame.f_back, steps + 1
        module = str(frame.f_globals.get("__name__", ""))
        if module != __name__ and module.partition(".")[0] != _STRUCTLOG:
            return steps, module
    return steps, _STRUCTLOG
