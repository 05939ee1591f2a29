"""Logging for hooks, operators and triggers, and hiding secrets in what they log."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tradewind.sdk.secrets_masker import redact, secrets_masker, should_hide_value_for_key


def mask_secret(secret: Any, name: str | None = None) -> None:
    """Replace a value by `***` in all that is logged from now on, here and where the output of the task is read.

    With a `name`, only if it sounds secret (`password`, `token`, …). In a dict each key is such a name.
    """
    if not secret:
        return
    secrets_masker().add_mask(secret, name)
    # Operators inherit from this module, and its answers take longer to load than all the rest of a DAG file.
    import_module("tradewind.sdk.runtime").current_runtime().mask_secret(secret, name)


async def amask_secret(secret: Any, name: str | None = None) -> None:
    """`mask_secret` for coroutines: the event loop goes on meanwhile."""
    # Where a coroutine runs it is loaded; with this module, every DAG file would load it.
    await import_module("asyncio").to_thread(mask_secret, secret, name)


class FieldLogger(logging.Logger):
    """A logger that also takes fields: `log.info("copied", rows=5)` logs `copied rows=5`, and keeps them in the record.

    Provider packages of Airflow 3 log so. It stands below the logger of its name in `logging`, which has the handlers
    and the level.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.parent = logging.getLogger(name)

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 - overrides a method of logging.Logger
        # The answer of the superclass would be remembered beyond a change of the level.
        return logging.getLogger(self.name).isEnabledFor(level)

    def _log(
        self,
        level: int,
        msg: object,
        args: Any,
        exc_info: Any = None,
        extra: Any = None,
        stack_info: bool = False,
        stacklevel: int = 1,
        **fields: object,
    ) -> None:
        if fields:
            # Percent signs in a value must not be taken for places of arguments, which are filled in later.
            shown = shown_fields(fields)
            msg = f"{msg}{shown.replace('%', '%%') if args else shown}"
            extra = {**(extra or {}), "fields": fields}
        super()._log(
            level,
            msg,
            args,
            exc_info=exc_info,
            extra=extra,
            stack_info=stack_info,
            stacklevel=stacklevel + 1,  # the caller is the one of this method
        )


def shown_fields(fields: Mapping[str, object]) -> str:
    """What stands at the end of a message that was logged with these fields."""
    return "".join(f" {key}={value!r}" for key, value in fields.items())


_loggers: dict[str, FieldLogger] = {}


def field_logger(name: str) -> logging.Logger:
    """The logger of that name."""
    if name not in _loggers:
        _loggers[name] = FieldLogger(name)
    return _loggers[name]


class LoggingMixin:
    """Gives a class and its instances a logger that is named after the class."""

    # Where the logger stands in the tree of loggers, and its name there if it is not that of the class.
    _log_config_logger_name: str | None = None
    _logger_name: str | None = None

    def __init__(self, context: Any = None) -> None:
        self._set_context(context)
        super().__init__()

    @property
    def log(self) -> logging.Logger:
        """The logger of the instance."""
        return field_logger(_logger_name(type(self), self._log_config_logger_name, self._logger_name))

    @classmethod
    def logger(cls) -> logging.Logger:
        """The logger of the class."""
        return field_logger(_logger_name(cls, cls._log_config_logger_name, cls._logger_name))

    def _set_context(self, context: Any) -> None:
        """A place for subclasses to look at what they log for."""


def _logger_name(cls: type, parent: str | None, own: str | None) -> str:
    name = f"{cls.__module__}.{cls.__name__}" if own is None else own
    return f"{parent}.{name}" if parent and name else parent or name


__all__ = [
    "FieldLogger",
    "LoggingMixin",
    "amask_secret",
    "field_logger",
    "mask_secret",
    "redact",
    "should_hide_value_for_key",
]
