"""Connections, as they are stored."""

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import connection

_FIELDS = ("conn_id", "conn_type", "description", "host", "schema", "login", "password", "port", "extra")

CONNECTIONS = Listing(
    connection,
    {name: connection.c[name] for name in (*_FIELDS, "is_encrypted", "is_extra_encrypted")},
    key=("conn_id",),
    order=(Order("conn_id"),),
    # What clients of the REST API may sort by, besides.
    hidden={"id": connection.c.conn_id, "connection_id": connection.c.conn_id, "team_name": connection.c.conn_id},
    secret=frozenset({"schema", "login", "password", "extra", "is_encrypted", "is_extra_encrypted"}),
)
