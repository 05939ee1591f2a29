"""Warnings about DAGs. One about a file is about each DAG that the file has."""

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import dag, dag_declaration, dag_warning

_warning = dag_warning.c
_declaration = dag_declaration.c

DAG_WARNINGS = Listing(
    dag_warning.join(
        dag_declaration,
        sa.and_(
            _declaration.file_key == _warning.file_key,
            sa.or_(_warning.dag_id.is_(None), _warning.dag_id == _declaration.dag_id),
        ),
    ).join(dag, dag.c.dag_id == _declaration.dag_id),
    {
        "warning_key": _warning.warning_key,
        "dag_id": _declaration.dag_id,
        "warning_type": _warning.kind,
        "message": _warning.message,
        "timestamp": _warning.created_at,
        "dag_display_name": dag.c.display_name,
    },
    key=("dag_id", "warning_key"),
    order=(Order("dag_id"),),
)
