"""What DAG files, operators and hooks raise and catch, under the names that Airflow gave them.

    BaseException
    ├── TaskDeferred, TaskAwaitingInput        signals: no `except Exception` of an author may swallow them
    └── AirflowTaskTimeout, AirflowTaskTerminated
    Exception
    ├── AirflowException
    │   ├── AirflowSkipException, AirflowFailException, AirflowRescheduleException, DownstreamTasksSkipped, …
    │   └── AirflowNotFoundException           and the "not found" of each kind of thing
    ├── AirflowConfigException, AirflowRuntimeError
    ├── XComForMappingNotPushed, UnmappableXComTypePushed    (TypeErrors)
    └── AirflowSecretsBackendAccessDenied                    (a PermissionError)

What each one does to the task that raises it is decided by task life, in the worker. `server_exceptions` has what
only plugins and server-side code import. The control plane's own errors are in `tradewind.errors`.
"""

import enum
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Protocol

from tradewind.sdk.states import TriggerRule

Serialized = tuple[str, tuple[Any, ...], dict[str, Any]]
"""Import path, positional and keyword arguments: enough to raise the same exception in another process."""


def _path_of(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__name__}"


class AirflowException(Exception):
    """The base of everything that a DAG file or a provider raises on purpose."""

    status_code = HTTPStatus.INTERNAL_SERVER_ERROR

    def serialize(self) -> Serialized:
        """How to raise the same exception in another process."""
        return _path_of(self), (str(self),), {}


# --- how a task ends -----------------------------------------------------------------------------------------


class AirflowSkipException(AirflowException):
    """The task is to be skipped."""


class AirflowFailException(AirflowException):
    """The task fails for good: no retry is made."""


class AirflowSensorTimeout(AirflowException):
    """A sensor waited for longer than its timeout; no retry is made."""


class AirflowTaskTimeout(BaseException):
    """The task ran for longer than its `execution_timeout`.

    Not an `Exception`: like a keyboard interrupt, it must get through the author's own error handling.
    """


class AirflowTaskTerminated(BaseException):
    """The task was told from outside to stop; no retry is made."""


class AirflowRescheduleException(AirflowException):
    """The task frees its worker and wants to be started again at `reschedule_date`."""

    def __init__(self, reschedule_date: datetime) -> None:
        super().__init__()
        self.reschedule_date = reschedule_date

    def serialize(self) -> Serialized:
        """How to raise the same exception in another process."""
        return _path_of(self), (), {"reschedule_date": self.reschedule_date}


class TaskDeferred(BaseException):
    """The task leaves its worker until `trigger` fires; then `method_name` is called with `kwargs` and the event."""

    def __init__(
        self,
        *,
        trigger: Any,
        method_name: str,
        kwargs: dict[str, Any] | None = None,
        timeout: timedelta | int | float | None = None,
    ) -> None:
        super().__init__()
        self.trigger = trigger
        self.method_name = method_name
        self.kwargs = kwargs
        self.timeout = timeout

    def serialize(self) -> Serialized:
        """How to raise the same signal in another process."""
        arguments = {
            "trigger": self.trigger,
            "method_name": self.method_name,
            "kwargs": self.kwargs,
            "timeout": self.timeout,
        }
        return _path_of(self), (), arguments

    def __repr__(self) -> str:
        return f"<TaskDeferred trigger={self.trigger} method={self.method_name}>"


class TaskAwaitingInput(BaseException):
    """The task leaves its worker until a person answered, without a trigger; then `method_name` is called."""

    def __init__(
        self,
        *,
        method_name: str,
        kwargs: dict[str, Any] | None = None,
        timeout: timedelta | int | float | None = None,
    ) -> None:
        super().__init__()
        self.method_name = method_name
        self.kwargs = kwargs
        self.timeout = timeout

    def serialize(self) -> Serialized:
        """How to raise the same signal in another process."""
        arguments = {"method_name": self.method_name, "kwargs": self.kwargs, "timeout": self.timeout}
        return _path_of(self), (), arguments

    def __repr__(self) -> str:
        return f"<TaskAwaitingInput method={self.method_name}>"


