"""From database rows to model values and back."""

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from tradewind.model.run import Run, RunHead
from tradewind.model.states import HeldBy, RunState, RunType, TaskState, TriggeredBy
from tradewind.model.task import TaskInstance, TaskSnapshot
from tradewind.model.timetable import DataInterval
from tradewind.storage.schema import dag_run, task_instance
from tradewind.storage.types import AnyRow

_STATES = {state.value: state for state in TaskState}
_RUN_STATES = {state.value: state for state in RunState}
_RUN_TYPES = {kind.value: kind for kind in RunType}
_HELD: dict[str | None, HeldBy | None] = {None: None, **{held.value: held for held in HeldBy}}

SNAPSHOT_COLUMNS = tuple(
    task_instance.c[name]
    for name in (
        "run_key",
        "task_id",
        "map_index",
        "state",
        "attempt",
        "try_number",
        "held_by",
        "wake_at",
        "map_length",
        "skips",
    )
)


def to_snapshot(row: Sequence[Any]) -> TaskSnapshot:
    """A row of `SNAPSHOT_COLUMNS`."""
    run_key, task_id, map_index, state, attempt, try_number, held_by, wake_at, map_length, skips = row
    return TaskSnapshot(
        run_key,
        task_id,
        map_index,
        _STATES[state],
        attempt,
        try_number,
        _HELD[held_by],
        wake_at,
        map_length,
        decode_names(skips),
    )


def encode_names(names: Sequence[str]) -> str | None:
    """A list of task ids as text; nothing for none."""
    return msgspec.json.encode(list(names)).decode() if names else None


def decode_names(text: str | None) -> tuple[str, ...]:
    """The reverse of `encode_names`."""
    return msgspec.json.decode(text, type=tuple[str, ...]) if text else ()


def encode_json(value: object) -> str | None:
    """Any JSON value as text; nothing for None."""
    return None if value is None else msgspec.json.encode(value).decode()


# A subquery, not a join: where MariaDB reads for update, it would lock the joined run as well.
_run_id = (
    sa.select(dag_run.c.run_id)
    .where(dag_run.c.run_key == task_instance.c.run_key)
    .correlate(task_instance)
    .scalar_subquery()
)
# Nobody who decides asks for these: `listings/task_instances.py` shows them.
_UNREAD = frozenset({"queue_turn", "task_type", "display_name", "executor_config", "intervened_at"})
INSTANCE_COLUMNS: tuple[sa.ColumnElement[Any], ...] = (
    *(column for column in task_instance.c if column.name not in _UNREAD),
    _run_id.label("run_id"),
)
_INSTANCE_FIELDS = tuple(str(column.key) for column in INSTANCE_COLUMNS)


def to_instance(row: Sequence[Any]) -> TaskInstance:
    """A row of `INSTANCE_COLUMNS`."""
    values: dict[str, Any] = dict(zip(_INSTANCE_FIELDS, row, strict=True))
    values["state"] = _STATES[values["state"]]
    values["held_by"] = _HELD[values["held_by"]]
    values["skips"] = decode_names(values["skips"])
    return TaskInstance(**values)


HEAD_COLUMNS = tuple(dag_run.c["run_key" if name == "key" else name] for name in RunHead._fields)


def is_named_by_timetable(run: sa.FromClause) -> sa.ColumnElement[bool]:
    """Whether the run has the name of one that a timetable made, whosever it is now."""
    return run.c.run_id.startswith(f"{RunType.SCHEDULED}__", autoescape=True)


def to_head(row: AnyRow) -> RunHead:
    """A row of `HEAD_COLUMNS`."""
    key, dag_id, run_id, state, version_key, change_number, ordering_at, run_type, run_after, started_at, forced = row
    return RunHead(
        key,
        dag_id,
        run_id,
        _RUN_STATES[state],
        version_key,
        change_number,
        ordering_at,
        _RUN_TYPES[run_type],
        run_after,
        started_at,
        None if forced is None else _RUN_STATES[forced],
    )


_RUN_FIELDS = tuple(dag_run.c.keys())


def to_run(row: Sequence[Any]) -> Run:
    """A row of `dag_run`."""
    values = dict(zip(_RUN_FIELDS, row, strict=True))
    start, end = values.pop("interval_start"), values.pop("interval_end")
    conf, triggered_by, forced = values["conf"], values["triggered_by"], values["forced_state"]
    values["key"] = values.pop("run_key")
    values["run_type"] = _RUN_TYPES[values["run_type"]]
    values["state"] = _RUN_STATES[values["state"]]
    values["data_interval"] = None if start is None or end is None else DataInterval(start, end)
    values["conf"] = msgspec.json.decode(conf) if conf else None
    values["triggered_by"] = None if triggered_by is None else TriggeredBy(triggered_by)
    values["forced_state"] = None if forced is None else _RUN_STATES[forced]
    return Run(**values)
