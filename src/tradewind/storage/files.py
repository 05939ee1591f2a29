"""DAG files: what is known of them, who parses them, what is wrong with them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec
import sqlalchemy as sa

from tradewind.model.dag_file import (
    DagFile,
    Dependency,
    FileKey,
    FileName,
    FileParse,
    FileWarning,
    ImportProblem,
    StoredWarning,
)
from tradewind.model.ids import JobKey
from tradewind.storage.insert_new import insert_new
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_declaration, dag_file, dag_warning, file_is_requested
from tradewind.storage.types import AnyRow, AnySelect, Instant

_COLUMNS = dag_file.c
_OF_KEYS = one_of(_COLUMNS.file_key, "keys")
# Not the text of the error: it may be long, and only people read it.
_HEAD = sa.select(
    _COLUMNS.file_key,
    _COLUMNS.bundle_name,
    _COLUMNS.path,
    _COLUMNS.content_hash,
    _COLUMNS.environment,
    _COLUMNS.dependencies,
    _COLUMNS.is_volatile,
    _COLUMNS.parsed_at,
    _COLUMNS.duration_ms,
    _COLUMNS.error_at,
    _COLUMNS.claimed_by,
    _COLUMNS.claimed_until,
    _COLUMNS.is_requested,
)
_OF_BUNDLE = _HEAD.where(_COLUMNS.bundle_name == sa.bindparam("bundle")).order_by(_COLUMNS.path)
_NAMED = _HEAD.where(_COLUMNS.bundle_name == sa.bindparam("bundle"), _COLUMNS.path == sa.bindparam("file_path"))
_REQUESTED = _HEAD.where(file_is_requested, one_of(_COLUMNS.bundle_name, "bundles")).order_by(_COLUMNS.file_key)
_LOCK = _HEAD.where(_OF_KEYS).order_by(_COLUMNS.file_key).with_for_update(key_share=True)
_CLAIMED = {"claimed_by": sa.bindparam("job"), "claimed_until": sa.bindparam("until", type_=Instant())}
_CLAIM = sa.update(dag_file).where(_OF_KEYS).values(_CLAIMED)
_MINE = sa.and_(_OF_KEYS, _COLUMNS.claimed_by == sa.bindparam("job"))
_RENEW = sa.update(dag_file).where(_MINE).values(claimed_until=sa.bindparam("until", type_=Instant()))
_RELEASE = sa.update(dag_file).where(_MINE).values(claimed_by=None, claimed_until=None)
_REQUEST = sa.update(dag_file).where(_OF_KEYS).values(is_requested=True)
_SAVE = (
    sa.update(dag_file)
    .where(_COLUMNS.file_key == sa.bindparam("key"))
    .values(
        content_hash=sa.bindparam("new_hash"),
        environment=sa.bindparam("new_environment"),
        dependencies=sa.bindparam("new_dependencies"),
        is_volatile=sa.bindparam("volatile"),
        parsed_at=sa.bindparam("now", type_=Instant()),
        duration_ms=sa.bindparam("spent_ms"),
        error=sa.bindparam("new_error"),
        error_at=sa.bindparam("failed_at", type_=Instant()),
        claimed_by=None,
        claimed_until=None,
        is_requested=sa.false(),
    )
)
_DECLARED = sa.select(dag_declaration.c.file_key, dag_declaration.c.dag_id).where(
    one_of(dag_declaration.c.file_key, "keys")
)
_DECLARERS = (
    sa.select(dag_declaration.c.dag_id, _COLUMNS.file_key, _COLUMNS.bundle_name, _COLUMNS.path)
    .join(dag_file, _COLUMNS.file_key == dag_declaration.c.file_key)
    .where(one_of(dag_declaration.c.dag_id, "dag_ids"))
    .order_by(dag_declaration.c.dag_id, _COLUMNS.bundle_name, _COLUMNS.path)
)
_HAS_ERROR = sa.select(_COLUMNS.file_key).where(
    _COLUMNS.bundle_name == sa.bindparam("bundle"),
    _COLUMNS.path == sa.bindparam("path"),
    _COLUMNS.error_at.is_not(None),
)
_ERRORS = (
    sa.select(_COLUMNS.file_key, _COLUMNS.bundle_name, _COLUMNS.path, _COLUMNS.error, _COLUMNS.error_at)
    .where(_COLUMNS.error_at.is_not(None))
    .order_by(_COLUMNS.bundle_name, _COLUMNS.path)
)
_WARNINGS = (
    sa.select(
        _COLUMNS.bundle_name,
        _COLUMNS.path,
        dag_warning.c.kind,
        dag_warning.c.message,
        dag_warning.c.line,
        dag_warning.c.dag_id,
        dag_warning.c.created_at,
    )
    .join(dag_warning, dag_warning.c.file_key == _COLUMNS.file_key)
    .order_by(_COLUMNS.bundle_name, _COLUMNS.path, dag_warning.c.line, dag_warning.c.warning_key)
)


class Files:
    """Implements `interface.FileStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, names: Collection[FileName]) -> None:
        plain = {"is_volatile": False, "is_requested": False}
        rows = [{"bundle_name": name.bundle, "path": name.path, **plain} for name in sorted(names)]
        insert_new(self._connection, dag_file, rows)

    def of_bundle(self, bundle: str) -> list[DagFile]:
        return [_to_file(row) for row in self._connection.execute(_OF_BUNDLE, {"bundle": bundle})]

    def find(self, name: FileName) -> DagFile | None:
        row = self._connection.execute(_NAMED, {"bundle": name.bundle, "file_path": name.path}).first()
        return None if row is None else _to_file(row)

    def lock(self, keys: Collection[FileKey]) -> list[DagFile]:
        return [_to_file(row) for row in self._connection.execute(_LOCK, {"keys": list(keys)})]

    def claim(self, keys: Collection[FileKey], job: JobKey, until: datetime) -> None:
        self._connection.execute(_CLAIM, {"keys": list(keys), "job": job, "until": until})

    def renew(self, keys: Collection[FileKey], job: JobKey, until: datetime) -> None:
        self._connection.execute(_RENEW, {"keys": list(keys), "job": job, "until": until})

    def release(self, keys: Collection[FileKey], job: JobKey) -> None:
        self._connection.execute(_RELEASE, {"keys": list(keys), "job": job})

    def save(self, parses: Sequence[FileParse], errors: Mapping[FileKey, str], now: datetime) -> None:
        rows = [
            {
                "key": parse.key,
                "new_hash": parse.content_hash,
                "new_environment": parse.environment,
                "new_dependencies": _encode_dependencies(parse.dependencies),
                "volatile": parse.is_volatile,
                "now": now,
                "spent_ms": parse.duration_ms,
                "new_error": errors.get(parse.key),
                "failed_at": now if parse.key in errors else None,
            }
            for parse in parses
        ]
        if rows:
            self._connection.execute(_SAVE, rows)

    def request(self, keys: Collection[FileKey]) -> None:
        self._connection.execute(_REQUEST, {"keys": list(keys)})

    def requested(self, bundles: Collection[str]) -> list[DagFile]:
        return [_to_file(row) for row in self._connection.execute(_REQUESTED, {"bundles": list(bundles)})]

    def delete(self, keys: Collection[FileKey]) -> None:
        self._connection.execute(sa.delete(dag_file).where(_OF_KEYS), {"keys": list(keys)})

    def declare(self, dags: Mapping[FileKey, Collection[str]]) -> None:
        former = sa.delete(dag_declaration).where(one_of(dag_declaration.c.file_key, "keys"))
        self._connection.execute(former, {"keys": list(dags)})
        rows = [{"file_key": key, "dag_id": dag_id} for key, dag_ids in sorted(dags.items()) for dag_id in set(dag_ids)]
        if rows:
            self._connection.execute(sa.insert(dag_declaration), rows)

    def declared(self, keys: Collection[FileKey]) -> dict[FileKey, set[str]]:
        found: dict[FileKey, set[str]] = {key: set() for key in keys}
        for key, dag_id in self._connection.execute(_DECLARED, {"keys": list(keys)}):
            found[FileKey(key)].add(dag_id)
        return found

    def declarers(self, dag_ids: Collection[str]) -> dict[str, dict[FileKey, FileName]]:
        found: dict[str, dict[FileKey, FileName]] = {}
        for dag_id, key, bundle, path in self._connection.execute(_DECLARERS, {"dag_ids": list(dag_ids)}):
            found.setdefault(dag_id, {})[FileKey(key)] = FileName(bundle, path)
        return found

    def has_error(self, name: FileName) -> bool:
        return self._connection.execute(_HAS_ERROR, {"bundle": name.bundle, "path": name.path}).first() is not None

    def errors(self, bundles: Collection[str] | None = None) -> list[ImportProblem]:
        return [
            ImportProblem(FileKey(key), FileName(bundle, path), error, at)
            for key, bundle, path, error, at in self._of_bundles(_ERRORS, bundles)
        ]

    def warn(self, warnings: Mapping[FileKey, Sequence[FileWarning]], now: datetime) -> None:
        former = sa.delete(dag_warning).where(one_of(dag_warning.c.file_key, "keys"))
        self._connection.execute(former, {"keys": list(warnings)})
        rows = [
            {
                "file_key": key,
                "dag_id": warning.dag_id,
                "kind": warning.kind,
                "line": warning.line,
                "message": warning.message,
                "created_at": now,
            }
            for key, of_file in sorted(warnings.items())
            for warning in of_file
        ]
        if rows:
            self._connection.execute(sa.insert(dag_warning), rows)

    def warnings(self, bundles: Collection[str] | None = None) -> list[StoredWarning]:
        return [
            StoredWarning(FileName(bundle, path), FileWarning(kind, message, line, dag_id), at)
            for bundle, path, kind, message, line, dag_id, at in self._of_bundles(_WARNINGS, bundles)
        ]

    def _of_bundles(self, statement: AnySelect, bundles: Collection[str] | None) -> Sequence[AnyRow]:
        if bundles is None:
            return self._connection.execute(statement).all()
        chosen = statement.where(one_of(_COLUMNS.bundle_name, "bundles"))
        return self._connection.execute(chosen, {"bundles": list(bundles)}).all()


def _encode_dependencies(dependencies: Sequence[Dependency]) -> str | None:
    return msgspec.json.encode([tuple(each) for each in dependencies]).decode() if dependencies else None


_DEPENDENCIES = msgspec.json.Decoder(tuple[tuple[str, str], ...])


def _to_file(row: AnyRow) -> DagFile:
    key, bundle, path, content_hash, environment, dependencies, volatile, parsed_at, duration_ms, error_at = row[:10]
    claimed_by, claimed_until, is_requested = row[10:]
    return DagFile(
        key=FileKey(key),
        name=FileName(bundle, path),
        content_hash=content_hash,
        environment=environment,
        dependencies=tuple(Dependency(*pair) for pair in _DEPENDENCIES.decode(dependencies)) if dependencies else (),
        is_volatile=volatile,
        parsed_at=parsed_at,
        duration_ms=duration_ms,
        has_error=error_at is not None,
        claimed_by=None if claimed_by is None else JobKey(claimed_by),
        claimed_until=claimed_until,
        is_requested=is_requested,
    )