class TaskDeferralError(AirflowException):
    """The trigger that a task waited for failed."""


class TaskDeferralTimeout(AirflowException):
    """The trigger that a task waited for did not fire in time."""


class DagRunTriggerException(AirflowException):
    """A task asks for a run of another DAG. The fields are the arguments of `TriggerDagRunOperator`."""

    def __init__(
        self,
        *,
        trigger_dag_id: str,
        dag_run_id: str,
        conf: dict[str, Any] | None,
        logical_date: datetime | None = None,
        run_after: datetime | None = None,
        reset_dag_run: bool,
        skip_when_already_exists: bool,
        wait_for_completion: bool,
        allowed_states: list[str],
        failed_states: list[str],
        poke_interval: int,
        deferrable: bool,
        note: str | None = None,
    ) -> None:
        super().__init__()
        self.trigger_dag_id = trigger_dag_id
        self.dag_run_id = dag_run_id
        self.conf = conf
        self.logical_date = logical_date
        self.run_after = run_after
        self.reset_dag_run = reset_dag_run
        self.skip_when_already_exists = skip_when_already_exists
        self.wait_for_completion = wait_for_completion
        self.allowed_states = allowed_states
        self.failed_states = failed_states
        self.poke_interval = poke_interval
        self.deferrable = deferrable
        self.note = note


class DownstreamTasksSkipped(AirflowException):
    """The task succeeded, and these tasks are to be skipped: ids, or pairs of id and map index."""

    def __init__(self, *, tasks: Sequence[str | tuple[str, int]]) -> None:
        super().__init__()
        self.tasks = tasks


class TaskAlreadyRunningError(AirflowException):
    """Another worker already runs this attempt."""


# --- XComs and mapping ---------------------------------------------------------------------------------------


class XComNotFound(AirflowException):
    """An `XComArg` leads to a value that nobody pushed."""

    def __init__(self, dag_id: str, task_id: str, key: str) -> None:
        super().__init__()
        self.dag_id = dag_id
        self.task_id = task_id
        self.key = key

    def __str__(self) -> str:
        return f"task {self.task_id!r} of DAG {self.dag_id!r} pushed no XCom with the key {self.key!r}"

    def serialize(self) -> Serialized:
        """How to raise the same exception in another process."""
        return _path_of(self), (), {"dag_id": self.dag_id, "task_id": self.task_id, "key": self.key}


class XComForMappingNotPushed(TypeError):
    """A task that others are mapped over returned nothing."""

    def __str__(self) -> str:
        return "a task that others are mapped over pushed no XCom"


class UnmappableXComTypePushed(TypeError):
    """A task that others are mapped over returned something other than a list or a dict."""

    def __init__(self, value: Any, *values: Any) -> None:
        super().__init__(value, *values)

    def __str__(self) -> str:
        outer, *inner = (type(value).__qualname__ for value in self.args)
        found = outer + "".join(f"[{name}]" for name in inner)
        return f"cannot map over a value of type {found}; return a list or a dict"


# --- what a DAG may not be -----------------------------------------------------------------------------------


class AirflowDagCycleException(AirflowException):
    """The tasks of a DAG depend on each other in a circle."""


class AirflowTimetableInvalid(AirflowException):
    """The schedule of a DAG makes no sense."""


class ParamValidationError(AirflowException, ValueError):
    """A param has a value that its schema does not allow."""


class DuplicateTaskIdFound(AirflowException):
    """Two tasks of a DAG have the same id."""


class TaskAlreadyInTaskGroup(AirflowException):
    """A task was put into a second group."""

    def __init__(self, task_id: str, existing_group_id: str | None, new_group_id: str) -> None:
        super().__init__(task_id, new_group_id)
        self.task_id = task_id
        self.existing_group_id = existing_group_id
        self.new_group_id = new_group_id

    def __str__(self) -> str:
        where = "the root of its DAG" if self.existing_group_id is None else f"group {self.existing_group_id!r}"
        return f"cannot add {self.task_id!r} to {self.new_group_id!r}: it is already in {where}"


