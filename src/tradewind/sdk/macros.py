"""What templates find under `macros`: functions for dates, and modules that templates often use."""

from __future__ import annotations

import datetime as dt
import json
import time
import uuid
from datetime import datetime, timedelta
from importlib import import_module
from random import random  # noqa: TID251 - templates may roll dice; nothing in Tradewind depends on it
from typing import Any

import dateutil
import dateutil.parser
import dateutil.relativedelta
import pendulum
import yaml

from tradewind.sdk.exceptions import AirflowOptionalProviderFeatureException


def ds_add(ds: str, days: int) -> str:
    """The day that many days later: `ds_add("2026-01-31", 1)` is `2026-02-01`."""
    return (dt.date.fromisoformat(str(ds)) + timedelta(days=days)).isoformat()


def ds_format(ds: str, input_format: str, output_format: str) -> str:
    """A date written another way, in the language of `strftime`."""
    return _read(ds, input_format).strftime(output_format)


def ds_format_locale(ds: str, input_format: str, output_format: str, locale: Any = None) -> str:
    """A date written in the way of a language: the output format is one of Babel, such as `EEEE d MMMM yyyy`."""
    try:
        dates = import_module("babel.dates")
    except ModuleNotFoundError as error:
        raise AirflowOptionalProviderFeatureException("macros.ds_format_locale needs the package babel") from error
    written: str = dates.format_datetime(
        _read(ds, input_format), format=output_format, locale=locale or dates.LC_TIME or "en_US"
    )
    return written


def _read(ds: str, input_format: str) -> datetime:
    # Only its spelling changes, so that its zone does not matter; a format may not even have a date in it.
    return datetime.strptime(str(ds), input_format)  # noqa: DTZ007


def datetime_diff_for_humans(dt: Any, since: Any = None) -> str:
    """How long ago or ahead, in words: `2 days ago`, or `2 days before` another moment."""
    return str(pendulum.instance(dt).diff_for_humans(None if since is None else pendulum.instance(since)))


__all__ = [
    "datetime",
    "datetime_diff_for_humans",
    "dateutil",
    "ds_add",
    "ds_format",
    "ds_format_locale",
    "json",
    "random",
    "time",
    "timedelta",
    "uuid",
    "yaml",
]
