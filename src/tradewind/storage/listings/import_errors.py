"""DAG files that cannot be read as they are."""

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing, Related
from tradewind.storage.schema import dag_declaration, dag_file

_file = dag_file.c

IMPORT_ERRORS = Listing(
    dag_file,
    {
        "import_error_id": _file.file_key,
        "timestamp": _file.error_at,
        "filename": _file.path,
        "bundle_name": _file.bundle_name,
        "stack_trace": _file.error,
    },
    key=("import_error_id",),
    order=(Order("import_error_id"),),
    hidden={"id": _file.file_key, "stacktrace": _file.error},
    where=_file.error_at.is_not(None),
    related={
        "dag_id": Related(dag_declaration.c.dag_id, dag_declaration, dag_declaration.c.file_key == _file.file_key)
    },
)
