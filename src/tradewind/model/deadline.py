"""Until when a run has to be over, and what is called if it is not."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NewType

from tradewind.model.dag import Dag
from tradewind.model.dag_file import FileName
from tradewind.model.ids import RunKey
from tradewind.model.json_value import JsonValue

DeadlineKey = NewType("DeadlineKey", int)
"""The database's own number of a deadline."""


class DeadlineState(StrEnum):
    """How far a deadline has come. Each follows one before it, and none comes again."""

    ASKED = "asked"
    """Its instant depends on the author's code, or on a variable, and is being worked out."""
    AHEAD = "ahead"
    PENDING = "pending"
    """Missed: its callback is to be called."""
    QUEUED = "queued"
    """An executor has its callback."""
    RUNNING = "running"
    """A worker, or a triggerer, calls it."""
    SUCCESS = "success"
    """Missed: its callback was called."""
    FAILED = "failed"
    """Its callback failed, or its instant could not be worked out."""


@dataclass(frozen=True, slots=True)
class DeadlineRule:
    """One `DeadlineAlert` of a DAG."""

    number: int
    """Among those of its DAG."""
    name: str | None
    reference: Mapping[str, JsonValue]
    interval: timedelta | None
    """None: it stands in a variable."""
    path: str
    """Of the function that is called."""
    is_async: bool
    kwargs: Mapping[str, JsonValue]
    executor: str | None = None
    """That a `SyncCallback` names."""

    @property
    def reference_type(self) -> str:
        """What the deadline is counted from."""
        return str(self.reference.get("reference_type", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDeadline:
    """A deadline of a new run. Without an instant, the author's code is asked for it."""

    run_key: RunKey
    dag_id: str
    rule: DeadlineRule
    due_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """A deadline as stored."""

    key: DeadlineKey
    run_key: RunKey
    dag_id: str
    number: int
    name: str | None
    due_at: datetime | None
    state: DeadlineState
    created_at: datetime
    missed_at: datetime | None = None
    message: str | None = None
    """What its callback, or whoever worked its instant out, had to say."""
    attempts: int = 0
    """How often a process was given it. What a process says that was given it before does not count."""
    is_async: bool = False
    """Whether triggerers call its callback, and not workers."""
    output: str | None = None
    """What its callback logged and printed."""
    file: FileName | None = None
    """Where the author's code is."""


def rules_of(dag: Dag) -> tuple[DeadlineRule, ...]:
    """What the DAG says about deadlines."""
    details = dag.details if isinstance(dag.details, dict) else {}
    written = details.get("deadlines")
    if not isinstance(written, list):
        return ()
    return tuple(_rule(number, alert) for number, alert in enumerate(written) if isinstance(alert, dict))


def with_callback_executors(dag: Dag, executors: Mapping[str, str]) -> JsonValue:
    """The details of a DAG, with this name in place of each word by which a callback asks for an executor."""
    details = dict(dag.details) if isinstance(dag.details, dict) else {}
    written = details.get("deadlines")
    details["deadlines"] = [_named(alert, executors) for alert in written] if isinstance(written, list) else written
    return details


def _named(alert: JsonValue, executors: Mapping[str, str]) -> JsonValue:
    callback = alert.get("callback") if isinstance(alert, dict) else None
    if not isinstance(alert, dict) or not isinstance(callback, dict) or not isinstance(callback.get("executor"), str):
        return alert
    return {**alert, "callback": {**callback, "executor": executors[str(callback["executor"])]}}


def _rule(number: int, alert: Mapping[str, JsonValue]) -> DeadlineRule:
    name, reference, interval, callback = (alert.get(key) for key in ("name", "reference", "interval", "callback"))
    known = callback if isinstance(callback, dict) else {}
    seconds = interval.get("seconds") if isinstance(interval, dict) else None
    kwargs, executor = known.get("kwargs"), known.get("executor")
    return DeadlineRule(
        number=number,
        name=name if isinstance(name, str) else None,
        reference=reference if isinstance(reference, dict) else {},
        interval=timedelta(seconds=seconds) if isinstance(seconds, int | float) else None,
        path=str(known.get("path", "")),
        is_async=known.get("kind") == "AsyncCallback",
        kwargs=kwargs if isinstance(kwargs, dict) else {},
        executor=executor if isinstance(executor, str) else None,
    )
