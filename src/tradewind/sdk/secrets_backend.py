"""Secrets backends: where variables and connections are looked up besides the database."""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tradewind.sdk.connection import Connection
from tradewind.sdk.connection_text import from_fields, parse_connection
from tradewind.sdk.environment_runtime import CONNECTION_PREFIXES, VARIABLE_PREFIXES, EnvironmentRuntime
from tradewind.sdk.exceptions import AirflowException, AirflowSecretsBackendAccessDenied
from tradewind.sdk.log import LoggingMixin
from tradewind.sdk.server_exceptions import (
    AirflowFileParseException,
    AirflowUnsupportedFileTypeException,
    ConnectionNotUnique,
    FileSyntaxError,
    VariableNotUnique,
)

log = logging.getLogger(__name__)


class BaseSecretsBackend:
    """A place with secrets. Subclasses write `get_conn_value` or `get_connection`, and `get_variable`."""

    @staticmethod
    def build_path(path_prefix: str, secret_id: str, sep: str = "/") -> str:
        """The name of a secret below a prefix."""
        return f"{path_prefix}{sep}{secret_id}"

    def get_conn_value(self, conn_id: str, team_name: str | None = None) -> str | None:
        """The connection as a URI or as JSON."""
        raise NotImplementedError(f"{type(self).__name__} has neither get_conn_value nor get_connection")

    def get_connection(self, conn_id: str, team_name: str | None = None) -> Connection | None:
        """The connection."""
        value = _call(self.get_conn_value, team_name, conn_id=conn_id)
        return self.deserialize_connection(conn_id, value) if value else None

    def deserialize_connection(self, conn_id: str, value: str) -> Connection:
        """Read a connection from its text."""
        return _connection(parse_connection(value, conn_id))

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        """The text of a variable."""
        raise NotImplementedError(f"{type(self).__name__} has no get_variable")

    def get_config(self, key: str) -> str | None:
        """The value of an option of the configuration."""
        return None


def _connection(result: Any) -> Connection:
    return Connection(**{name: getattr(result, name) for name in result.__dataclass_fields__})


def _call(method: Callable[..., Any], team_name: str | None, **arguments: Any) -> Any:
    """Name the team only to those who take it: backends written before there were teams do not."""
    parameters = inspect.signature(method).parameters
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    if "team_name" in parameters or takes_any:
        return method(**arguments, team_name=team_name)
    return method(**arguments)


def find_variable(backends: Iterable[BaseSecretsBackend], key: str, team_name: str | None = None) -> str | None:
    """The text of a variable from the first backend that has it."""
    found: str | None = _first(backends, "get_variable", team_name, key=key)
    return found


def find_connection(
    backends: Iterable[BaseSecretsBackend], conn_id: str, team_name: str | None = None
) -> Connection | None:
    """The connection from the first backend that has it."""
    found: Connection | None = _first(backends, "get_connection", team_name, conn_id=conn_id)
    return found


def _first(backends: Iterable[BaseSecretsBackend], method: str, team_name: str | None, **arguments: Any) -> Any:
    for backend in backends:
        try:
            found = _call(getattr(backend, method), team_name, **arguments)
        except AirflowSecretsBackendAccessDenied:
            raise  # that is an answer: a less strict backend must not give another one
        except Exception:  # a backend that is out of reach must not hide what the next one has
            log.warning("%s did not answer, so the next one is asked", type(backend).__name__, exc_info=True)
            continue
        if found is not None:
            return found
    return None


