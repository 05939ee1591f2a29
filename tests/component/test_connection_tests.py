"""Connections are tried out by a process of their own (D6)."""

from pathlib import Path

from tradewind.model.task_answers import ConnectionResult
from tradewind.settings import process_environment
from tradewind.worker.connection_tests import try_connection

HOOK = """
import os, sys
from airflow.sdk import BaseHook
class Hook(BaseHook):
    def __init__(self, conn_id):
        self.conn_id = conn_id
    def test_connection(self):
        connection = self.get_connection(self.conn_id)
        print("a hook may print what it likes")
        if connection.host == "dies":
            os._exit(3)
        if connection.host == "hangs":
            os.read(os.pipe()[0], 1)
        return connection.password == "right", "tried"
"""


def asked(tmp_path: Path, host: str, password: str = "right", *, patience_s: float = 60) -> tuple[bool, str]:
    (tmp_path / "brought_hook.py").write_text(HOOK)
    package = tmp_path / "brought-1.0.dist-info"
    package.mkdir(exist_ok=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[apache_airflow_provider]\nprovider_info=brought_info:info\n")
    types = '[{"connection-type": "brought", "hook-class-name": "brought_hook.Hook"}]'
    (tmp_path / "brought_info.py").write_text(
        f'def info(): return {{"package-name": "brought", "name": "B", "connection-types": {types}}}'
    )
    connection = ConnectionResult(conn_id="hook", conn_type="brought", host=host, password=password)
    environ = {**process_environment(), "PYTHONPATH": str(tmp_path)}
    return try_connection(connection, environ, patience_s=patience_s)


def test_a_hook_tells_whether_a_connection_works(tmp_path: Path) -> None:
    assert asked(tmp_path, "here") == (True, "tried")
    assert asked(tmp_path, "here", "wrong") == (False, "tried")


def test_a_hook_that_dies_or_hangs_does_not_take_anybody_along(tmp_path: Path) -> None:
    works, message = asked(tmp_path, "dies")
    assert (works, "exit code 3" in message) == (False, True)
    assert asked(tmp_path, "hangs", patience_s=0.5) == (False, "it gave no answer within 0.5 seconds")


def test_a_type_without_a_hook_cannot_be_tried_out() -> None:
    connection = ConnectionResult(conn_id="x", conn_type="unheard of")
    works, message = try_connection(connection, process_environment(), patience_s=60)
    assert (works, "unheard of" in message) == (False, True)