class FailFastDagInvalidTriggerRule(AirflowException):
    """A `fail_fast` DAG has a task whose trigger rule would let it run after a failure."""

    _allowed_rules = (TriggerRule.ALL_SUCCESS, TriggerRule.ALL_DONE_SETUP_SUCCESS)

    @classmethod
    def check(cls, *, fail_fast: bool, trigger_rule: TriggerRule) -> None:
        """Raise if a DAG with this `fail_fast` may not hold a task with this rule."""
        if fail_fast and trigger_rule not in cls._allowed_rules:
            raise cls

    def __str__(self) -> str:
        return f"a 'fail_fast' DAG can only have the trigger rules {' and '.join(self._allowed_rules)}"


# --- what is not there ---------------------------------------------------------------------------------------


class AirflowNotFoundException(AirflowException):
    """What was asked for does not exist."""

    status_code = HTTPStatus.NOT_FOUND


class TaskNotFound(AirflowException):
    """The DAG has no such task."""


class NodeNotFound(TaskNotFound, KeyError):
    """`dag[...]` or `group[...]` names neither a task nor a group."""

    def __str__(self) -> str:
        # KeyError would show the message in quotes.
        return str(self.args[0]) if self.args else ""


# --- assets -------------------------------------------------------------------------------------------------------


class AirflowInactiveAssetInInletOrOutletException(AirflowFailException):
    """A task names assets that no DAG declares any more. The keys have a name, a URI, or both."""

    main_message = "inlets or outlets of the task that no DAG declares any more"

    def __init__(self, inactive_asset_keys: Collection[Any]) -> None:
        super().__init__(inactive_asset_keys)
        self.inactive_asset_keys = inactive_asset_keys

    def __str__(self) -> str:
        return f"{self.main_message}: {self.inactive_assets_message}"

    @property
    def inactive_assets_message(self) -> str:
        """The assets, as an author would write them."""
        return ", ".join(map(self._written, self.inactive_asset_keys))

    @staticmethod
    def _written(key: object) -> str:
        known = {what: getattr(key, what) for what in ("name", "uri") if hasattr(key, what)}
        arguments = ", ".join(f"{what}={value!r}" for what, value in known.items())
        return repr(key) if not known else f"Asset({arguments})" if len(known) == 2 else f"Asset.ref({arguments})"


# --- configuration, access, conversation with the supervisor --------------------------------------------------


class AirflowConfigException(Exception):
    """An option is missing, unknown, or has a value that cannot be used."""


class AirflowOptionalProviderFeatureException(AirflowException):
    """A provider lacks the library that this feature needs."""


class AirflowSecretsBackendAccessDenied(PermissionError):
    """A secrets backend says no, and means it: no other backend may be asked.

    A class of its own, because any other `PermissionError` in a backend only means that it cannot answer.
    """


class ErrorType(enum.Enum):
    """What went wrong when running code asked its supervisor for something."""

    CONNECTION_NOT_FOUND = "CONNECTION_NOT_FOUND"
    VARIABLE_NOT_FOUND = "VARIABLE_NOT_FOUND"
    XCOM_NOT_FOUND = "XCOM_NOT_FOUND"
    ASSET_NOT_FOUND = "ASSET_NOT_FOUND"
    TASK_STORE_NOT_FOUND = "TASK_STORE_NOT_FOUND"
    ASSET_STORE_NOT_FOUND = "ASSET_STORE_NOT_FOUND"
    DAGRUN_ALREADY_EXISTS = "DAGRUN_ALREADY_EXISTS"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    GENERIC_ERROR = "GENERIC_ERROR"
    API_SERVER_ERROR = "API_SERVER_ERROR"


class ErrorResponse(Protocol):
    """What the supervisor answers instead of a result."""

    @property
    def error(self) -> ErrorType:
        """What went wrong."""

    @property
    def detail(self) -> Mapping[str, Any] | None:
        """About what."""


class AirflowRuntimeError(Exception):
    """The supervisor answered with an error; `error` is its answer."""

    def __init__(self, error: ErrorResponse) -> None:
        super().__init__(f"{error.error.value}: {error.detail}")
        self.error = error


class RemovedInAirflow4Warning(DeprecationWarning):
    """Something that Airflow 4 will no longer have."""

    deprecated_since: str | None = None
