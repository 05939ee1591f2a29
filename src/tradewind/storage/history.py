"""Runs that ended elsewhere, written down as they ended."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from tradewind.model.ids import RunKey, VersionKey
from tradewind.storage.batch import Columns, Kind, batch_parameters, batch_table
from tradewind.storage.interface.history_store import EndedRun, EndedTask, EndedTry, EndedXCom, RunName
from tradewind.storage.json_text import to_text
from tradewind.storage.rows import encode_json
from tradewind.storage.schema import dag_run, task_instance, task_try, xcom
from tradewind.storage.types import AnySelect

_COLUMNS = dag_run.c
_NAMES: Columns = (("dag_id", Kind.TEXT), ("run_id", Kind.TEXT))
_DATES: Columns = (("dag_id", Kind.TEXT), ("logical_date", Kind.INSTANT))
# What an instance has that was never decided about here.
_AS_NEW = {"queue_turn": 0, "requeues": 0, "reschedules": 0}


@cache
def _matching(dialect_name: str, columns: Columns) -> AnySelect:
    batch = batch_table(dialect_name, columns)
    is_same = sa.and_(*(_COLUMNS[name] == batch.c[name] for name, _ in columns))
    return sa.select(*(_COLUMNS[name] for name, _ in columns), _COLUMNS.run_key).join(batch, is_same)


class History:
    """Implements `interface.HistoryStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._dialect = connection.dialect.name

    def taken_ids(self, names: Collection[RunName]) -> set[RunName]:
        return set(self._keys(names))

    def taken_dates(self, dates: Collection[tuple[str, datetime]]) -> set[tuple[str, datetime]]:
        parameters = batch_parameters(self._dialect, _DATES, list(dates))
        return {(row[0], row[1]) for row in self._connection.execute(_matching(self._dialect, _DATES), parameters)}

    def add_runs(
        self, runs: Sequence[EndedRun], versions: Mapping[str, VersionKey], now: datetime
    ) -> dict[RunName, RunKey]:
        if not runs:
            return {}
        self._connection.execute(sa.insert(dag_run), [_run_row(run, versions[run.dag_id], now) for run in runs])
        return self._keys([run.name for run in runs])

    def add_tasks(self, tasks: Sequence[EndedTask]) -> None:
        if tasks:
            rows = [{**task._asdict(), "state": task.state.value, **_AS_NEW} for task in tasks]
            self._connection.execute(sa.insert(task_instance), rows)

    def add_tries(self, tries: Sequence[EndedTry]) -> None:
        if tries:
            rows = [{**each._asdict(), "state": each.state.value} for each in tries]
            self._connection.execute(sa.insert(task_try), rows)

    def add_xcoms(self, xcoms: Sequence[EndedXCom]) -> None:
        if xcoms:
            rows = [{**each._asdict(), "value": to_text(each.value)} for each in xcoms]
            self._connection.execute(sa.insert(xcom), rows)

    def _keys(self, names: Collection[RunName]) -> dict[RunName, RunKey]:
        parameters = batch_parameters(self._dialect, _NAMES, list(names))
        found = self._connection.execute(_matching(self._dialect, _NAMES), parameters)
        return {(row[0], row[1]): RunKey(row[2]) for row in found}


def _run_row(run: EndedRun, version_key: VersionKey, now: datetime) -> dict[str, Any]:
    interval = run.data_interval
    return {
        "dag_id": run.dag_id,
        "run_id": run.run_id,
        "run_type": run.run_type.value,
        "state": run.state.value,
        "version_key": version_key,
        "change_number": 0,
        "logical_date": run.logical_date,
        "interval_start": interval.start if interval else None,
        "interval_end": interval.end if interval else None,
        "run_after": run.run_after,
        "ordering_at": run.logical_date or run.run_after,
        "queued_at": run.queued_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "clear_number": run.clear_number,
        "conf": encode_json(run.conf),
        "note": run.note,
        "triggered_by": run.triggered_by and run.triggered_by.value,
        "triggering_user_name": run.triggering_user_name,
        "reason": run.reason,
        "updated_at": now,
    }
