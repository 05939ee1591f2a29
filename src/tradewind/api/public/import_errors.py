"""DAG files that cannot be read as they are."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import HTTPException
from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource, dags_within_reach
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed, matches, starts_with
from tradewind.api.public.dag_filters import within_reach
from tradewind.api.services import Given
from tradewind.model.dag_file import FileKey
from tradewind.model.listing import Listed, Row
from tradewind.storage.interface import Transaction

operations = Operations("Import Error")

_READ: Final = Need(Resource.DAG, Action.READ)
"""Not of import errors: who may see one DAG only may know why its file cannot be read."""
_HIDDEN: Final = "REDACTED - you do not have read permission on all DAGs in the file"


class ImportErrorResponse(BaseModel):
    """What is wrong with a file."""

    import_error_id: int
    timestamp: datetime
    filename: str
    bundle_name: str | None
    stack_trace: str


class ImportErrorCollectionResponse(BaseModel):
    """A page of errors."""

    import_errors: list[ImportErrorResponse]
    total_entries: int


@operations.add("GET", "/importErrors", operation_id="get_import_errors", need=_READ)
def get_import_errors(
    services: Given,
    caller: Caller,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
    filename_pattern: str | None = None,
    filename_prefix_pattern: str | None = None,
    filename: str | None = None,
    bundle_name: str | None = None,
) -> ImportErrorCollectionResponse:
    """Those of files that have a DAG which the caller may see; who may see all DAGs sees all files."""
    conditions = [
        within_reach(caller, _READ),
        matches("filename", filename_pattern),
        starts_with("filename", filename_prefix_pattern),
        is_("filename", filename),
        is_("bundle_name", bundle_name),
    ]
    reach = dags_within_reach(caller, _READ)

    def work(tx: Transaction) -> ImportErrorCollectionResponse:
        page = listed(tx, Listed.IMPORT_ERRORS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        return ImportErrorCollectionResponse(import_errors=_responses(tx, page.rows, reach), total_entries=page.total)

    return services.store.read(work)


@operations.add("GET", "/importErrors/{import_error_id}", operation_id="get_import_error", need=_READ)
def get_import_error(import_error_id: int, services: Given, caller: Caller) -> ImportErrorResponse:
    """One of them."""
    conditions = [within_reach(caller, _READ), is_("import_error_id", import_error_id)]
    reach = dags_within_reach(caller, _READ)

    def work(tx: Transaction) -> list[ImportErrorResponse]:
        return _responses(tx, listed(tx, Listed.IMPORT_ERRORS, conditions=conditions, limit=1).rows, reach)

    found = services.store.read(work)
    if not found:
        raise HTTPException(404, f"The ImportError with import_error_id: `{import_error_id}` was not found")
    return found[0]


def _responses(tx: Transaction, rows: Sequence[Row], reach: Collection[str] | None) -> list[ImportErrorResponse]:
    """With the text of the error for those only who may see every DAG of the file: it shows lines of it."""
    values: list[dict[str, Any]] = [dict(row) for row in rows]
    if reach is not None:
        declared = tx.files.declared([FileKey(each["import_error_id"]) for each in values])
        for each in values:
            if not declared[FileKey(each["import_error_id"])] <= set(reach):
                each["stack_trace"] = _HIDDEN
    return [ImportErrorResponse(**each) for each in values]