class EnvironmentVariablesBackend(BaseSecretsBackend):
    """`TRADEWIND_VAR_<KEY>` and `TRADEWIND_CONN_<ID>`, or with `AIRFLOW_`; `_<TEAM>___` before those of a team."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._runtime = EnvironmentRuntime(environ)

    def get_conn_value(self, conn_id: str, team_name: str | None = None) -> str | None:
        return self._of_team(CONNECTION_PREFIXES, conn_id, team_name)

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        return self._of_team(VARIABLE_PREFIXES, key, team_name)

    def _of_team(self, prefixes: tuple[str, ...], name: str, team_name: str | None) -> str | None:
        if team_name and (found := self._runtime.first(prefixes, f"_{team_name}___{name}")) is not None:
            return found
        return self._runtime.first(prefixes, name)


class LocalFilesystemBackend(BaseSecretsBackend, LoggingMixin):
    """Files on this machine: JSON, YAML, or lines of `KEY=value`. They are read anew with every question."""

    def __init__(
        self,
        variables_file_path: str | None = None,
        connections_file_path: str | None = None,
        configs_file_path: str | None = None,
    ) -> None:
        super().__init__()
        self.variables_file = variables_file_path
        self.connections_file = connections_file_path
        self.configs_file = configs_file_path

    def get_connection(self, conn_id: str, team_name: str | None = None) -> Connection | None:
        return load_connections_dict(self.connections_file).get(conn_id) if self.connections_file else None

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        value = load_variables(self.variables_file).get(key) if self.variables_file else None
        return value if value is None or isinstance(value, str) else json.dumps(value)

    def get_config(self, key: str) -> str | None:
        return load_configs_dict(self.configs_file).get(key) if self.configs_file else None


def load_variables(file_path: str) -> dict[str, Any]:
    """The variables of a file, by key."""
    return _without_doubles(file_path, "variable", VariableNotUnique)


def load_configs_dict(file_path: str) -> dict[str, str]:
    """The options of a file, by name."""
    return _without_doubles(file_path, "option", VariableNotUnique)


def load_connections_dict(file_path: str) -> dict[str, Connection]:
    """The connections of a file, by id: each a URI, or an object of fields."""
    given = _without_doubles(file_path, "connection", ConnectionNotUnique)
    return {conn_id: _connection_of(conn_id, value, file_path) for conn_id, value in given.items()}


def _connection_of(conn_id: str, value: Any, file_path: str) -> Connection:
    if isinstance(value, str):
        return _connection(parse_connection(value, conn_id))
    if not isinstance(value, dict):
        raise AirflowException(f"connection {conn_id!r} of {file_path} has to be a URI or an object of fields")
    fields = dict(value)
    if "extra" in fields and "extra_dejson" in fields:
        raise AirflowException(f"connection {conn_id!r} of {file_path} has extra and extra_dejson: keep one of them")
    if "extra_dejson" in fields:
        fields["extra"] = json.dumps(fields.pop("extra_dejson"))
    if fields.get("conn_id", conn_id) != conn_id:
        raise AirflowException(f"connection {conn_id!r} of {file_path} calls itself {fields['conn_id']!r}")
    return _connection(from_fields(fields, conn_id))


def _without_doubles(file_path: str, noun: str, refusal: type[AirflowException]) -> dict[str, Any]:
    """Names and values of a file. A list is several values of one name, which only lines of `KEY=value` can have."""
    found: dict[str, Any] = {}
    for name, value in _read(Path(file_path)).items():
        if not isinstance(value, list):
            found[name] = value
        elif len(value) == 1:
            found[name] = value[0]
        elif noun == "variable" and Path(file_path).suffix != ".env":
            found[name] = value  # a variable may be a list
        else:
            raise refusal(f"{file_path} has {len(value)} values for the {noun} {name!r}: keep one of them")
    return found


def _read(path: Path) -> dict[str, Any]:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise AirflowUnsupportedFileTypeException(f"{path} has to end in one of {', '.join(sorted(_READERS))}")
    faults: list[FileSyntaxError] = []
    found = reader(path.read_text(encoding="utf-8"), faults)
    if not faults and not isinstance(found, dict):
        faults.append(FileSyntaxError(line_no=1, message="The file has to hold an object"))
    if faults:
        raise AirflowFileParseException("Failed to load the secret file", str(path), faults)
    return dict(found)


def _read_env(text: str, faults: list[FileSyntaxError]) -> dict[str, Any]:
    found: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, _, value = line.partition("=")
        if not key.strip() or not value:
            faults.append(FileSyntaxError(line_no=number, message="A line has to be of the form KEY=value"))
        else:
            found.setdefault(key.strip(), []).append(value)
    return dict(found)


def _read_json(text: str, faults: list[FileSyntaxError]) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        faults.append(FileSyntaxError(line_no=error.lineno, message=error.msg))
        return {}


def _read_yaml(text: str, faults: list[FileSyntaxError]) -> Any:
    # Only those who keep secrets in YAML pay for reading it.
    yaml = import_module("yaml")
    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        faults.append(FileSyntaxError(line_no=line, message=str(error.problem)))
        return {}


_READERS: Final[Mapping[str, Callable[[str, list[FileSyntaxError]], Any]]] = {
    ".env": _read_env,
    ".json": _read_json,
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
}
