"""The base of hooks: what speaks with a system outside, by means of a connection."""

from __future__ import annotations

from typing import Any

from tradewind.sdk.connection import Connection
from tradewind.sdk.in_thread import in_thread
from tradewind.sdk.log import LoggingMixin


class BaseHook(LoggingMixin):
    """A hook. Subclasses name the argument that takes the connection id in `conn_name_attr`."""

    def __init__(self, logger_name: str | None = None) -> None:
        super().__init__()
        self._log_config_logger_name = "airflow.task.hooks"
        self._logger_name = logger_name

    @classmethod
    def get_connection(cls, conn_id: str) -> Connection:
        """The connection of that id."""
        connection: Connection = Connection.get(conn_id)
        return connection

    @classmethod
    async def aget_connection(cls, conn_id: str) -> Connection:
        """`get_connection` for coroutines."""
        return await in_thread(cls.get_connection, conn_id)

    @classmethod
    def get_hook(cls, conn_id: str, hook_params: dict[str, Any] | None = None) -> Any:
        """The hook that connections of this type have."""
        return cls.get_connection(conn_id).get_hook(hook_params=hook_params)

    @classmethod
    async def aget_hook(cls, conn_id: str, hook_params: dict[str, Any] | None = None) -> Any:
        """`get_hook` for coroutines."""
        return (await cls.aget_connection(conn_id)).get_hook(hook_params=hook_params)

    def get_conn(self) -> Any:
        """What the system's own library calls a connection, client or session."""
        raise NotImplementedError(f"{type(self).__name__} has no get_conn")

    @classmethod
    def get_connection_form_widgets(cls) -> dict[str, Any]:
        """Fields that connections of this type have in forms, besides the usual ones."""
        return {}

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """How forms show the usual fields: hidden ones, other names, examples."""
        return {}
