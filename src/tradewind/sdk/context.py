"""The context of a running task: what templates and `**context` see, and where it is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict, TypeVar, cast

if TYPE_CHECKING:
    from pendulum import DateTime

    from tradewind.sdk.asset_events import InletEventsAccessors, OutletEventAccessors, TriggeringAssetEventsAccessor
    from tradewind.sdk.context_accessors import ConnectionAccessor, MacrosAccessor, VariableAccessors
    from tradewind.sdk.dags import DAG
    from tradewind.sdk.state_store import AssetStateStoreAccessors, TaskStateStoreAccessor


class Context(TypedDict, total=False):
    """What a running task knows. Dates of the data are absent when the run has no logical date."""

    # Who runs.
    dag: DAG
    dag_run: Any
    task: Any
    ti: Any
    task_instance: Any
    run_id: str
    task_instance_key_str: str
    try_number: int | None
    test_mode: bool

    # When, and for which data.
    logical_date: DateTime
    ds: str
    ds_nodash: str
    ts: str
    ts_nodash: str
    ts_nodash_with_tz: str
    data_interval_start: DateTime | None
    data_interval_end: DateTime | None
    prev_data_interval_start_success: DateTime | None
    prev_data_interval_end_success: DateTime | None
    prev_start_date_success: DateTime | None
    prev_end_date_success: DateTime | None
    partition_key: str | None
    partition_date: DateTime | None

    # What it may use.
    params: dict[str, Any]
    var: VariableAccessors
    conn: ConnectionAccessor
    macros: MacrosAccessor
    inlets: list[Any]
    outlets: list[Any]
    inlet_events: InletEventsAccessors
    outlet_events: OutletEventAccessors
    triggering_asset_events: TriggeringAssetEventsAccessor
    task_state_store: TaskStateStoreAccessor
    asset_state_store: AssetStateStoreAccessors

    # In some situations.
    map_index_template: str | None
    expanded_ti_count: int | None
    templates_dict: dict[str, Any] | None
    task_reschedule_count: int
    exception: BaseException | str | None
    reason: str | None


C = TypeVar("C", bound=Mapping[str, Any])
F = TypeVar("F", bound=Callable[..., Any])

KNOWN_CONTEXT_KEYS: Final[frozenset[str]] = frozenset(Context.__annotations__)


def context_merge(context: Context, *args: Any, **kwargs: Any) -> None:
    """Add to a context, as `dict.update` does."""
    context.update(*args, **kwargs)


def context_copy_partial(source: Context, keys: frozenset[str] | set[str]) -> Context:
    """A context with only some of its keys."""
    return cast("Context", {key: value for key, value in source.items() if key in keys})


def looks_up_keys(function: F) -> F:
    """Says of a function that takes a context: it only looks up single keys, so the context need not be complete."""
    function.__dict__["looks_up_keys"] = True
    return function


def needs_whole(function: Callable[..., Any]) -> bool:
    """Whether a function must be given a complete context."""
    return not getattr(function, "looks_up_keys", False)


def whole(context: C) -> C:
    """The same, complete: for all who look at more of it than at single keys (see `task_context.TaskContext`)."""
    complete = getattr(context, "complete", None)
    if complete is not None:
        complete()
    return context


_current: ContextVar[Context | None] = ContextVar("tradewind_context", default=None)
# For threads that user code starts by itself: no context variable reaches them. A process runs one task at a time,
# except in tests, where every task has its own context variable.
_entered: list[Context] = []


def get_current_context() -> Context:
    """The context of the task that is running here."""
    context = _current.get() or (_entered[-1] if _entered else None)
    if context is None:
        raise RuntimeError(
            "there is no current context: get_current_context() works only while a task runs, inside its function or"
            " the execute method of its operator"
        )
    return whole(context)


class set_current_context:  # noqa: N801 - used like a function
    """Make `context` the current one for as long as the block runs."""

    __slots__ = ("_context", "_token")
    _token: Token[Context | None]

    def __init__(self, context: Context) -> None:
        self._context = context

    def __enter__(self) -> Context:
        self._token = _current.set(self._context)
        _entered.append(self._context)
        return self._context

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)
        # Not always the last one: tasks may overlap in one process, with equal contexts.
        last = len(_entered) - 1
        while _entered[last] is not self._context:
            last -= 1
        del _entered[last]


class ParsingContext(NamedTuple):
    """For which task a DAG file is being read; both are `None` when it is read for all its DAGs."""

    dag_id: str | None
    task_id: str | None


AirflowParsingContext = ParsingContext

_parsing: ContextVar[ParsingContext] = ContextVar("tradewind_parsing", default=ParsingContext(None, None))  # noqa: B039


def get_parsing_context() -> ParsingContext:
    """For which DAG and task the file is being read: a file with many generated DAGs may leave out all others."""
    return _parsing.get()


@contextmanager
def parsing_for(dag_id: str | None, task_id: str | None = None) -> Iterator[ParsingContext]:
    """Read DAG files for one DAG, or one task of it, for as long as the block runs."""
    token = _parsing.set(ParsingContext(dag_id, task_id))
    try:
        yield _parsing.get()
    finally:
        _parsing.reset(token)


# Environment variables of a task, and where their values are: key of the context; attribute, names in both styles.
_EXPORTED: Final = (
    (
        "task",
        (
            ("email", "airflow.ctx.dag_email", "AIRFLOW_CTX_DAG_EMAIL"),
            ("owner", "airflow.ctx.dag_owner", "AIRFLOW_CTX_DAG_OWNER"),
        ),
    ),
    (
        "task_instance",
        (
            ("dag_id", "airflow.ctx.dag_id", "AIRFLOW_CTX_DAG_ID"),
            ("task_id", "airflow.ctx.task_id", "AIRFLOW_CTX_TASK_ID"),
            ("try_number", "airflow.ctx.try_number", "AIRFLOW_CTX_TRY_NUMBER"),
        ),
    ),
    (
        "dag_run",
        (
            ("logical_date", "airflow.ctx.logical_date", "AIRFLOW_CTX_LOGICAL_DATE"),
            ("run_id", "airflow.ctx.dag_run_id", "AIRFLOW_CTX_DAG_RUN_ID"),
            ("team_name", "airflow.ctx.team_name", "AIRFLOW_CTX_TEAM_NAME"),
        ),
    ),
)
_DOTTED_PREFIX: Final = "airflow.ctx."
_ENVIRONMENT_PREFIX: Final = "AIRFLOW_CTX_"


def context_to_airflow_vars(
    context: Mapping[str, Any], in_env_var_format: bool = False, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Names of the running DAG, run and task for programs that a task starts: `AIRFLOW_CTX_DAG_ID` and so on.

    `extra` are those of a cluster policy; the task's own win.
    """
    variables = {_exported_name(name, in_env_var_format): value for name, value in (extra or {}).items()}
    for key, exported in _EXPORTED:
        source = context.get(key)
        for attribute, *names in exported:
            value = getattr(source, attribute, None)
            if value:
                variables[names[in_env_var_format]] = value if type(value) is str else _exported(value)
    return variables


def _exported_name(name: str, in_env_var_format: bool) -> str:
    if in_env_var_format:
        return name if name.startswith(_ENVIRONMENT_PREFIX) else f"{_ENVIRONMENT_PREFIX}{name.upper()}"
    return name if name.startswith(_DOTTED_PREFIX) else f"{_DOTTED_PREFIX}{name}"


def _exported(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple | set):
        return ",".join(map(str, value))
    return str(value)


__all__ = [
    "KNOWN_CONTEXT_KEYS",
    "AirflowParsingContext",
    "Context",
    "ParsingContext",
    "context_copy_partial",
    "context_merge",
    "context_to_airflow_vars",
    "get_current_context",
    "get_parsing_context",
    "looks_up_keys",
    "needs_whole",
    "parsing_for",
    "set_current_context",
    "whole",
]
