"""Have a DAG file parsed again."""

from typing import Final

from fastapi import HTTPException, Response

from tradewind.api.auth.access import Action, Need, Resource, may
from tradewind.api.operation import Caller, Operations
from tradewind.api.public.file_token import named_by
from tradewind.api.services import Given
from tradewind.operations.request_parse import dags_of_file, request_parse
from tradewind.storage.interface import Transaction

operations = Operations("DAG Parsing")

_EDIT: Final = Need(Resource.DAG, Action.EDIT)


@operations.add("PUT", "/parseDagFile/{file_token}", operation_id="reparse_dag_file", need=_EDIT, status=201)
def reparse_dag_file(file_token: str, services: Given, caller: Caller) -> Response:
    """Ask the DAG processors to read the file, changed or not. The caller must be allowed to edit all DAGs of it."""
    name = named_by(file_token)

    def work(tx: Transaction) -> None:
        dag_ids = dags_of_file(tx, name)
        is_allowed = all(may(caller, _EDIT, dag_id) for dag_id in dag_ids) if dag_ids else may(caller, _EDIT)
        if not is_allowed:
            raise HTTPException(403, "Forbidden")
        request_parse(tx, name)

    services.store.transact(work)
    return Response("null", 201, media_type="application/json")
