"""Versions of DAGs by the hundred, and the source texts that they come from."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from tradewind.model.dag_file import FileName, NewVersion, VersionOrigin
from tradewind.model.dag_summary import DagSummary
from tradewind.model.ids import VersionKey
from tradewind.storage.insert_new import insert_new
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag, dag_source, dag_tag, dag_version
from tradewind.storage.types import Instant

_COLUMNS = dag_version.c
_OF_DAGS = one_of(_COLUMNS.dag_id, "dag_ids")
_NEWEST = (
    sa.select(_COLUMNS.dag_id, sa.func.max(_COLUMNS.version_number), sa.func.max(_COLUMNS.version_key))
    .where(_OF_DAGS)
    .group_by(_COLUMNS.dag_id)
)
_POINT_TO = (
    sa.update(dag)
    .where(dag.c.dag_id == sa.bindparam("of_dag"))
    .values(version_key=sa.bindparam("key"), updated_at=sa.bindparam("now", type_=Instant()))
)
_SUMMARY = (
    "display_name",
    "description",
    "owners",
    "timetable_type",
    "timetable_summary",
    "timetable_description",
    "timetable_periodic",
    "timetable_partitioned",
    "has_asset_schedule",
    "max_active_tasks",
    "max_active_runs",
    "max_consecutive_failed_runs",
    "has_task_limits",
)
_POINT_TO_AND_SUM_UP = _POINT_TO.values(
    {name: sa.bindparam(f"new_{name}", type_=dag.c[name].type) for name in (*_SUMMARY, "allowed_run_types", "tags")}
)
_FORGET_TAGS = sa.delete(dag_tag).where(one_of(dag_tag.c.dag_id, "dag_ids"))
_ORIGINS = sa.select(
    _COLUMNS.version_key,
    _COLUMNS.structure_hash,
    _COLUMNS.bundle_name,
    _COLUMNS.path,
    _COLUMNS.bundle_version,
    _COLUMNS.source_hash,
).where(one_of(_COLUMNS.version_key, "keys"))
_SET_SOURCE = (
    sa.update(dag_version)
    .where(_COLUMNS.version_key == sa.bindparam("key"))
    .values(source_hash=sa.bindparam("new_hash"))
)
_TEXT = sa.select(dag_source.c.text).where(dag_source.c.source_hash == sa.bindparam("hash"))
_PRUNE = sa.delete(dag_source).where(~sa.exists().where(_COLUMNS.source_hash == dag_source.c.source_hash))


class Versions:
    """Implements `interface.VersionStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, new: Sequence[NewVersion], now: datetime) -> dict[str, VersionKey]:
        if not new:
            return {}
        dag_ids = {"dag_ids": sorted(version.dag_id for version in new)}
        latest = {row[0]: row[1] for row in self._connection.execute(_NEWEST, dag_ids)}
        rows = [
            {
                "dag_id": version.dag_id,
                "version_number": latest.get(version.dag_id, 0) + 1,
                "structure_hash": version.structure_hash,
                "data": version.data,
                "bundle_name": version.name and version.name.bundle,
                "path": version.name and version.name.path,
                "bundle_version": version.bundle_version,
                "source_hash": version.source_hash,
                "created_at": now,
            }
            for version in new
        ]
        self._connection.execute(sa.insert(dag_version), rows)
        keys = {row[0]: VersionKey(row[2]) for row in self._connection.execute(_NEWEST, dag_ids)}
        self._point_to(keys, {each.dag_id: each.summary for each in new if each.summary is not None}, now)
        return keys

    def _point_to(self, keys: Mapping[str, VersionKey], summaries: Mapping[str, DagSummary], now: datetime) -> None:
        plain, summed_up = [], []
        for dag_id, key in sorted(keys.items()):
            pointer = {"of_dag": dag_id, "key": key, "now": now}
            if dag_id in summaries:
                summed_up.append(pointer | _summary_row(summaries[dag_id]))
            else:
                plain.append(pointer)
        if plain:
            self._connection.execute(_POINT_TO, plain)
        if summed_up:
            self._connection.execute(_POINT_TO_AND_SUM_UP, summed_up)
            self._connection.execute(_FORGET_TAGS, {"dag_ids": sorted(summaries)})
        tags = [
            {"dag_id": dag_id, "name": tag} for dag_id, summary in sorted(summaries.items()) for tag in summary.tags
        ]
        if tags:
            self._connection.execute(sa.insert(dag_tag), tags)

    def origins(self, version_keys: Collection[VersionKey]) -> dict[VersionKey, VersionOrigin]:
        found = self._connection.execute(_ORIGINS, {"keys": list(version_keys)})
        return {
            VersionKey(key): VersionOrigin(
                VersionKey(key),
                structure_hash,
                None if bundle is None else FileName(bundle, path),
                bundle_version,
                source_hash,
            )
            for key, structure_hash, bundle, path, bundle_version, source_hash in found
        }

    def set_sources(self, sources: Mapping[VersionKey, str]) -> None:
        if sources:
            rows = [{"key": key, "new_hash": source_hash} for key, source_hash in sorted(sources.items())]
            self._connection.execute(_SET_SOURCE, rows)

    def add_texts(self, texts: Mapping[str, str]) -> None:
        rows = [{"source_hash": source_hash, "text": text} for source_hash, text in sorted(texts.items())]
        insert_new(self._connection, dag_source, rows)

    def text(self, source_hash: str) -> str | None:
        found: str | None = self._connection.execute(_TEXT, {"hash": source_hash}).scalar()
        return found

    def prune_texts(self) -> int:
        return self._connection.execute(_PRUNE).rowcount


def _summary_row(summary: DagSummary) -> dict[str, Any]:
    allowed = summary.allowed_run_types
    return {f"new_{name}": getattr(summary, name) for name in _SUMMARY} | {
        "new_allowed_run_types": None if allowed is None else ",".join(allowed),
        "new_tags": json.dumps(summary.tags),
    }
