"""The runs of a metadata database of Airflow, and what became of their tasks. Read in parts, never all at once."""

import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from tradewind.model.json_value import JsonValue
from tradewind.storage.airflow_database import AirflowDatabase, Wanted, column_of, columns_of
from tradewind.storage.interface.airflow_source import (
    AirflowInquiry,
    AirflowRun,
    AirflowTask,
    AirflowTaskName,
    AirflowTry,
    AirflowXCom,
)
from tradewind.storage.types import AnyRow, AnySelect, Instant

_AT_ONCE: Final = 1000
"""Rows that are fetched together where there may be any number."""
_LARGE_AT_ONCE: Final = 20
"""The same where each may be large."""
_TEXT: Final = sa.Text()
_NUMBER: Final = sa.Integer()
_INSTANT: Final = Instant()

_OF_RUN: Final[Wanted] = (
    ("id", _NUMBER),
    ("dag_id", _TEXT),
    ("run_id", _TEXT),
    ("run_type", _TEXT),
    ("state", _TEXT),
    ("data_interval_start", _INSTANT),
    ("data_interval_end", _INSTANT),
    ("queued_at", _INSTANT),
    ("start_date", _INSTANT),
    ("end_date", _INSTANT),
    ("clear_number", _NUMBER),
    ("triggered_by", _TEXT),
    ("triggering_user_name", _TEXT),
)
_OF_PROCESS: Final[Wanted] = (
    ("scheduled_dttm", _INSTANT),
    ("queued_dttm", _INSTANT),
    ("start_date", _INSTANT),
    ("end_date", _INSTANT),
    ("hostname", _TEXT),
    ("pid", _NUMBER),
)
_OF_TASK: Final[Wanted] = (
    ("task_id", _TEXT),
    ("map_index", _NUMBER),
    ("state", _TEXT),
    ("try_number", _NUMBER),
    ("max_tries", _NUMBER),
    ("pool", _TEXT),
    ("pool_slots", _NUMBER),
    ("priority_weight", _NUMBER),
    ("queue", _TEXT),
    ("executor", _TEXT),
    ("operator", _TEXT),
    ("custom_operator_name", _TEXT),
    ("task_display_name", _TEXT),
    *_OF_PROCESS,
    ("rendered_map_index", _TEXT),
)
_OF_TRY: Final[Wanted] = (
    ("task_id", _TEXT),
    ("map_index", _NUMBER),
    ("try_number", _NUMBER),
    ("state", _TEXT),
    *_OF_PROCESS,
)
_OF_XCOM: Final[Wanted] = (
    ("task_id", _TEXT),
    ("map_index", _NUMBER),
    ("key", _TEXT),
    ("value", sa.JSON()),
    ("timestamp", _INSTANT),
    ("dag_result", sa.Boolean()),
)


_OF_INQUIRY: Final[Wanted] = (
    ("options", sa.JSON()),
    ("subject", _TEXT),
    ("body", _TEXT),
    ("defaults", sa.JSON()),
    ("multiple", sa.Boolean()),
    ("params", sa.JSON()),
    ("assignees", sa.JSON()),
    ("created_at", _INSTANT),
    ("responded_at", _INSTANT),
    ("responded_by", sa.JSON()),
    ("chosen_options", sa.JSON()),
    ("params_input", sa.JSON()),
)
_OF_ASKER: Final[Wanted] = (("task_id", _TEXT), ("map_index", _NUMBER), ("try_number", _NUMBER))


