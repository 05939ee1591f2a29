"""Runs one function of a DAG file in another interpreter.

The text of this module is the first part of every script that `isolated_script` writes, so that it can be tested and
type-checked like anything else. The other interpreter may be older than ours and has nothing of ours installed: only
the standard library, and no syntax newer than Python 3.9's.
"""

from __future__ import annotations

import datetime as dt
import importlib
import inspect
import sys
import types
import zoneinfo
from typing import Any, Callable  # noqa: UP035 - see the module's docstring


def _run_function(function: Callable[..., Any], serializer: str, *, has_arguments: bool, translate_dates: bool) -> None:
    """Call the function with what is in the first file and write what it returns to the second."""
    codec = importlib.import_module(serializer)
    arguments: dict[str, Any] = {"args": [], "kwargs": {}}
    if has_arguments:
        with open(sys.argv[1], "rb") as file:  # noqa: PTH123 - shorter for files that are only arguments
            arguments = codec.load(file)
    if translate_dates:
        arguments = _pendulum_dates(arguments)
    try:
        result = function(*arguments["args"], **arguments["kwargs"])
        if inspect.iscoroutine(result):
            result = importlib.import_module("asyncio").run(result)
    except Exception as failure:
        with open(sys.argv[4], "w") as file:  # noqa: PTH123 - as above
            file.write(f"{type(failure).__name__}: {failure}")
        raise
    with open(sys.argv[2], "wb") as file:  # noqa: PTH123 - as above
        if result is not None:
            codec.dump(_plain_dates(result) if translate_dates else result, file)


def _read_string_args() -> list[str]:
    """The lines of `string_args`."""
    with open(sys.argv[3]) as file:  # noqa: PTH123 - as above
        return [line.strip() for line in file]


def _stand_in_for(module_name: str, function: Callable[..., Any]) -> None:
    """Let pickled values find the function where it was defined: in a DAG file, which cannot be imported here."""
    module = types.ModuleType(module_name)
    setattr(module, function.__name__, function)
    sys.modules[module_name] = module


def _plain_dates(value: Any) -> Any:
    """Datetimes of the standard library in place of pendulum's, which only the same major version can read."""
    if isinstance(value, dt.datetime) and type(value) is not dt.datetime:
        zone = value.tzinfo
        if zone is not None:
            try:
                zone = zoneinfo.ZoneInfo(getattr(zone, "key", "") or getattr(zone, "name", ""))
            except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
                zone = dt.timezone(value.utcoffset() or dt.timedelta())
        date = dt.date(value.year, value.month, value.day)
        return dt.datetime.combine(date, value.time(), zone)
    if isinstance(value, dict):
        return {key: _plain_dates(item) for key, item in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(_plain_dates(item) for item in value)
    return value


def _pendulum_dates(value: Any) -> Any:
    """The other way round, with this interpreter's pendulum; unchanged where there is none."""
    try:
        pendulum = importlib.import_module("pendulum")
    except ImportError:
        return value
    if isinstance(value, dt.datetime):
        return pendulum.instance(value)
    if isinstance(value, dict):
        return {key: _pendulum_dates(item) for key, item in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(_pendulum_dates(item) for item in value)
    return value
