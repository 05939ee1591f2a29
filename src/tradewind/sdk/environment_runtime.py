"""Answers where no task runs: variables and connections from the environment, a clear refusal for all else."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NoReturn

from tradewind.errors import TradewindError
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.connection_text import parse_connection

# The names win in this order.
VARIABLE_PREFIXES: Final = ("TRADEWIND_VAR_", "AIRFLOW_VAR_")
CONNECTION_PREFIXES: Final = ("TRADEWIND_CONN_", "AIRFLOW_CONN_")


class OutsideTask(TradewindError, RuntimeError):
    """Something was asked for that only a running task gets an answer to."""

    def __init__(self, request: str) -> None:
        super().__init__(
            f"{request} needs a running task: call it inside a task, a callback or a trigger, not while the DAG file"
            " is read; in a test, run the DAG with tradewind.testing"
        )
        self.request = request


class EnvironmentRuntime:
    """`TRADEWIND_VAR_<KEY>` and `TRADEWIND_CONN_<ID>`, else the same names with `AIRFLOW_`; nothing is written.

    It has every method of `Runtime`: those that are not written here refuse when they are called.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        # The environment is part of what this class is for; it is looked at anew with every question.
        self._environ: Mapping[str, str] = os.environ if environ is None else environ  # noqa: TID251

    def get_variable(self, key: str) -> str | None:
        return self.first(VARIABLE_PREFIXES, key)

    def get_variable_keys(self, prefix: str | None = None) -> list[str]:
        """Keys in lower case: the environment does not keep theirs."""
        keys = {
            name.removeprefix(start).lower()
            for start in VARIABLE_PREFIXES
            for name in self._environ
            if name.startswith(start)
        }
        return sorted(key for key in keys if key.startswith((prefix or "").lower()))

    def get_connection(self, conn_id: str) -> ConnectionResult | None:
        text = self.first(CONNECTION_PREFIXES, conn_id)
        return parse_connection(text, conn_id) if text else None

    def mask_secret(self, secret: Any, name: str | None = None) -> None:
        """Nobody else reads what this process logs."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return partial(_refuse, name)

    def first(self, prefixes: tuple[str, ...], name: str) -> str | None:
        """The value of the first environment variable that is named so."""
        found = (self._environ.get(prefix + name.upper()) for prefix in prefixes)
        return next((text for text in found if text is not None), None)


def _refuse(request: str, *args: object, **kwargs: object) -> NoReturn:
    about = [repr(arg) for arg in args] or [f"{name}={value!r}" for name, value in kwargs.items()]
    raise OutsideTask(f"{request}({', '.join(about[:2])})")
