"""Throwing old history away."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from tradewind.model.ids import RunKey
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_RUN_STATES
from tradewind.storage.archives import copy_rows
from tradewind.storage.changes import forget_changes
from tradewind.storage.interface.pruning_store import Archive, Prunable, PruneChoice
from tradewind.storage.rows import is_named_by_timetable, to_run
from tradewind.storage.schema import (
    asset_event,
    audit_log,
    backfill,
    backfill_is_open,
    connection_test_request,
    dag,
    dag_run,
    dag_version,
    job,
)

_ENDED: Final = dag_run.c.state.in_(sorted(FINISHED_RUN_STATES))
_newer: Final = dag_run.alias("newer_run")
_IS_FOLLOWED: Final = sa.exists().where(
    _newer.c.dag_id == dag_run.c.dag_id,
    _newer.c.run_type == dag_run.c.run_type,
    _newer.c.ordering_at >= dag_run.c.ordering_at,  # on its own, so that the index is entered here
    sa.or_(_newer.c.ordering_at > dag_run.c.ordering_at, _newer.c.run_key > dag_run.c.run_key),
    # One that a backfill has made its own still tells the timetable how far it came.
    sa.or_(~is_named_by_timetable(dag_run), is_named_by_timetable(_newer)),
)


class _Old(NamedTuple):
    """Where rows are, how old they are, whose they are, and which of them may go."""

    table: sa.Table
    key: sa.Column[Any]
    at: sa.ColumnElement[Any]
    dag_id: sa.ColumnElement[Any] | None
    where: Sequence[sa.ColumnElement[bool]] = ()


_OLD: Final[Mapping[Prunable, _Old]] = {
    Prunable.RUNS: _Old(
        dag_run, dag_run.c.run_key, dag_run.c.finished_at, dag_run.c.dag_id, where=(_ENDED, _IS_FOLLOWED)
    ),
    Prunable.VERSIONS: _Old(
        dag_version,
        dag_version.c.version_key,
        dag_version.c.created_at,
        dag_version.c.dag_id,
        where=(
            ~sa.exists().where(dag.c.version_key == dag_version.c.version_key),
            ~sa.exists().where(dag_run.c.version_key == dag_version.c.version_key),
            ~sa.exists().where(backfill.c.version_key == dag_version.c.version_key, backfill_is_open),
        ),
    ),
    Prunable.ASSET_EVENTS: _Old(
        asset_event, asset_event.c.event_key, asset_event.c.created_at, asset_event.c.source_dag_id
    ),
    Prunable.JOBS: _Old(job, job.c.job_key, job.c.stopped_at, None),
    Prunable.CONNECTION_TESTS: _Old(
        connection_test_request,
        connection_test_request.c.test_key,
        connection_test_request.c.created_at,
        None,
        where=(connection_test_request.c.unfinished_conn_id.is_(None),),
    ),
    Prunable.AUDIT_LOG: _Old(audit_log, audit_log.c.entry_key, audit_log.c.at, audit_log.c.dag_id),
}


class Pruning:
    """Implements `interface.PruningStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def count(self, what: Prunable, choice: PruneChoice) -> int:
        statement = sa.select(sa.func.count()).select_from(_OLD[what].table).where(*_conditions(what, choice))
        return int(self._connection.execute(statement).scalar_one())

    def old_runs(self, choice: PruneChoice, limit: int) -> list[Run]:
        conditions = _conditions(Prunable.RUNS, choice)
        order = (dag_run.c.finished_at, dag_run.c.run_key)
        rows = self._connection.execute(sa.select(dag_run).where(*conditions).order_by(*order).limit(limit))
        return [to_run(row) for row in rows]

    def delete_runs(self, run_keys: Sequence[RunKey], archive: Archive | None = None) -> None:
        if archive is not None:
            copy_rows(self._connection, archive, dag_run.c.run_key, run_keys)
        self._connection.execute(sa.delete(dag_run).where(dag_run.c.run_key.in_(run_keys)))
        forget_changes(self._connection, run_keys)

    def delete(self, what: Prunable, choice: PruneChoice, limit: int, archive: Archive | None = None) -> int:
        old = _OLD[what]
        rows = self._connection.execute(sa.select(old.key).where(*_conditions(what, choice)).limit(limit))
        keys = [row[0] for row in rows]
        if keys:
            if archive is not None:
                copy_rows(self._connection, archive, old.key, keys)
            self._connection.execute(sa.delete(old.table).where(old.key.in_(keys)))
        return len(keys)


def _conditions(what: Prunable, choice: PruneChoice) -> list[sa.ColumnElement[bool]]:
    old = _OLD[what]
    conditions = [old.at < choice.before, *old.where]
    if choice.dag_ids:
        conditions.append(sa.false() if old.dag_id is None else old.dag_id.in_(choice.dag_ids))
    if choice.spared and old.dag_id is not None:
        conditions.append(sa.or_(old.dag_id.is_(None), old.dag_id.not_in(choice.spared)))
    return conditions