class SqlAirflowHistory:
    """Implements `interface.AirflowHistory`."""

    def __init__(self, database: AirflowDatabase) -> None:
        self._database = database
        self._connection = database.connection
        self._run = database.table("dag_run")
        self._task = database.table("task_instance")
        self._try = database.table("task_instance_history")
        self._xcom = database.table("xcom")

    @property
    def has_conf(self) -> bool:
        return self._database.is_of_airflow_3

    @property
    def has_xcoms(self) -> bool:
        return self._database.is_of_airflow_3 and self._database.has("xcom", "run_id", "value")

    def task_names(self, dag_id: str) -> list[AirflowTaskName]:
        task = self._task.c
        statement = (
            sa.select(task.task_id, sa.func.max(task.operator))
            .where(task.dag_id == dag_id)
            .group_by(task.task_id)
            .order_by(task.task_id)
        )
        return [AirflowTaskName(row[0], row[1]) for row in self._connection.execute(statement)]

    def structure(self, dag_id: str) -> JsonValue:
        if not self._database.has("serialized_dag", "dag_id", "data", "last_updated"):
            return None
        table = self._database.table("serialized_dag")
        columns = columns_of(table, (("data", sa.JSON()), ("data_compressed", sa.LargeBinary())))
        newest = sa.select(*columns).where(table.c.dag_id == dag_id).order_by(table.c.last_updated.desc()).limit(1)
        row = self._connection.execute(newest).first()
        if row is None:
            return None
        value: JsonValue = row.data if row.data_compressed is None else _unpacked(row.data_compressed)
        return value

    def count_runs(self, since: datetime | None) -> int:
        statement = sa.select(sa.func.count()).select_from(self._run).where(*self._since(since))
        return int(self._connection.execute(statement).scalar_one())

    def runs(self, since: datetime | None, size: int) -> Iterator[Sequence[AirflowRun]]:
        statement = self._select_runs().where(*self._since(since)).order_by(self._run.c.id).limit(size)
        last = -1
        while rows := self._connection.execute(statement.where(self._run.c.id > last)).all():
            last = rows[-1].id
            yield [_run(row) for row in rows]

    def count_tasks(self, run_numbers: Collection[int]) -> tuple[int, int, int]:
        xcoms = self._count(self._xcom, run_numbers) if self.has_xcoms else 0
        return self._count(self._task, run_numbers), self._count(self._try, run_numbers), xcoms

    def tasks(self, run_numbers: Collection[int]) -> Iterator[Sequence[AirflowTask]]:
        note = self._note_of_task()
        statement = self._of_runs(self._task, _OF_TASK, run_numbers)
        if note is None:
            statement = statement.add_columns(sa.null())
        else:
            table, is_same = note
            statement = statement.add_columns(table.c.content).outerjoin(table, is_same)
        for rows in self._parts(statement):
            yield [AirflowTask(*row) for row in rows]

    def tries(self, run_numbers: Collection[int]) -> Iterator[Sequence[AirflowTry]]:
        if not self._database.has("task_instance_history", "try_number"):
            return
        for rows in self._parts(self._of_runs(self._try, _OF_TRY, run_numbers)):
            yield [AirflowTry(*row) for row in rows]

    def inquiries(self, run_numbers: Collection[int]) -> Iterator[Sequence[AirflowInquiry]]:
        for name, key, tries, try_key in (
            ("hitl_detail", "ti_id", self._task, "id"),
            ("hitl_detail_history", "ti_history_id", self._try, "task_instance_id"),
        ):
            if not self._database.has(name, key, "options", "chosen_options"):
                continue
            asked = self._database.table(name)
            statement = self._of_runs(tries, _OF_ASKER, run_numbers).add_columns(*columns_of(asked, _OF_INQUIRY))
            for rows in self._parts(statement.join(asked, asked.c[key] == tries.c[try_key])):
                yield [AirflowInquiry(*row) for row in rows]

    def xcoms(self, run_numbers: Collection[int]) -> Iterator[Sequence[AirflowXCom]]:
        if not self.has_xcoms:
            return
        for rows in self._parts(self._of_runs(self._xcom, _OF_XCOM, run_numbers), _LARGE_AT_ONCE):
            yield [AirflowXCom(*row) for row in rows]

    def _due_at(self) -> sa.ColumnElement[Any]:
        run = self._run
        if self._database.is_of_airflow_3:
            return column_of(run, "run_after", _INSTANT)
        due = sa.func.coalesce(*(run.c[name] for name in ("data_interval_end", "execution_date") if name in run.c))
        return sa.type_coerce(due, _INSTANT)

    def _since(self, since: datetime | None) -> list[sa.ColumnElement[bool]]:
        return [] if since is None else [self._due_at() >= since]

    def _select_runs(self) -> AnySelect:
        run, database = self._run, self._database
        date = "logical_date" if "logical_date" in run.c else "execution_date"
        more = [
            self._due_at().label("due_at"),
            column_of(run, date, _INSTANT).label("logical_date"),
            (column_of(run, "conf", sa.JSON()) if self.has_conf else sa.null()).label("conf"),
        ]
        statement = sa.select(*columns_of(run, _OF_RUN), *more)
        if not database.has("dag_run_note", "dag_run_id", "content"):
            return statement.add_columns(sa.null().label("note"))
        note = database.table("dag_run_note")
        return statement.add_columns(note.c.content.label("note")).outerjoin(note, note.c.dag_run_id == run.c.id)

    def _note_of_task(self) -> tuple[sa.TableClause, sa.ColumnElement[bool]] | None:
        names = ("dag_id", "task_id", "run_id", "map_index")
        note = self._database.table("task_instance_note")
        if self._database.has("task_instance_note", "ti_id", "content"):
            return note, note.c.ti_id == self._task.c.id
        if self._database.has("task_instance_note", *names, "content"):
            return note, sa.and_(*(note.c[name] == self._task.c[name] for name in names))
        return None

    def _belonging(self, table: sa.TableClause) -> sa.ColumnElement[bool]:
        return sa.and_(table.c.dag_id == self._run.c.dag_id, table.c.run_id == self._run.c.run_id)

    def _of_runs(self, table: sa.TableClause, wanted: Wanted, run_numbers: Collection[int]) -> AnySelect:
        number = self._run.c.id
        return (
            sa.select(sa.type_coerce(number, _NUMBER), *columns_of(table, wanted))
            .select_from(self._run)
            .join(table, self._belonging(table))
            .where(number.in_(list(run_numbers)))
            .order_by(number, table.c.task_id, table.c.map_index)
        )

    def _count(self, table: sa.TableClause, run_numbers: Collection[int]) -> int:
        if "run_id" not in table.c:
            return 0
        joined = sa.select(sa.func.count()).select_from(self._run).join(table, self._belonging(table))
        return int(self._connection.execute(joined.where(self._run.c.id.in_(list(run_numbers)))).scalar_one())

    def _parts(self, statement: AnySelect, size: int = _AT_ONCE) -> Iterator[Sequence[AnyRow]]:
        """With a cursor of the server: else its driver would hold all rows before we see the first."""
        options = {"stream_results": True, "max_row_buffer": size}
        with self._connection.execute(statement, execution_options=options) as result:
            yield from result.partitions(size)


def _unpacked(data: bytes) -> JsonValue:
    """With `[core] compress_serialized_dags`. Nothing where it is damaged: the runs are there without it."""
    try:
        value: JsonValue = json.loads(zlib.decompress(data))
    except (zlib.error, ValueError):
        return None
    return value


def _run(row: AnyRow) -> AirflowRun:
    return AirflowRun(
        number=row.id,
        dag_id=row.dag_id,
        run_id=row.run_id,
        run_type=row.run_type,
        state=row.state,
        run_after=row.due_at,
        logical_date=row.logical_date,
        interval_start=row.data_interval_start,
        interval_end=row.data_interval_end,
        queued_at=row.queued_at,
        started_at=row.start_date,
        ended_at=row.end_date,
        clear_number=row.clear_number or 0,
        conf=row.conf,
        note=row.note,
        triggered_by=row.triggered_by,
        triggering_user_name=row.triggering_user_name,
    )
