"""Exceptions that plugins, policies and server-side code import, under the names that Airflow gave them.

Task code and DAG files have theirs in `exceptions`. The control plane raises its own errors (`tradewind.errors`); these
exist so that code written against `airflow.exceptions` can name, raise and catch what it always did.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, NamedTuple

from tradewind.sdk.exceptions import AirflowException, AirflowNotFoundException


class DagNotFound(AirflowNotFoundException):
    """There is no DAG of that id."""


class DagCodeNotFound(AirflowNotFoundException):
    """The source of a DAG is not stored."""


class DagRunNotFound(AirflowNotFoundException):
    """There is no such DAG run."""


class TaskInstanceNotFound(AirflowNotFoundException):
    """There is no such task instance."""


class PoolNotFound(AirflowNotFoundException):
    """There is no pool of that name."""


class NotMapped(Exception):
    """A task was taken for a mapped one, and is none."""


class DagNotPartitionedError(ValueError):
    """A partition was asked for, of a DAG that has none."""


class InvalidPartitionKeyError(ValueError):
    """A partition key is not written as its timetable or mapper writes them."""


class AirflowBadRequest(AirflowException):
    """A request that cannot be carried out as it is."""

    status_code = HTTPStatus.BAD_REQUEST


class DagRunAlreadyExists(AirflowBadRequest):
    """The DAG already has that run."""

    def __init__(self, dag_run: Any) -> None:
        super().__init__(f"DAG {dag_run.dag_id!r} already has a run {dag_run.run_id!r}")
        self.dag_run = dag_run


class DagRunTypeNotAllowed(AirflowException):
    """The DAG refuses runs of this type."""


class AirflowDagDuplicatedIdException(AirflowException):
    """Two files define a DAG of the same id."""

    def __init__(self, dag_id: str, incoming: str, existing: str) -> None:
        super().__init__(dag_id, incoming, existing)
        self.dag_id = dag_id
        self.incoming = incoming
        self.existing = existing

    def __str__(self) -> str:
        return f"DAG {self.dag_id!r} of {self.incoming} is already defined in {self.existing}"


class AirflowClusterPolicyViolation(AirflowException):
    """A cluster policy refuses a DAG or a task."""


class AirflowClusterPolicySkipDag(AirflowException):
    """A cluster policy wants a DAG to be left out, without an error."""


class AirflowClusterPolicyError(AirflowException):
    """A cluster policy itself failed."""


class AirflowClearRunningTaskException(AirflowException):
    """A running task was to be cleared where that is not allowed."""


class FileSyntaxError(NamedTuple):
    """One fault in a file of connections or variables."""

    line_no: int | None
    message: str

    def __str__(self) -> str:
        return self.message if self.line_no is None else f"line {self.line_no}: {self.message}"


class AirflowFileParseException(AirflowException):
    """A file of connections or variables cannot be read."""

    def __init__(self, msg: str, file_path: str, parse_errors: Iterable[FileSyntaxError]) -> None:
        super().__init__(msg)
        self.msg = msg
        self.file_path = file_path
        self.parse_errors = list(parse_errors)

    def __str__(self) -> str:
        return "\n- ".join((f"{self.msg}: {self.file_path}", *map(str, self.parse_errors)))


class AirflowUnsupportedFileTypeException(AirflowException):
    """A file of connections or variables has an unknown type."""


class ConnectionNotUnique(AirflowException):
    """A file names a connection more than once."""


class VariableNotUnique(AirflowException):
    """A file names a variable more than once."""


class SerializationError(AirflowException):
    """A DAG cannot be stored."""


class DeserializationError(Exception):
    """A stored DAG cannot be read."""

    def __init__(self, dag_id: str | None = None, message: str | None = None) -> None:
        super().__init__(message or f"the stored DAG {dag_id!r} cannot be read")
        self.dag_id = dag_id


class UnknownExecutorException(ValueError):
    """No executor of that name is configured."""


class AirflowProviderDeprecationWarning(DeprecationWarning):
    """Something that a later version of its provider will no longer have."""

    deprecated_provider_since: str | None = None
