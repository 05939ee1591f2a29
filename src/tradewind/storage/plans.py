"""Coming runs that timetables of authors' own have named, and what they are still to be asked."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from tradewind.model.dag_file import FileKey
from tradewind.model.ids import RunKey
from tradewind.model.manual_interval import AskedRun, IntervalQuestion
from tradewind.model.planned_runs import PlannedRuns, decode_plan, encode_plan
from tradewind.model.timetable import DataInterval
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_declaration, dag_file, dag_plan, dag_run, interval_question
from tradewind.storage.types import AnyRow, Instant

_COLUMNS: Final = dag_plan.c
_FIND: Final = sa.select(_COLUMNS.runs).where(_COLUMNS.dag_id == sa.bindparam("of_dag"))
_DROP: Final = sa.delete(dag_plan).where(one_of(_COLUMNS.dag_id, "dag_ids"))
_IN_FILES: Final = (
    sa.select(dag_declaration.c.file_key, dag_declaration.c.dag_id)
    .join(dag_plan, _COLUMNS.dag_id == dag_declaration.c.dag_id)
    .where(one_of(dag_declaration.c.file_key, "files"))
    .order_by(dag_declaration.c.file_key, dag_declaration.c.dag_id)
)
_ASKED: Final = interval_question.c
_QUESTION: Final = (
    _ASKED.run_key,
    _ASKED.dag_id,
    _ASKED.moment,
    dag_run.c.logical_date,
    dag_run.c.partition_key,
)
_QUESTIONS: Final = (
    sa.select(*_QUESTION)
    .join(dag_run, dag_run.c.run_key == _ASKED.run_key)
    .where(one_of(_ASKED.dag_id, "dag_ids"))
    .order_by(_ASKED.run_key)
)
_QUESTIONS_IN: Final = (
    sa.select(dag_declaration.c.file_key, *_QUESTION)
    .join(interval_question, _ASKED.dag_id == dag_declaration.c.dag_id)
    .join(dag_run, dag_run.c.run_key == _ASKED.run_key)
    .where(one_of(dag_declaration.c.file_key, "files"))
    .order_by(_ASKED.run_key)
)
_FILES_TO_ASK: Final = (
    sa.select(dag_declaration.c.file_key)
    .join(interval_question, _ASKED.dag_id == dag_declaration.c.dag_id)
    .join(dag_file, dag_file.c.file_key == dag_declaration.c.file_key)
    .where(
        one_of(dag_file.c.bundle_name, "bundles"),
        sa.or_(_ASKED.asked_at.is_(None), _ASKED.asked_at < sa.bindparam("asked_before", type_=Instant())),
    )
    .distinct()
)
_OF_RUN: Final = _ASKED.run_key == sa.bindparam("of_run")
_ASK: Final = (
    sa.update(interval_question)
    .where(one_of(_ASKED.run_key, "run_keys"))
    .values(asked_at=sa.bindparam("now", type_=Instant()))
)
_KNOW: Final = (
    sa.update(dag_run)
    .where(dag_run.c.run_key == sa.bindparam("of_run"), dag_run.c.interval_start.is_(None))
    .values(
        interval_start=sa.bindparam("start", type_=Instant()),
        interval_end=sa.bindparam("until", type_=Instant()),
        updated_at=sa.bindparam("now", type_=Instant()),
    )
)
_KNOW_DATE: Final = (
    sa.update(dag_run)
    .where(dag_run.c.run_key == sa.bindparam("of_run"), dag_run.c.partition_date.is_(None))
    .values(
        partition_date=sa.bindparam("date", type_=Instant()),
        updated_at=sa.bindparam("now", type_=Instant()),
    )
)


class Plans:
    """Implements `interface.PlanStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def find(self, dag_id: str) -> PlannedRuns | None:
        text: str | None = self._connection.execute(_FIND, {"of_dag": dag_id}).scalar()
        return None if text is None else decode_plan(text)

    def put(self, plans: Mapping[str, PlannedRuns], now: datetime) -> None:
        if plans:
            self.drop(plans)
            rows = [{"dag_id": dag_id, "made_at": now, "runs": encode_plan(plan)} for dag_id, plan in plans.items()]
            self._connection.execute(sa.insert(dag_plan), rows)

    def drop(self, dag_ids: Collection[str]) -> None:
        self._connection.execute(_DROP, {"dag_ids": sorted(dag_ids)})

    def planned_in(self, files: Collection[FileKey]) -> dict[FileKey, list[str]]:
        found: dict[FileKey, list[str]] = {}
        for row in self._connection.execute(_IN_FILES, {"files": list(files)}):
            found.setdefault(FileKey(row.file_key), []).append(row.dag_id)
        return found

    def add_question(self, question: IntervalQuestion) -> None:
        row = {"run_key": question.run_key, "dag_id": question.dag_id, "moment": question.about.moment}
        self._connection.execute(sa.insert(interval_question), row)

    def questions(self, dag_ids: Collection[str]) -> list[IntervalQuestion]:
        found = self._connection.execute(_QUESTIONS, {"dag_ids": sorted(dag_ids)})
        return [_to_question(row) for row in found]

    def ask(self, files: Collection[FileKey], now: datetime) -> dict[FileKey, list[IntervalQuestion]]:
        asked: dict[FileKey, list[IntervalQuestion]] = {}
        for row in self._connection.execute(_QUESTIONS_IN, {"files": list(files)}):
            asked.setdefault(FileKey(row.file_key), []).append(_to_question(row))
        if asked:
            run_keys = sorted({question.run_key for of_file in asked.values() for question in of_file})
            self._connection.execute(_ASK, {"run_keys": run_keys, "now": now})
        return asked

    def files_to_ask(self, bundles: Collection[str], asked_before: datetime) -> list[FileKey]:
        names = {"bundles": list(bundles), "asked_before": asked_before}
        return [FileKey(row[0]) for row in self._connection.execute(_FILES_TO_ASK, names)]

    def settle(
        self, run_key: RunKey, interval: DataInterval | None, now: datetime, partition_date: datetime | None = None
    ) -> None:
        if interval is not None:
            known = {"of_run": run_key, "start": interval.start, "until": interval.end, "now": now}
            self._connection.execute(_KNOW, known)
        if partition_date is not None:
            self._connection.execute(_KNOW_DATE, {"of_run": run_key, "date": partition_date, "now": now})
        self._connection.execute(sa.delete(interval_question).where(_OF_RUN), {"of_run": run_key})


def _to_question(row: AnyRow) -> IntervalQuestion:
    about = AskedRun(row.moment, row.logical_date is not None, row.partition_key)
    return IntervalQuestion(RunKey(row.run_key), row.dag_id, about)
