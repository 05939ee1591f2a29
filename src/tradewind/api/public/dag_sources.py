"""The source of DAGs."""

from typing import Annotated, Any, Final

from fastapi import Header, HTTPException, Response
from pydantic import BaseModel

from tradewind.api.accept import ANYTHING, preferred
from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.public.shown_versions import version_row
from tradewind.api.services import Given
from tradewind.storage.interface import Transaction

operations = Operations("DagSource")

_READ: Final = Need(Resource.DAG, Action.READ)
_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_ACCEPTED: Final = Header(json_schema_extra={"enum": [_JSON, _TEXT, ANYTHING]})
_AS_TEXT: Final = {"description": "The source", "content": {_TEXT: {"schema": {"type": "string"}}}}


class DAGSourceResponse(BaseModel):
    """The file of a version."""

    content: str | None
    dag_id: str
    version_number: int | None
    dag_display_name: str


@operations.add(
    "GET",
    "/dagSources/{dag_id}",
    operation_id="get_dag_source",
    need=_READ,
    responses={200: _AS_TEXT, 406: "No such form"},
)
def get_dag_source(
    dag_id: str, services: Given, accept: Annotated[str, _ACCEPTED] = ANYTHING, version_number: int | None = None
) -> DAGSourceResponse:
    """The file that a version of the DAG was read from, as it was then; of the newest version, if none is named."""
    media_type = preferred(accept, (_JSON, _TEXT))
    source = services.store.read(lambda tx: _source(tx, dag_id, version_number))
    if source is None:
        raise HTTPException(404, f"The source code of the Dag {dag_id}, version_number {version_number} was not found")
    if media_type == _TEXT:
        return Response(source.content, media_type=_TEXT)  # type: ignore[return-value]  # sent as it is
    return source


def _source(tx: Transaction, dag_id: str, version_number: int | None) -> DAGSourceResponse | None:
    row = version_row(tx, dag_id, version_number)
    if row is None or row["source_hash"] is None:
        return None
    values: dict[str, Any] = {name: row[name] for name in ("dag_id", "version_number", "dag_display_name")}
    text = tx.versions.text(str(row["source_hash"]))
    return None if text is None else DAGSourceResponse(content=text, **values)
