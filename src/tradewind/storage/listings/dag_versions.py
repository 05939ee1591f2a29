"""Versions of DAGs, without their JSON."""

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import dag, dag_version

DAG_VERSIONS = Listing(
    dag_version.join(dag, dag.c.dag_id == dag_version.c.dag_id),
    {
        "version_key": dag_version.c.version_key,
        "version_number": dag_version.c.version_number,
        "dag_id": dag_version.c.dag_id,
        "bundle_name": dag_version.c.bundle_name,
        "bundle_version": dag_version.c.bundle_version,
        "created_at": dag_version.c.created_at,
        "dag_display_name": dag.c.display_name,
        "source_hash": dag_version.c.source_hash,
    },
    key=("version_key",),
    order=(Order("version_key"),),
    hidden={"id": dag_version.c.version_key},
)
