"""Variables: named texts, or JSON, that deployments keep outside of DAG files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tradewind.sdk.exceptions import AirflowRuntimeError, ErrorType
from tradewind.sdk.log import mask_secret
from tradewind.sdk.notset import NOTSET, is_arg_set
from tradewind.sdk.runtime import current_runtime


@dataclass(frozen=True)
class _NotFound:
    error: ErrorType
    detail: dict[str, Any]


class VariableNotFound(AirflowRuntimeError, KeyError):
    """There is no variable of that key. Also a `KeyError`: DAG files written for Airflow 2 catch that."""

    def __init__(self, key: str) -> None:
        super().__init__(_NotFound(ErrorType.VARIABLE_NOT_FOUND, {"key": key}))
        self.key = key

    def __str__(self) -> str:
        return f"there is no variable {self.key!r}: create it, or give Variable.get a default"


@dataclass
class Variable:
    """A named value. The class methods read and write stored ones."""

    key: str
    value: Any = None
    description: str | None = None

    @classmethod
    def get(cls, key: str, default: Any = NOTSET, deserialize_json: bool = False) -> Any:
        """The value of a variable; without one, the default. `deserialize_json` reads its text as JSON."""
        text = current_runtime().get_variable(key)
        if text is None:
            if not is_arg_set(default):
                raise VariableNotFound(key)
            mask_secret(default, name=key)
            return default
        mask_secret(text, name=key)
        return _from_json(key, text) if deserialize_json else text

    @classmethod
    def set(cls, key: str, value: Any, description: str | None = None, serialize_json: bool = False) -> None:
        """Create or replace a variable. `serialize_json` stores the value as JSON, else its text is stored."""
        try:
            text = json.dumps(value, indent=2) if serialize_json else str(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"variable {key!r} cannot be stored as JSON: {error}") from error
        mask_secret(text, name=key)
        current_runtime().set_variable(key, text, description)

    @classmethod
    def delete(cls, key: str) -> None:
        """Remove a variable."""
        current_runtime().delete_variable(key)

    @classmethod
    def keys(cls, prefix: str | None = None) -> Sequence[str]:
        """The keys of all stored variables, or of those that start with `prefix`. Secrets backends list none."""
        return list(current_runtime().get_variable_keys(prefix))


def _from_json(key: str, text: str) -> Any:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"variable {key!r} holds no JSON: {error}") from error
    # Inside an object each key says for itself whether its value is secret; all else has the key of the variable.
    mask_secret(value, name=None if isinstance(value, dict) else key)
    return value
