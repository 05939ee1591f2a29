"""`airflow.models.Connection`: the connection of the SDK, made and asked as in Airflow 2."""

import json
from typing import Any

from tradewind.sdk import connection


class _OldPath(type):
    """Every connection of the SDK is one of these: hooks get those, and ask for these."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, connection.Connection)


class Connection(connection.Connection, metaclass=_OldPath):
    """How to reach a system outside. See `tradewind.sdk.Connection`."""

    def __init__(
        self,
        conn_id: str | None = None,
        conn_type: str | None = None,
        description: str | None = None,
        host: str | None = None,
        login: str | None = None,
        password: str | None = None,
        schema: str | None = None,
        port: int | str | None = None,
        extra: str | dict[str, Any] | None = None,
        uri: str | None = None,
        team_name: str | None = None,
    ) -> None:
        fields = {
            "conn_type": conn_type,
            "description": description,
            "host": host,
            "login": login,
            "password": password,
            "schema": schema,
            "port": int(port) if port is not None and port != "" else None,
            "extra": json.dumps(extra) if isinstance(extra, dict) else extra,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        super().__init__(conn_id=conn_id or "", uri=uri, **given)

    @classmethod
    def get_connection_from_secrets(cls, conn_id: str, team_name: str | None = None) -> Any:
        """The stored connection of that id."""
        return connection.Connection.get(conn_id)

    def get_password(self) -> str | None:
        """The password."""
        return self.password

    def set_password(self, value: str | None) -> None:
        """Give this object a password. Nothing is stored."""
        self.password = value

    def get_extra(self) -> str | None:
        """The extras as text."""
        return self.extra

    def set_extra(self, value: str | None) -> None:
        """Give this object extras. Nothing is stored."""
        self.extra = value
