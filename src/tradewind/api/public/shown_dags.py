"""Rows and versions of DAGs as the answers that clients get."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final

import msgspec

from tradewind.api.encoded import encoded
from tradewind.api.public.dag_schemas import DAGDetailsResponse, DAGResponse
from tradewind.api.public.file_token import file_token
from tradewind.api.public.shown_versions import current_version
from tradewind.errors import UnknownDag
from tradewind.model.asset import AllAssets, AnyAsset, AssetAliasRef, AssetExpression, AssetRef
from tradewind.model.dag import Dag
from tradewind.model.dag_file import FileName
from tradewind.model.ids import VersionKey
from tradewind.model.listing import Condition, Listed, Query, Row, Test
from tradewind.model.states import RunType
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

_NO_TAGS: Final = "[]"
_AssetIds = Mapping[tuple[str | None, str | None], int]


class ShownDags:
    """Makes answers of rows. Knows where the files of bundles lie on this machine, as far as that is configured."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        """`folders`: see `bundle_folders`."""
        self._folders = folders

    def values(self, row: Row) -> dict[str, Any]:
        """The fields of `DAGResponse`."""
        values: dict[str, Any] = dict(row)
        del values["version_key"], values["timetable_type"], values["has_asset_schedule"]
        bundle, path = values["bundle_name"], values["relative_fileloc"]
        duration_ms, allowed = values.pop("parse_duration_ms"), values["allowed_run_types"]
        run_types = None if allowed is None else [word for word in allowed.split(",") if word]
        is_allowed = run_types is None or RunType.BACKFILL in run_types
        values.update(
            last_parse_duration=None if duration_ms is None else duration_ms / 1000,
            last_expired=None,
            fileloc=self._fileloc(bundle, path),
            tags=_tags(values),
            next_dagrun_logical_date=values["next_dagrun_data_interval_start"],
            allowed_run_types=run_types,
            owners=values["owners"].split(", ") if values["owners"] else [],
            is_backfillable=bool(values["timetable_periodic"]) and is_allowed,
            file_token="" if path is None else file_token(FileName(bundle, path)),
        )
        return values

    def response(self, tx: Transaction, dag_id: str) -> DAGResponse:
        """Of one.

        Raises:
            UnknownDag: there is none of that id.
        """
        return encoded(DAGResponse, self.values(_row(tx, dag_id)))

    def details(self, tx: Transaction, dag_id: str, structures: Structures, user_name: str) -> DAGDetailsResponse:
        """All about one, with what its version says. `user_name`: whose favorites.

        Raises:
            UnknownDag: there is none of that id.
            DagUnusable: its stored form cannot be read.
        """
        row = _row(tx, dag_id)
        key = row["version_key"]
        if not isinstance(key, int):
            raise UnknownDag(dag_id)
        dag = structures.get(tx, VersionKey(key)).dag
        return DAGDetailsResponse(
            **self.values(row),
            **_of_version(dag),
            asset_expression=_asset_expression(tx, dag.assets),
            last_parsed=row["last_parsed_time"],  # type: ignore[arg-type]
            is_favorite=tx.catalog.is_favorite(user_name, dag_id),
            active_runs_count=tx.runs.count_active([dag_id])[dag_id].active,
            concurrency=dag.max_active_tasks,
            latest_dag_version=current_version(tx, dag_id),
        )

    def _fileloc(self, bundle: str | None, path: str | None) -> str:
        if bundle is None or path is None:
            return ""
        folder = self._folders.get(bundle)
        return path if folder is None else f"{folder}/{path}"


def _tags(values: Mapping[str, Any]) -> list[dict[str, str]]:
    text: str = values["tags"]
    if text == _NO_TAGS:
        return []
    name = {"dag_id": values["dag_id"], "dag_display_name": values["dag_display_name"]}
    return [{"name": tag, **name} for tag in msgspec.json.decode(text, type=list[str])]


def shown_params(params: Any, source: str | None = None) -> dict[str, Any]:
    """The params of a DAG or of a task, in the order of their author where it is known.

    `source`: of which of the two, where both are shown together.
    """
    in_order = sorted((params or {}).items(), key=lambda item: item[1].get("position", 0))
    return {
        name: {
            "value": param.get("value"),
            "schema": param.get("schema", {}),
            "description": param.get("description"),
            "source": source or param.get("source"),
        }
        for name, param in in_order
    }


def _row(tx: Transaction, dag_id: str) -> Row:
    query = Query((Condition("dag_id", Test.IS, dag_id),), is_counted=False)
    rows = tx.listings.page(Listed.DAGS, query).rows
    if not rows:
        raise UnknownDag(dag_id)
    return rows[0]


def _of_version(dag: Dag) -> dict[str, Any]:
    details: dict[str, Any] = dag.details if isinstance(dag.details, dict) else {}
    search_path = details.get("template_searchpath")
    return {
        "catchup": dag.catchup,
        "dag_run_timeout": None if dag.run_timeout_s is None else timedelta(seconds=dag.run_timeout_s),
        "doc_md": dag.doc,
        "start_date": dag.start_at,
        "end_date": dag.end_at,
        "is_paused_upon_creation": dag.is_paused_upon_creation,
        "params": shown_params(dag.params),
        "render_template_as_native_obj": bool(details.get("render_template_as_native_obj")),
        "template_search_path": [search_path] if isinstance(search_path, str) else search_path,
        "timezone": dag.timezone,
        "default_args": details.get("default_args", {}),
        "rerun_with_latest_version": details.get("rerun_with_latest_version"),
        "owner_links": dict(dag.owner_links),
    }


def _asset_expression(tx: Transaction, expression: AssetExpression | None) -> dict[str, Any] | None:
    if expression is None:
        return None
    named = tx.assets.named([ref.name for ref in _declared(expression) if ref.name is not None], ())
    return _expressed(expression, {(record.name, record.uri): record.key for record in named})


def _declared(expression: AssetExpression) -> Iterable[AssetRef]:
    if isinstance(expression, AssetRef):
        yield expression
    elif isinstance(expression, AllAssets | AnyAsset):
        for part in expression.parts:
            yield from _declared(part)


def _expressed(expression: AssetExpression, ids: _AssetIds) -> dict[str, Any]:
    match expression:
        case AllAssets(parts) | AnyAsset(parts):
            return {expression.kind: [_expressed(part, ids) for part in parts]}
        case AssetAliasRef(name, group):
            return {"alias": {"name": name, "group": group}}
        case AssetRef(name, uri) if name is None or uri is None:
            return {"asset_ref": {"name": name} if uri is None else {"uri": uri}}
        case AssetRef(name, uri, group):
            return {"asset": {"uri": uri, "name": name, "group": group, "id": ids.get((name, uri))}}
