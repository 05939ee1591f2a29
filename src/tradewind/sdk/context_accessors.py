"""What templates say as `var.value.key`, `var.json.key`, `conn.id` and `macros.name`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tradewind.sdk.connection import Connection
from tradewind.sdk.exceptions import AirflowNotFoundException
from tradewind.sdk.notset import NOTSET
from tradewind.sdk.variable import Variable


class VariableAccessor:
    """Variables as attributes: their texts, or the values of their JSON."""

    def __init__(self, deserialize_json: bool) -> None:
        self._deserialize_json = deserialize_json

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            # Python and Jinja ask for such names by themselves, and no variable has one.
            raise AttributeError(key)
        return Variable.get(key, deserialize_json=self._deserialize_json)

    def get(self, key: str, default: Any = NOTSET) -> Any:
        """The variable; without one, the default. For keys that are no names of attributes, too."""
        return Variable.get(key, default, deserialize_json=self._deserialize_json)

    def __repr__(self) -> str:
        return "<VariableAccessor (dynamic access)>"


class VariableAccessors:
    """`var`: `var.value.key` and `var.json.key`. It may also be indexed, as the dict that it is in Airflow."""

    def __init__(self) -> None:
        self.value = VariableAccessor(deserialize_json=False)
        self.json = VariableAccessor(deserialize_json=True)

    def __getitem__(self, name: str) -> VariableAccessor:
        if name not in ("value", "json"):
            raise KeyError(name)
        accessor: VariableAccessor = getattr(self, name)
        return accessor


class ConnectionAccessor:
    """`conn`: connections as attributes."""

    def __getattr__(self, conn_id: str) -> Any:
        if conn_id.startswith("__"):
            raise AttributeError(conn_id)
        return Connection.get(conn_id)

    def get(self, conn_id: str, default_conn: Any = None) -> Any:
        """The connection; without one, the default."""
        try:
            return Connection.get(conn_id)
        except AirflowNotFoundException:
            return default_conn

    def __repr__(self) -> str:
        return "<ConnectionAccessor (dynamic access)>"


class MacrosAccessor:
    """`macros`: the module is loaded when a template uses it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(import_module("tradewind.sdk.macros"), name)

    def __repr__(self) -> str:
        return "<MacrosAccessor (dynamic access to macros)>"
