"""What the audit log says about a command that changes something."""

import getpass
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import typer

from tradewind.errors import TradewindError
from tradewind.model.audit import AuditEntry
from tradewind.operations.describe_change import described
from tradewind.runtime.clock import SystemClock
from tradewind.settings import load_settings
from tradewind.storage.interface.access_stores import pending

_SERVICES: Final = frozenset({"api-server", "dag-processor", "dev", "scheduler", "standalone", "triggerer", "worker"})
"""What they change is no change by a person."""
_SECRET: Final[Mapping[str, frozenset[str]]] = {
    "migrate-from-airflow": frozenset({"db", "fernet_key", "fernet_key_cmd"}),
    "connections": frozenset({"conn_uri", "conn_extra", "conn_json"}),
    "variables": frozenset({"value"}),
}
"""By group, what is never written down, whatever it is called."""


@contextmanager
def noted(context: typer.Context) -> Iterator[None]:
    """Within the block, what is changed is changed by this command. The store does the rest."""
    words = context.command_path.split()[1:]
    if not words or words[0] in _SERVICES:
        yield
        return
    with pending(_entry(words, context.params)):
        yield


def _entry(words: list[str], parameters: Mapping[str, Any]) -> AuditEntry:
    given = {name: _parsed(value) for name, value in parameters.items() if value not in (None, False, ())}
    return AuditEntry(
        "cli_" + "_".join(words).replace("-", "_"),
        _user(),
        SystemClock().now(),
        dag_id=_text(given.get("dag_id")),
        task_id=_text(given.get("task_id")),
        run_id=_text(given.get("run_id")),
        extra=described({"host_name": socket.gethostname(), **given}, _SECRET.get(words[0], ()), _sensitive_words()),
    )


def _parsed(value: object) -> object:
    """JSON as what it says, so that what is secret in it can be told from the rest."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user often has no name
        return f"uid {os.getuid()}"


def _sensitive_words() -> frozenset[str]:
    try:
        names = load_settings().core.sensitive_var_conn_names
    except TradewindError:  # the command itself will say so, if it needs the configuration at all
        return frozenset()
    return frozenset(name.strip().lower() for name in names.split(",") if name.strip())
