"""Where variables and connections are looked up before the database is asked.

As in Airflow: the secrets backend first, then the environment. A worker that has a backend of its own asks that, then
its environment, and only then the backend of the deployment.

Backends are classes of others, with the methods of Airflow's `BaseSecretsBackend`. They may take long, so a chain is
asked outside of transactions, and where waiting is allowed.
"""

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from tradewind.errors import InvalidRequest, SecretRefused
from tradewind.model.connection_text import InvalidConnection, parse_connection
from tradewind.model.task_answers import ConnectionResult

T = TypeVar("T")

log = logging.getLogger(__name__)

# The names win in this order.
VARIABLE_PREFIXES: Final = ("TRADEWIND_VAR_", "AIRFLOW_VAR_")
CONNECTION_PREFIXES: Final = ("TRADEWIND_CONN_", "AIRFLOW_CONN_")

QUESTIONS: Final = frozenset({"get_variable", "get_connection"})
"""What a chain may have an answer to, by the names of `sdk.runtime.Runtime`."""

_FIELDS: Final = ("conn_type", "description", "host", "schema", "login", "password", "port", "extra")
_ACCESS_DENIED: Final = "AirflowSecretsBackendAccessDenied"


class Source(Protocol):
    """One place with secrets."""

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        """The text of a variable."""

    def get_connection(self, conn_id: str, team_name: str | None = None) -> ConnectionResult | None:
        """The connection."""


class SecretsChain:
    """Asks one source after the other."""

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self._sources = tuple(sources)

    @property
    def is_slow(self) -> bool:
        """Whether asking may take long: only the environment answers at once."""
        return not all(isinstance(source, EnvironmentSource) for source in self._sources)

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        """The text of a variable, from the first source that has it. Raises `SecretRefused`."""
        return next(self._found(lambda source: source.get_variable(key, team_name)), None)

    def get_connection(self, conn_id: str, team_name: str | None = None) -> ConnectionResult | None:
        """The connection, from the first source that has it. Raises `SecretRefused`, `InvalidRequest`."""
        return next(self._found(lambda source: source.get_connection(conn_id, team_name)), None)

    def answer(
        self, question: str, arguments: Mapping[str, object], team_name: str | None = None
    ) -> str | ConnectionResult | None:
        """To one of `QUESTIONS`; `None`: the database has to be asked."""
        match question:
            case "get_variable":
                return self.get_variable(str(arguments["key"]), team_name)
            case "get_connection":
                return self.get_connection(str(arguments["conn_id"]), team_name)
            case _:
                return None

    def _found(self, ask: Callable[[Source], T | None]) -> Iterator[T]:
        answers = (ask(source) for source in self._sources)
        return (answer for answer in answers if answer is not None)


class EnvironmentSource:
    """`TRADEWIND_VAR_<KEY>` and `TRADEWIND_CONN_<ID>`, or with `AIRFLOW_`; `_<TEAM>___` before those of a team."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        return self._first(VARIABLE_PREFIXES, key, team_name)

    def get_connection(self, conn_id: str, team_name: str | None = None) -> ConnectionResult | None:
        text = self._first(CONNECTION_PREFIXES, conn_id, team_name)
        if not text:
            return None
        try:
            return parse_connection(text, conn_id)
        except InvalidConnection as error:
            raise InvalidRequest(f"{error} (it comes from the environment)") from None

    def _first(self, prefixes: Sequence[str], name: str, team_name: str | None) -> str | None:
        names = [f"_{team_name}___{name}", name] if team_name else [name]
        found = (self._environ.get(f"{prefix}{each}".upper()) for each in names for prefix in prefixes)
        return next((text for text in found if text is not None), None)


class BackendSource:
    """A secrets backend of somebody else. One that is out of reach must not hide what the next source has."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        found = self._ask("get_variable", team_name, key=key)
        return None if found is None else str(found)

    def get_connection(self, conn_id: str, team_name: str | None = None) -> ConnectionResult | None:
        found = self._ask("get_connection", team_name, conn_id=conn_id)
        if found is None:
            return None
        # Whatever its class is: backends make connections of Airflow's, of the SDK's, or of their own.
        return ConnectionResult(conn_id=conn_id, **{name: getattr(found, name, None) for name in _FIELDS})

    def _ask(self, method: str, team_name: str | None, **arguments: str) -> Any:
        try:
            ask = getattr(self._backend, method)
            return ask(**arguments, team_name=team_name) if _takes_team(ask) else ask(**arguments)
        except SecretRefused:
            raise
        except Exception as error:
            name = type(self._backend).__name__
            if any(parent.__name__ == _ACCESS_DENIED for parent in type(error).__mro__):
                # That is an answer: a less strict source must not give another one.
                raise SecretRefused(f"{name} does not let {next(iter(arguments.values()))!r} be read") from error
            log.warning("%s did not answer, so the next place is asked", name, exc_info=True)
            return None


def _takes_team(method: Callable[..., object]) -> bool:
    """Backends written before there were teams do not."""
    parameters = inspect.signature(method).parameters
    return "team_name" in parameters or any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
