"""Versions of DAGs as the answers that clients get."""

from collections.abc import Mapping
from typing import Any

from tradewind.api.public.dag_version_schema import DagVersionResponse, version_id
from tradewind.model.listing import Condition, Listed, Order, Query, Row, Test
from tradewind.storage.interface import Transaction

_NEWEST = (Order("version_key", is_descending=True),)


def version_response(row: Row) -> DagVersionResponse:
    """Of a row of a list."""
    values: Mapping[str, Any] = row
    return DagVersionResponse(
        id=version_id(values["version_key"]),
        version_number=values["version_number"],
        dag_id=values["dag_id"],
        bundle_name=values["bundle_name"],
        bundle_version=values["bundle_version"],
        created_at=values["created_at"],
        dag_display_name=values["dag_display_name"],
        bundle_url=None,
    )


def version_row(tx: Transaction, dag_id: str, version_number: int | None = None) -> Row | None:
    """A version of a DAG; the newest one, if no number is given."""
    conditions = [Condition("dag_id", Test.IS, dag_id)]
    if version_number is not None:
        conditions.append(Condition("version_number", Test.IS, version_number))
    query = Query(tuple(conditions), _NEWEST, limit=1, is_counted=False)
    rows = tx.listings.page(Listed.DAG_VERSIONS, query).rows
    return rows[0] if rows else None


def current_version(tx: Transaction, dag_id: str) -> DagVersionResponse | None:
    """The newest one."""
    row = version_row(tx, dag_id)
    return None if row is None else version_response(row)
