"""Folders on a file system, by connection."""

from pathlib import Path
from typing import Any

from tradewind.sdk.hook import BaseHook


class FSHook(BaseHook):
    """A folder that a connection of type `fs` names in its extra field `path`."""

    conn_name_attr = "fs_conn_id"
    default_conn_name = "fs_default"
    conn_type = "fs"
    hook_name = "File (path)"

    def __init__(self, fs_conn_id: str = default_conn_name, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.conn = self.get_connection(fs_conn_id)
        self.basepath: str = self.conn.extra_dejson.get("path", "")

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """The form has only the path."""
        return {
            "hidden_fields": ["host", "schema", "port", "login", "password", "extra"],
            "relabeling": {},
            "placeholders": {},
        }

    def get_conn(self) -> None:
        """There is nothing to connect to."""

    def get_path(self) -> str:
        """The folder; empty if the connection names none."""
        return self.basepath

    def test_connection(self) -> tuple[bool, str]:
        """Whether the folder is there."""
        if not self.basepath:
            return False, "the connection has no path in its extra field"
        if not Path(self.basepath).exists():
            return False, f"path {self.basepath!r} does not exist"
        return True, f"path {self.basepath!r} exists"
